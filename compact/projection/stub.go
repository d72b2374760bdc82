package projection

import (
	"crypto/sha256"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// The words that stand where something is hidden. They are part of requests and
// therefore frozen: a change of wording is a new version, and logs keep theirs.
//
//   - A stub says which tool it was, that the call completed and how, how large
//     the result was, that this is no error, and the id that recall takes. Words
//     such as missing, omitted or failed make models search for what went wrong.
//   - Placeholder text never stands in arguments, because models imitate it in
//     calls of their own: stripped arguments are {}.
//   - The texts of the other presets are exactly those of their sources.

// StubVersion is the version of the stub's grammar that new masks have.
const StubVersion = 1

const (
	EmptyArguments = "{}"
	// StubChars is about how long a stub is without its preview, in code points.
	StubChars = 192
	// errorLineChars is how much of the last error line a stub shows.
	errorLineChars = 300
)

// stub is what stands in place of a result; "" if nothing shorter can. Recall is
// what brings the original back.
func stub(b conversation.ToolResult, how *masking, recall string) string {
	if how.words.Stub != nil {
		return how.words.Stub(b, ToolName(b.Tool))
	}
	if how.preview > 0 && b.Size.Chars() <= 2*how.preview {
		return "" // the preview alone would be all of it
	}
	return plimsollStub(b, how.preview, recall)
}

func plimsollStub(b conversation.ToolResult, preview int, recall string) string {
	name := ToolName(b.Tool)
	head, tail := bothEnds(b.Text, preview, preview)
	if b.Total > 0 { // what was kept ends in the middle, and with a marker
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

// pointer is what stands in place of a result that repeats an earlier one.
func pointer(b conversation.ToolResult, target uint64) string {
	return ToolName(b.Tool) + ": completed (" + StatusWord(b.Status) + "). The result is the same as that of e" + strconv.FormatUint(target, 10) +
		", which stands above in full, and is shown once to save context. This is not an error"
}

// pointerChars is how long a pointer is in code points, without the number.
func pointerChars(b conversation.ToolResult) int {
	return utf8.RuneCountInString(pointer(b, 0)) - len("0")
}

func StatusWord(s conversation.ResultStatus) string {
	switch s {
	case conversation.ResultOK, conversation.ResultError, conversation.ResultInterrupted:
		return string(s)
	case "":
		return string(conversation.ResultOK)
	}
	return string(conversation.ResultError)
}

// capped is a result of which only the ends are shown; "" if they are all of it.
func capped(b conversation.ToolResult, c cut, recall string) string {
	chars := b.Size.Chars()
	if first, last := min(c.head, chars), min(c.tail, chars); chars <= first+last { // they may be any number
		return ""
	}
	head, tail := bothEnds(b.Text, c.head, c.tail)
	left := chars - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return head + "\n[" + numbers.Grouped(left) + " of " + numbers.Grouped(chars) + " characters are not shown here, to save context. The whole text: recall " +
		recall + "]\n" + tail
}

// fits reports whether a text is no longer than so many code points at each
// end show.
func fits(text string, first, last int) bool {
	first, last = min(first, len(text)), min(last, len(text)) // they may be any number
	return len(text) <= first+last || utf8.RuneCountInString(text) <= first+last
}

// ends is bothEnds, but nothing of a text that is no longer than they are
// together.
func ends(text string, first, last int) (head, tail string) {
	if fits(text, first, last) {
		return "", ""
	}
	return bothEnds(text, first, last)
}

// bothEnds is the beginning and the end of a text, each at most so many code
// points, and up to half as many fewer where a line ends there.
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

// callIDs gives calls the ids they have in one request: unique, and of the
// form the endpoint takes. The same view always gives the same ids.
type callIDs struct {
	form  CallIDForm
	used  map[string]bool
	tried map[string]int // substitutes made for an id: servers exist that give every call the same one
}

func newCallIDs(form CallIDForm) *callIDs {
	return &callIDs{form: form, used: map[string]bool{}, tried: map[string]int{}}
}

// MaxCallID is the longest id, and name of a tool, OpenAI and Anthropic take.
const MaxCallID = 64

func (c *callIDs) next(id string) string {
	out := id
	for c.used[out] || !c.valid(out) {
		out = shortID(id + "#" + strconv.Itoa(c.tried[id]))
		c.tried[id]++
	}
	c.used[out] = true
	return out
}

func (c *callIDs) valid(id string) bool {
	if c.form == CallIDMistral {
		return len(id) == 9 && onlyIDChars(id, false)
	}
	return id != "" && len(id) <= MaxCallID && onlyIDChars(id, true)
}

func onlyIDChars(id string, punct bool) bool {
	for i := range len(id) {
		if !idChar(id[i], punct) {
			return false
		}
	}
	return true
}

func idChar(b byte, punct bool) bool {
	switch {
	case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9':
		return true
	}
	return punct && (b == '_' || b == '-')
}

// ToolName is the name of a call as every endpoint takes it: at most 64 of
// [A-Za-z0-9_-]. Models call tools that do not exist by names such as
// multi_tool_use.parallel, and a request whose history holds one is refused.
func ToolName(name string) string {
	if name != "" && len(name) <= MaxCallID && onlyIDChars(name, true) {
		return name
	}
	out := []byte(name[:min(len(name), MaxCallID)])
	for i, b := range out {
		if !idChar(b, true) {
			out[i] = '_'
		}
	}
	if len(out) == 0 {
		return "unnamed"
	}
	return string(out)
}

// shortID is nine base-62 characters made from text: a form every endpoint
// takes (Mistral: exactly 9 of [A-Za-z0-9]).
func shortID(text string) string {
	const digits = "000000000"
	sum := sha256.Sum256([]byte(text))
	s := digits + new(big.Int).SetBytes(sum[:8]).Text(62)
	return s[len(s)-len(digits):]
}
