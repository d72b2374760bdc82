package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// What of a rendered line of Markdown is no text: the bars of quotes. It is looked up only
// for lines that are selected.

// quoteBar stands before every line of a quote.
const quoteBar = '│'

// padding is how many cells at the beginning of a rendered line are no text.
func padding(lines []string, at int) int {
	_, cells := bars(ansi.Strip(lines[at]), depth(lines, at))
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
