package compact

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
)

// The words that stand where something is hidden. They are part of requests and
// therefore frozen: a change of wording is a new version, and logs keep theirs.
//
//   - A stub says which tool it was, that the call completed and how, how large
//     the result was, that this is no error, and the id that recall takes. Words
//     such as missing, omitted or failed make models search for what went wrong.
//   - Placeholder text never stands in arguments, because models imitate it in
//     calls of their own: stripped arguments are {}.
//   - The texts of the other presets are those of their seeds, to the letter.

// StubVersion is the version of the stub's grammar that new masks have.
const StubVersion = 1

const (
	emptyArguments = "{}"
	// errorLineChars is how much of the last error line a stub shows.
	errorLineChars = 300
)

// stub is what stands in place of a result.
func stub(m *Message, how *masking, about resultFacts) string {
	switch how.style {
	case conversation.StyleJP:
		if about.status == conversation.ResultOK {
			return "[compacted] " + m.Tool + ": success"
		}
		return "[compacted] " + m.Tool + ": error"
	case conversation.StyleJCLI:
		return "[Previous: used " + m.Tool + "]"
	case conversation.StyleAdachsoft:
		return adachsoftResult(m.Tool, m.CallID)
	}
	return plimsollStub(m, how, about)
}

// resultFacts is what a stub says about a result besides its text.
type resultFacts struct {
	recall string // what recall brings the original back by
	status conversation.ResultStatus
	total  int // code points before the cut on arrival, 0 if it was not cut
}

func plimsollStub(m *Message, how *masking, about resultFacts) string {
	var b strings.Builder
	b.Grow(2*how.preview + 256)
	b.WriteString(m.Tool)
	b.WriteString(": completed earlier (")
	b.WriteString(statusWord(about.status))
	b.WriteString("), ")
	if about.total > 0 {
		b.WriteString(number(about.total))
	} else {
		b.WriteString(number(lineCount(m.Text)))
		b.WriteString(" lines, ")
		b.WriteString(number(m.Size.Chars()))
	}
	b.WriteString(" characters. Shortened to save context, which is not an error. The whole text: recall ")
	b.WriteString(about.recall)
	head, tail := ends(m.Text, how.preview, how.preview)
	if head != "" {
		b.WriteString("\nIt begins:\n")
		b.WriteString(head)
	}
	if tail != "" {
		b.WriteString("\nIt ends:\n")
		b.WriteString(tail)
	}
	if about.status == conversation.ResultError {
		if line := lastErrorLine(m.Text); line != "" && !strings.Contains(head, line) && !strings.Contains(tail, line) {
			b.WriteString("\nIts last error line:\n")
			b.WriteString(firstChars(line, errorLineChars))
		}
	}
	return b.String()
}

// pointer is what stands in place of a result that repeats an earlier one.
func pointer(m *Message, target uint64) string {
	return m.Tool + ": completed (ok). The result is the same as that of e" + strconv.FormatUint(target, 10) +
		", which stands above in full, and is shown once to save context. This is not an error"
}

func statusWord(s conversation.ResultStatus) string {
	switch s {
	case conversation.ResultOK, conversation.ResultError, conversation.ResultInterrupted:
		return string(s)
	case "":
		return string(conversation.ResultOK)
	}
	return string(conversation.ResultError)
}

// capped is a text of which only the ends are shown.
func capped(text string, chars int, c cut, seq uint64) string {
	head, tail := ends(text, c.head, c.tail)
	left := chars - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return head + "\n[" + number(max(left, 0)) + " of " + number(chars) + " characters are not shown here, to save context. The whole text: recall e" +
		strconv.FormatUint(seq, 10) + "]\n" + tail
}

// ends is the beginning and the end of a text, each at most so many code
// points and cut at a line where one ends within reach; both are "" if the text
// is no longer than they are together.
func ends(text string, first, last int) (head, tail string) {
	if len(text) <= first+last && utf8.RuneCountInString(text) <= first+last {
		return "", ""
	}
	head = firstChars(text, first)
	if i := strings.LastIndexByte(head, '\n'); i > 0 && len(head) < len(text) {
		head = head[:i]
	}
	rest := text[len(head):]
	tail = lastChars(rest, last)
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)-1 && len(tail) < len(rest) {
		tail = tail[i+1:]
	}
	return head, strings.TrimRight(tail, "\n")
}

// firstChars is the first n code points of text.
func firstChars(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// lastChars is the last n code points of text.
func lastChars(text string, n int) string {
	if len(text) <= n {
		return text
	}
	i := len(text)
	for ; n > 0 && i > 0; n-- {
		_, w := utf8.DecodeLastRuneInString(text[:i])
		i -= w
	}
	return text[i:]
}

// lineCount is the number of lines of a text.
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

// lastErrorLine is the last line that names an error, else the last line with
// something in it.
func lastErrorLine(text string) string {
	last := ""
	for end := len(text); end > 0; {
		begin := strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.TrimSpace(text[begin:end])
		if last == "" {
			last = line
		}
		if namesError(line) {
			return line
		}
		end = begin - 1
	}
	return last
}

func namesError(line string) bool {
	for _, word := range [...]string{"error", "Error", "ERROR", "panic", "fatal", "FAIL", "exception", "Exception"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// number is a count with its thousands apart: 81,114.
func number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
