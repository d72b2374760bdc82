package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A second press in one place marks the word there, a third the line with all that the width broke it into; but not where
// each click does something.

// clicks counts presses in one place.
type clicks struct {
	n    int
	cell cell
	last time.Time
}

// clickTime is how soon a press follows another that it belongs to.
const clickTime = 400 * time.Millisecond

// press counts one more.
func (c *clicks) press(at cell, now time.Time) {
	if c.cell != at || now.Sub(c.last) > clickTime || c.n == 3 {
		c.n = 0
	}
	*c = clicks{c.n + 1, at, now}
}

// clicked marks what the presses so far ask for.
func (s *selection) clicked(rows []place) {
	switch s.scroll.items.entries[rows[s.from.y].top].item.(type) {
	case *toolItem, *outputItem, *epochItem, *requestsItem:
		return
	}
	switch s.clicks.n {
	case 2:
		if from, to := wordAt(ansi.Strip(s.scroll.items.text(rows[s.from.y])), s.from.x); from < to {
			s.from.x, s.to.x, s.on = from, to-1, true
		}
	case 3:
		w, first, last := wording{of: -1}, s.from.y, s.from.y
		for first > 0 && s.between(rows[first-1], rows[first], &w) != "\n" {
			first--
		}
		for last+1 < len(rows) && s.between(rows[last], rows[last+1], &w) != "\n" {
			last++
		}
		s.from, s.to, s.on = cell{0, first}, cell{s.scroll.items.width, last}, true
	}
}

// wordAt is the cells [from, to) of the word at a cell, none if there is none.
func wordAt(text string, at int) (from, to int) {
	for x := 0; text != "" && (x <= at || to == x); {
		cluster, cells := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text, x = text[len(cluster):], x+cells
		if inWord(cluster) {
			to = x
		} else if x <= at {
			from = x
		}
	}
	if at < from || at >= to {
		return 0, 0
	}
	return from, to
}

// inWord reports whether a character is of a word, as those of paths and addresses are.
func inWord(cluster string) bool {
	r, _ := utf8.DecodeRuneInString(cluster)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:~?&=%+#@", r)
}
