package projection

import (
	"cmp"
	"crypto/sha256"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// This file writes the texts that replace masked and capped results. Logs record the version of these texts, and old
// requests must be reproduced exactly: a new wording needs a new version.
//
//   - A stub names the tool, the status and the size of the result, says that it is no error, and gives the id for
//     recall. Words such as missing, omitted or failed make models search for an error.
//   - Stripped arguments are {}. They contain no placeholder text, because models imitate it in their own calls.
//   - The texts of the other presets are exactly those of their published designs.

// StubVersion is the version of the stub texts that new masks have.
const StubVersion = 1

const (
	EmptyArguments = "{}"
	// StubChars is the approximate length of a stub without its preview, in code points.
	StubChars = 192
	// errorLineChars is how many code points of the last error line a stub shows.
	errorLineChars = 300
)

// stub returns the text that replaces a result; "" if its preview would be the whole result. recall is the id with
// which the recall tool returns the original.
func stub(b conversation.ToolResult, mask *masking, recall string) string {
	if images := imageStubs(b.Images, strings.TrimSpace("recall "+recall)); images != "" {
		b.Images = nil
		text := stub(b, mask, recall)
		if text == "" || !mask.isExact() && len(text) >= len(b.Text) {
			text = b.Text
		}
		return text + images
	}
	if mask.words.Stub != nil {
		return mask.words.Stub(b, ToolName(b.Tool))
	}
	if mask.preview > 0 && b.Size.Chars() <= 2*mask.preview {
		return "" // the preview alone would be all of it
	}
	return plimsollStub(b, mask.preview, recall)
}

func plimsollStub(b conversation.ToolResult, preview int, recall string) string {
	name := ToolName(b.Tool)
	head, tail := bothEnds(b.Text, preview, preview)
	if b.Total > 0 { // the stored text is only the beginning, and ends with a marker
		head, tail = bothEnds(b.Text, 2*preview, 0)
	}
	var s strings.Builder
	s.Grow(len(name) + len(head) + len(tail) + 200)
	s.WriteString(name)
	s.WriteString(": completed earlier (")
	s.WriteString(StatusWord(b.Status))
	s.WriteString("), ")
	if b.Total > 0 {
		writeCount(&s, b.Total, "character")
	} else {
		writeCount(&s, lineCount(b.Text), "line")
		s.WriteString(", ")
		writeCount(&s, b.Size.Chars(), "character")
	}
	s.WriteString(". Shortened to save context, which is not an error. The whole text: recall ")
	s.WriteString(recall)
	if head != "" {
		s.WriteString("\nIt begins:\n")
		s.WriteString(head)
	}
	if tail != "" {
		s.WriteString("\nIt ends:\n")
		s.WriteString(tail)
	}
	if b.Status == conversation.ResultError {
		if line := snippet.ErrorLine(b.Text); line != "" && !strings.Contains(head, line) && !strings.Contains(tail, line) {
			s.WriteString("\nIts last error line:\n")
			s.WriteString(snippet.First(line, errorLineChars))
		}
	}
	return s.String()
}

// maxImageStubs is how many images get a line of their own.
const maxImageStubs = 12

// imageStubs returns a line for each image that is not sent any more, each after a line break; "" without any. recall
// is the tool call that returns them.
func imageStubs(images []conversation.Image, recall string) string {
	var s strings.Builder
	for i, m := range images {
		if i == maxImageStubs {
			s.WriteString("\n[" + numbers.Count(len(images)-i, "more image") + ": " + recall + "]")
			break
		}
		s.WriteString("\n[" + m.What() + " " + m.Label() + ", ~" + strconv.Itoa(m.Tokens) + " tok: " + recall + " brings it back]")
	}
	return s.String()
}

// pointer returns the text that replaces a result that repeats an earlier one.
func pointer(b conversation.ToolResult, target uint64) string {
	return ToolName(b.Tool) + ": completed (" + StatusWord(b.Status) + "). The result is the same as that of e" +
		strconv.FormatUint(target, 10) + ", which stands above in full, and is shown once to save context. This is not an error"
}

// pointerChars returns the length of a pointer in code points, without the number.
func pointerChars(b conversation.ToolResult) int {
	return utf8.RuneCountInString(pointer(b, 0)) - len("0")
}

func StatusWord(s conversation.ResultStatus) string {
	switch s = cmp.Or(s, conversation.ResultOK); s {
	case conversation.ResultOK, conversation.ResultError, conversation.ResultInterrupted:
		return string(s)
	}
	return string(conversation.ResultError)
}

// capped returns a result cut to its ends; "" if the ends are the whole result.
func capped(b conversation.ToolResult, limits endLimits, recall string) string {
	chars := b.Size.Chars()
	if chars <= min(limits.head, chars)+min(limits.tail, chars) { // min avoids an overflow of the sum
		return ""
	}
	head, tail := bothEnds(b.Text, limits.head, limits.tail)
	left := chars - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return head + "\n[" + numbers.Grouped(left) + " of " + numbers.Grouped(chars) +
		" characters are not shown here, to save context. The whole text: recall " + recall + "]\n" + tail
}

// fits reports whether a text has at most first plus last code points.
func fits(text string, first, last int) bool {
	first, last = min(first, len(text)), min(last, len(text)) // avoids an overflow of the sum
	return len(text) <= first+last || utf8.RuneCountInString(text) <= first+last
}

// bothEnds returns the beginning and the end of a text, at most first and last code points long. Either may be up to
// half shorter, so that it is cut at a line break.
func bothEnds(text string, first, last int) (head, tail string) {
	head = snippet.First(text, first)
	if i := strings.LastIndexByte(head, '\n'); i >= len(head)/2 && i > 0 {
		head = head[:i]
	}
	rest := text[len(head):]
	tail = snippet.Last(rest, last)
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 && len(tail) < len(rest) {
		tail = tail[i+1:]
	}
	return strings.TrimRight(head, "\r\n"), strings.TrimRight(tail, "\r\n")
}

func lineCount(text string) int {
	if text == "" {
		return 0
	}
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func writeCount(b *strings.Builder, n int, noun string) {
	b.WriteString(numbers.Grouped(n))
	b.WriteByte(' ')
	b.WriteString(noun)
	if n != 1 {
		b.WriteByte('s')
	}
}

// callIDs assigns the ids of calls in one request: unique, and in the endpoint's format, and the same for the same view.
type callIDs struct {
	form  CallIDForm
	used  map[string]bool
	tried map[string]int // number of substitutes for an id: some servers give every call the same id
}

// MaxCallID is the longest call id and the longest tool name that OpenAI and Anthropic accept.
const MaxCallID = 64

func (c *callIDs) assign(id string) string {
	out := id
	for c.used[out] || !c.isValid(out) {
		out = shortID(id + "#" + strconv.Itoa(c.tried[id]))
		c.tried[id]++
	}
	c.used[out] = true
	return out
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

// isIDChar reports whether a character may stand in the names of tools, and in call ids except with Mistral.
func isIDChar(r rune) bool { return isAlphanumeric(r) || r == '_' || r == '-' }

func (c *callIDs) isValid(id string) bool {
	if c.form == CallIDMistral {
		return len(id) == 9 && strings.TrimFunc(id, isAlphanumeric) == ""
	}
	return id != "" && len(id) <= MaxCallID && strings.TrimFunc(id, isIDChar) == ""
}

// ToolName returns the name of a call in a form that every endpoint accepts: at most 64 of [A-Za-z0-9_-]. Models
// sometimes call tools that do not exist, such as multi_tool_use.parallel; servers refuse requests with such names.
func ToolName(name string) string {
	if name != "" && len(name) <= MaxCallID && strings.TrimFunc(name, isIDChar) == "" {
		return name
	}
	out := []byte(name[:min(len(name), MaxCallID)])
	for i, b := range out {
		if !isIDChar(rune(b)) {
			out[i] = '_'
		}
	}
	if len(out) == 0 {
		return "unnamed"
	}
	return string(out)
}

// shortID returns an id made from text: nine of [A-Za-z0-9], the only form that Mistral accepts.
func shortID(text string) string {
	const digits = "000000000"
	sum := sha256.Sum256([]byte(text))
	s := digits + new(big.Int).SetBytes(sum[:8]).Text(62)
	return s[len(s)-len(digits):]
}
