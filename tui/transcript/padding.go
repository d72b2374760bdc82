package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// What of a rendered line of Markdown is no text: the bars of quotes, and the cells
// that set code off. It is looked up only for lines that are selected.

const (
	quoteBar = '│'
	codePad  = "  " // before the lines of a code block
	codeMark = "↳ " // before those that a long line of code goes on in
)

// padding is how many cells at the beginning of a rendered line are no text.
func padding(lines []string, at int, source string) int {
	line := ansi.Strip(lines[at])
	bytes, cells := bars(line, depth(lines, at))
	line = strings.TrimRight(line[bytes:], " ")
	code, ok := strings.CutPrefix(line, codePad)
	if ok && code != "" && verbatim(source, code) {
		return cells + len(codePad)
	}
	inner := strings.TrimLeft(line, " ") // in lists code is indented further
	if code, ok := strings.CutPrefix(inner, codeMark); ok && strings.Contains(source, code) {
		return cells + len(line) - len(inner) + len(codePad)
	}
	return cells
}

// bars is the bytes and the cells of up to so many bars at the beginning of a line, each
// with the blank behind it and, in lists, those before it.
func bars(line string, most int) (bytes, cells int) {
	blanks := 0
	for i, c := range line {
		switch {
		case c == quoteBar && most > 0:
			most--
			cells += blanks + 1
			bytes, blanks = i+len(string(c)), 0
		case c == ' ':
			blanks++
		default:
			return behind(line, bytes, cells)
		}
	}
	return behind(line, bytes, cells)
}

// behind is so many bytes and cells with the blank behind them.
func behind(line string, bytes, cells int) (int, int) {
	if bytes > 0 && strings.HasPrefix(line[bytes:], " ") {
		return bytes + 1, cells + 1
	}
	return bytes, cells
}

// depth is how many bars a line may begin with: in a table, whose cells are parted by
// bars too, as many as stand before its rule.
func depth(lines []string, at int) int {
	const crossing = "┼"
	if !strings.ContainsRune(lines[at], quoteBar) {
		return 0
	}
	part := func(i int) bool { return i >= 0 && i < len(lines) && strings.Trim(ansi.Strip(lines[i]), " │") != "" }
	first := at
	for part(first - 1) {
		first--
	}
	for i := first; part(i); i++ {
		if line := ansi.Strip(lines[i]); strings.Contains(line, crossing) {
			return strings.Count(line[:strings.IndexAny(line, "─┼")], string(quoteBar))
		}
	}
	return len(lines[at])
}

// verbatim reports whether a line of the source, in a quote or not, begins with a text.
func verbatim(source, text string) bool {
	for rest := source; ; {
		i := strings.Index(rest, text)
		if i < 0 {
			return false
		}
		before := rest[:i]
		before = before[strings.LastIndexByte(before, '\n')+1:]
		if strings.Trim(before, ">") == "" || strings.HasPrefix(before, ">") && strings.Trim(before, "> ") == "" && strings.HasSuffix(before, "> ") {
			return true
		}
		rest = rest[i+len(text):]
	}
}
