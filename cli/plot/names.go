package plot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// spot is a cell with points in it.
type spot struct {
	x, y  int
	marks []mark

	name         string // beside it, empty if it has none there
	nameX, nameY int
	letter       string // stands for it in the key, empty if it has none
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	keyGap  = "   "
	// longName is the most cells that a name takes.
	longName = 24

	ours, oursOver     = "◆", "◇"
	fits, over         = "●", "○"
	beyond, beyondOver = "▶", "▷"
)

func (p *spot) emphasis() bool {
	return slices.ContainsFunc(p.marks, func(m mark) bool { return m.Emphasis })
}

// glyph is the sign of a spot: hollow if none of its points fits.
func (p *spot) glyph() string {
	full, hollow := fits, over
	switch {
	case p.emphasis():
		full, hollow = ours, oursOver
	case p.marks[0].beyond:
		full, hollow = beyond, beyondOver
	}
	if slices.ContainsFunc(p.marks, func(m mark) bool { return m.Overflow == 0 }) {
		return full
	}
	return hollow
}

// names are those of all points of a spot, with the sign of overflow where the
// spot does not show it.
func (p *spot) names() string {
	hollow := len(p.marks) > 1 || p.letter != "" && p.letter != p.glyph()
	var out []string
	for _, m := range p.marks {
		n := ansi.Truncate(m.label(), longName, "…")
		if hollow && m.Overflow > 0 {
			n += " " + over
		}
		out = append(out, n)
	}
	return strings.Join(out, ", ")
}

// name finds a place for the names of each spot, or gives it a letter. What
// matters most chooses first.
func (s *sketch) name() {
	taken := newCanvas(s.width, s.rows)
	for _, p := range s.spots {
		taken.put(p.x, p.y, p.glyph(), regular)
	}
	first := slices.Clone(s.spots)
	slices.SortStableFunc(first, func(a, b *spot) int {
		return cmp.Or(order(a.emphasis(), b.emphasis()), order(a.front(), b.front()), cmp.Compare(len(a.marks), len(b.marks)))
	})
	for _, p := range first {
		s.beside(p, taken)
	}
	s.giveLetters()
}

// giveLetters gives letters to spots without a name, in the order of cost. What
// is emphasised keeps its sign as long as no two need it.
func (s *sketch) giveLetters() {
	next, sign := 0, true
	for _, p := range s.spots {
		switch {
		case p.name != "":
		case sign && p.emphasis():
			p.letter, sign = p.glyph(), false
		case next < len(letters):
			p.letter = letters[next : next+1]
			next++
		}
	}
}

func (p *spot) front() bool {
	return slices.ContainsFunc(p.marks, func(m mark) bool { return m.Front })
}

// beside puts the names of a spot next to it, if there is room.
func (s *sketch) beside(p *spot, taken canvas) {
	text := p.names()
	w := ansi.StringWidth(text)
	if w > longName {
		return
	}
	type offer struct{ x, y int }
	for _, o := range []offer{
		{p.x + 2, p.y}, {p.x - 1 - w, p.y},
		{p.x - w/2, p.y - 1}, {p.x - w/2, p.y + 1}, {p.x, p.y - 1}, {p.x, p.y + 1}, {p.x - w + 1, p.y - 1}, {p.x - w + 1, p.y + 1},
	} {
		if s.freeFor(p, o.x, o.y, w, taken) {
			p.name, p.nameX, p.nameY = text, o.x, o.y
			taken.put(o.x, o.y, strings.Repeat("x", w), regular)
			return
		}
	}
}

// freeFor reports whether a name can stand there: nothing else touches it, and
// no other point is so near that the name could be its.
func (s *sketch) freeFor(p *spot, x, y, w int, taken canvas) bool {
	if x <= scaleCols || x+w > s.width || y < 0 || y >= s.rows {
		return false
	}
	for k := max(0, x-2); k < min(s.width, x+w+2); k++ {
		if taken[y][k].text != " " && (k != p.x || y != p.y) {
			return false
		}
	}
	if y == p.y {
		return true
	}
	return !slices.ContainsFunc(s.spots, func(o *spot) bool {
		return o != p && abs(o.y-y) <= 1 && o.x >= x-2 && o.x <= x+w+1
	})
}

func abs(n int) int { return max(n, -n) }

// keyLines are the names that stand below, what the signs mean, and what is not
// drawn, in lines.
func (s *sketch) keyLines() []string {
	var lines []string
	for _, it := range s.keyItems() {
		it = ansi.Truncate(it, s.width, "…")
		if n := len(lines); n > 0 && ansi.StringWidth(lines[n-1]+keyGap+it) <= s.width {
			lines[n-1] += keyGap + it
		} else {
			lines = append(lines, it)
		}
	}
	return lines
}

// keyItems lists what the key says, what matters most first.
func (s *sketch) keyItems() []string {
	var items []string
	hollow, past, bare := false, "", 0
	for _, p := range s.spots {
		switch item := p.letter + " " + p.names(); {
		case p.letter == "" && p.name == "":
			bare += len(p.marks)
		case p.letter != "" && p.emphasis():
			items = slices.Insert(items, 0, item)
		case p.letter != "":
			items = append(items, item)
		}
		for _, m := range p.marks {
			hollow = hollow || m.Overflow > 0
		}
		if p.marks[0].beyond {
			past = p.glyph()
		}
	}
	if bare > 0 {
		items = append(items, fmt.Sprintf("%d more without a name", bare))
	}
	if hollow {
		items = append(items, over+" some requests do not fit the window")
	}
	if past != "" {
		items = append(items, past+" beyond the scale")
	}
	if len(s.left) > 0 {
		items = append(items, "not drawn: "+strings.Join(s.left, ", "))
	}
	return items
}
