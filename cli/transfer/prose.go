package transfer

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Markdown of people and models inside a document of ours: nothing in it
// reaches beyond its end. What ends a fence, a quotation or HTML is the rule of
// CommonMark.

// fence is text in a fence that no line of it can end.
func fence(language, text string) string {
	marks := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks
}

// codeSpan is text on one line as code.
func codeSpan(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "(unnamed)"
	}
	run := longestRun(text, '`')
	if run == 0 {
		return "`" + text + "`"
	}
	marks := strings.Repeat("`", run+1)
	return marks + " " + text + " " + marks
}

// longestRun is the length of the longest run of a character in text.
func longestRun(text string, of byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// quote puts the mark of a quotation before every line.
func quote(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		lines[i] = ">"
		if l != "" {
			lines[i] = "> " + l
		}
	}
	return strings.Join(lines, "\n")
}

var special = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|~&]")
})

// escapeMarkdown is text that Markdown shows as it is.
func escapeMarkdown(text string) string { return special().ReplaceAllString(text, `\$0`) }

// prose is Markdown as it is, with its last fence ended; where it is not certain
// which fences are open it is a quotation, whose end ends whatever is.
func prose(text string) string {
	text, ok := disarmed(text)
	if !ok {
		return quote(text)
	}
	return text
}

// quoted is Markdown as a quotation.
func quoted(text string) string {
	text, _ = disarmed(text) // a quotation ends it anyway
	return quote(text)
}

// disarmed is Markdown in which HTML that goes on over blank lines, or that
// would end a fold of ours, is text; ok is whether all its fences end in it for
// certain.
func disarmed(text string) (_ string, ok bool) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	code, end, ok := fenced(lines)
	for i, l := range lines {
		if !ok || !code[i] {
			lines[i] = disarm(l)
		}
	}
	if end != "" {
		lines = append(lines, end)
	}
	return strings.Join(lines, "\n"), ok
}

// fenced tells which lines belong to fences, and the line that is missing to
// end the last one; ok is whether that is certain. Fences that are indented may
// stand in a list, whose end would end them: they count only where begin, end
// and what is between are indented alike.
func fenced(lines []string) (code []bool, end string, ok bool) {
	code = make([]bool, len(lines))
	open, deep := "", 0 // the marks of the fence that is open, and how far it is indented
	for i, l := range lines {
		marks, indent, rest := fenceMarks(l)
		code[i] = open != "" || marks != ""
		switch {
		case open == "" && marks != "":
			open, deep = marks, indent
		case open == "":
		case strings.HasPrefix(marks, open) && strings.TrimSpace(rest) == "":
			if indent != deep {
				return code, "", false
			}
			open = ""
		case strings.TrimSpace(l) != "" && len(l)-len(strings.TrimLeft(l, " ")) < deep:
			return code, "", false
		}
	}
	if open != "" && deep > 0 {
		return code, "", false
	}
	return code, open, true
}

// fenceMarks splits a line that may begin or end a fence into its marks, the
// spaces before and what follows; marks are "" on other lines.
func fenceMarks(line string) (marks string, indent int, rest string) {
	body := strings.TrimLeft(line, " ")
	indent = len(line) - len(body)
	if indent > 3 || body == "" || body[0] != '`' && body[0] != '~' {
		return "", 0, line
	}
	rest = strings.TrimLeft(body, body[:1])
	marks = body[:len(body)-len(rest)]
	if len(marks) < 3 || marks[0] == '`' && strings.Contains(rest, "`") {
		return "", 0, line
	}
	return marks, indent, rest
}

// HTML at the beginning of a line, also of one in a list or a quotation, and
// HTML that matters anywhere.
var (
	htmlBlock = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[\s>*+\-0-9.)]*<[A-Za-z/!?]`)
	})
	swallowing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)<(?:/?(?:details|summary|script|style|pre|textarea|template|iframe|title)\b|!)`)
	})
)

// disarm makes the HTML of a line text that would swallow what follows.
func disarm(line string) string {
	var places []int
	if at := htmlBlock().FindStringIndex(line); at != nil {
		places = append(places, at[1]-2) // at the <
	}
	for _, at := range swallowing().FindAllStringIndex(line, -1) {
		if (len(places) == 0 || places[0] != at[0]) && !inCode(line, at[0]) {
			places = append(places, at[0])
		}
	}
	for _, at := range slices.Backward(places) {
		if escapes := len(line[:at]) - len(strings.TrimRight(line[:at], `\`)); escapes%2 == 0 {
			line = line[:at] + `\` + line[at:]
		}
	}
	return line
}

// inCode reports whether a place in a line is inside a span of code: between
// two runs of backquotes of one length.
func inCode(line string, at int) bool {
	for i := 0; i < at; {
		if line[i] != '`' {
			i++
			continue
		}
		run := len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
		end := closing(line[i+run:], run)
		if end < 0 {
			i += run
			continue
		}
		if end += i + run; at < end {
			return true
		}
		i = end
	}
	return false
}

// closing is the place behind the first run of exactly so many backquotes, -1
// if there is none.
func closing(text string, run int) int {
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if i += n; n == run {
			return i
		}
	}
	return -1
}
