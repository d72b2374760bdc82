package demo

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact/summary"
	"plimsoll/conversation/numbers"
)

// The story is long, genuine Markdown of as many tokens as asked for, so that
// the gauge visibly moves. It begins at another chapter each time in a
// conversation. When all chapters have been told they come round again, each with
// an example of other numbers.

const storyMost = 60_000 // tokens

// teller writes a story of so many tokens at most.
type teller struct {
	strings.Builder
	left int // tokens
}

// add writes a paragraph if it fits.
func (b *teller) add(p string) bool {
	size := countTokens(p) + 1 // with the blank line behind it
	if size > b.left {
		return false
	}
	b.left -= size
	b.WriteString(p + "\n\n")
	return true
}

// tell writes a story of nearly n tokens, from the chapter first on.
func tell(n, first int) string {
	b := teller{left: min(n, storyMost)}
	b.add("# On windows, caches and load lines")
	at := first
	for ; b.left > 0; at++ {
		c := chapters[at%len(chapters)]
		title, more := "## "+c.title, c.body[1:]
		if round := (at - first) / len(chapters); round > 0 {
			title += fmt.Sprintf(" (round %d, with an example)", round+1)
			more = append(slices.Clone(more), example(at))
		}
		if !b.add(title + "\n\n" + c.body[0]) {
			break
		}
		for _, p := range more {
			b.add(p)
		}
	}
	prose, _, _ := strings.Cut(chapters[at%len(chapters)].body[0], "```") // of the one that does not fit; half a block of code never ends
	for _, s := range summary.Sentences(prose) {
		if !b.add(s) {
			break
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// example works something out with numbers that depend on n.
func example(n int) string {
	steps, first, growth := 10+7*n%40, (2+n%6)*1000, 300+100*(n%13)
	total := steps*first + growth*steps*(steps-1)/2
	return fmt.Sprintf("**An example.** A turn of %d steps begins with a prompt of %s tokens and grows by %s with each step. The last request has %s tokens, yet %s were read in all: %d times the first.",
		steps, numbers.Grouped(first), numbers.Grouped(growth), numbers.Grouped(first+growth*(steps-1)), numbers.Grouped(total), total/first)
}

const openingRoom = 30 // tokens for the introduction
