package history

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Texts that name turns and events lead to them. Behind each place that is named
// first stands a number, ‹1› to ‹9›, and its key goes there. Only what is in the log
// gets one.

// maxLinks is how many links of a row have a key.
const maxLinks = 9

// named finds turns and events in a text: turn 12, turns 3–7, t12, e41.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:turns?\s+(\d{1,18})(?:\s*(?:[–-]|to)\s*\d+)?|t(\d{1,18})(?:-t?\d+)?|e(\d{1,18})(?:-e?\d+)?)\b`)
})

// numbering gives links their numbers.
type numbering struct {
	book *book
	list []target
}

// of is the number of a target, 0 for none. New says that it is named for the first
// time.
func (n *numbering) of(t target) (number int, isNew bool) {
	for i, known := range n.list {
		if known == t {
			return i + 1, false
		}
	}
	if len(n.list) == maxLinks || !n.book.holds(t) {
		return 0, false
	}
	n.list = append(n.list, t)
	return len(n.list), true
}

// mark puts the numbers of links into a text.
func (n *numbering) mark(text string) string {
	var b strings.Builder
	at := 0
	for _, p := range named().FindAllStringSubmatchIndex(text, -1) {
		t, ok := targetAt(text, p)
		if !ok {
			continue
		}
		if i, isNew := n.of(t); isNew {
			b.WriteString(text[at:p[1]] + numeral(i))
			at = p[1]
		}
	}
	return b.String() + text[at:]
}

// targetAt is the target of a match of named.
func targetAt(text string, p []int) (target, bool) {
	for group := 1; group <= 3; group++ {
		if from, to := p[2*group], p[2*group+1]; from >= 0 {
			v, err := strconv.ParseUint(text[from:to], 10, 63)
			return target{turn: group < 3, n: v}, err == nil
		}
	}
	return target{}, false
}

// numeral is the number of a link as it stands in a text.
func numeral(i int) string { return "‹" + strconv.Itoa(i) + "›" }

// maxTurns is how many of the turns that a summary covers are listed.
const maxTurns = 40

// summary is the text of a summary; unfolded with its links behind those that are
// known, and with the turns that it stands for.
func (d *drawer) summary(text string, events []uint64, known []target, open bool, width int) ([]line, []target) {
	if !open {
		return d.prose(gist(text), false, foldLines, width), known
	}
	n := numbering{book: d.book, list: known}
	preface := text[:len(text)-len(gist(text))]
	out := d.prose(plain.Text(preface)+n.mark(plain.Text(text[len(preface):])), true, 0, width)
	for i := range out {
		out[i].links = true
	}
	turns := d.book.turnsOf(events)
	if len(turns) == 0 {
		return out, n.list
	}
	out = append(out, line{}, line{text: "It replaces:", style: d.styles.Pane.Muted})
	for i, turn := range turns {
		if i == maxTurns {
			out = append(out, line{text: "… " + numbers.Count(len(turns)-i, "more turn"), style: d.styles.Pane.Muted})
			break
		}
		mark := ""
		if number, isNew := n.of(target{turn: true, n: uint64(turn)}); isNew {
			mark = numeral(number)
		}
		about := "turn " + strconv.Itoa(turn) + mark + "  " + d.book.opening(turn)
		out = append(out, line{text: pane.Clip(about, width), style: d.styles.Sent, links: true})
	}
	return out, n.list
}

// gist is a summary from its first heading on, where one paragraph stands before it:
// that one is the same in all.
func gist(text string) string {
	const heading = "\n\n## "
	if i := strings.IndexByte(text, '\n'); i >= 0 && strings.HasPrefix(text[i:], heading) {
		return text[i+len(heading):]
	}
	return text
}

// linked is a text with links, in lines.
func (d *drawer) linked(text string, width int) []line {
	out := d.spread(text, d.styles.Sent, width)
	for i := range out {
		out[i].links = true
	}
	return out
}

// turnsOf lists the turns of events, ascending, each once.
func (b *book) turnsOf(events []uint64) []int {
	var turns []int
	for _, seq := range events {
		if i := b.index(seq); i >= 0 {
			if turn := b.Log[i].Turn; len(turns) == 0 || turns[len(turns)-1] != turn {
				turns = append(turns, turn)
			}
		}
	}
	return turns
}

// opening is how a turn begins, on one line.
func (b *book) opening(turn int) string {
	i := b.turn(turn)
	if i < 0 {
		return ""
	}
	u, _ := b.Log[b.rows[i].Event].Body.(conversation.UserMessage) // a turn that lost its message has no words
	return plain.Line(head(strings.TrimLeftFunc(u.Text, unicode.IsSpace), maxSubject))
}
