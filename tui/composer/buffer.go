package composer

import (
	"strings"

	"plimsoll/conversation"
)

// The text being written: logical lines, a cursor, the folded pastes. Every
// change touches one line or the lines it joins, and keeps the sizes by the
// difference. The cursor never rests inside an atom.

// line is a logical line with its layout for one width.
type line struct {
	text string
	size conversation.Size // without chips and the line end
	rows []row             // nil: to be laid out
}

type buffer struct {
	lines []line // never empty
	at    place
	goal  int // the column vertical moves aim for, -1 if there was another move

	width int // cells a row may fill; one more is left for the cursor

	chips    []chip            // by index; freed ones have no text
	made     int               // pastes folded since the draft was empty
	bytes    int               // of text on screen
	size     conversation.Size // with the pastes in full
	changes  int               // grows with every change of the text
	estimate func(conversation.Size) int
}

// place is a position between two atoms: a line and an offset in bytes.
type place struct{ line, col int }

func newBuffer() *buffer {
	return &buffer{lines: make([]line, 1), goal: -1, width: 1, estimate: coldEstimate}
}

func (b *buffer) empty() bool { return len(b.lines) == 1 && b.lines[0].text == "" }

func (b *buffer) current() string { return b.lines[b.at.line].text }

// reset empties the buffer.
func (b *buffer) reset() {
	b.lines = make([]line, 1)
	b.at, b.goal = place{}, -1
	b.chips, b.made, b.bytes = nil, 0, 0
	b.size = conversation.Size{}
	b.changes++
}

// setLine replaces the text of a line and keeps the sizes.
func (b *buffer) setLine(i int, text string) {
	l := &b.lines[i]
	b.bytes += len(text) - len(l.text)
	size := measure(text)
	b.size = b.size.Minus(l.size).Plus(size)
	*l = line{text: text, size: size}
	b.changes++
}

// measure is the size of a text without the characters that stand for chips.
func measure(text string) conversation.Size {
	size := conversation.Measure(text)
	size.Other -= strings.Count(text, "\xf4")
	return size
}

// insert puts a text at the cursor, which ends up behind it. It must be clean;
// chips in it must exist and be nowhere else.
func (b *buffer) insert(text string) {
	at := b.at
	head, tail := b.current()[:at.col], b.current()[at.col:]
	pieces := strings.Split(text, "\n")
	last := len(pieces) - 1
	if last == 0 {
		b.setLine(at.line, head+text+tail)
		b.moveTo(place{at.line, at.col + len(text)})
		return
	}
	fresh := make([]line, last)
	b.lines = append(b.lines[:at.line+1], append(fresh, b.lines[at.line+1:]...)...)
	b.setLine(at.line, head+pieces[0])
	for i := 1; i < last; i++ {
		b.setLine(at.line+i, pieces[i])
	}
	b.setLine(at.line+last, pieces[last]+tail)
	b.size.ASCII += last
	b.moveTo(place{at.line + last, len(pieces[last])})
}

// remove deletes what is between two places, in this order, and puts the
// cursor there. Folded pastes in between are forgotten.
func (b *buffer) remove(from, to place) {
	if from == to {
		return
	}
	b.forget(from, to)
	head, tail := b.lines[from.line].text[:from.col], b.lines[to.line].text[to.col:]
	for i := from.line + 1; i <= to.line; i++ {
		b.setLine(i, "")
	}
	b.size.ASCII -= to.line - from.line
	b.lines = append(b.lines[:from.line+1], b.lines[to.line+1:]...)
	b.setLine(from.line, head+tail)
	b.moveTo(from)
}

// forget frees the chips between two places.
func (b *buffer) forget(from, to place) {
	for i := from.line; i <= to.line; i++ {
		text := b.lines[i].text
		if i == to.line {
			text = text[:to.col]
		}
		if i == from.line {
			text = text[from.col:]
		}
		for at := strings.IndexByte(text, planeLead); at >= 0; {
			if c := chipIndex(text[at:]); c >= 0 && c < len(b.chips) {
				b.size = b.size.Minus(b.chips[c].size)
				b.chips[c] = chip{}
			}
			text = text[at+1:]
			at = strings.IndexByte(text, planeLead)
		}
	}
}

// fold inserts a text as a chip.
func (b *buffer) fold(text string) {
	if firstChip+len(b.chips) > lastChip {
		return // 65,000 pastes in one draft: there is no name left for another
	}
	b.made++
	c := newChip(b.made, text, b.estimate)
	b.chips = append(b.chips, c)
	b.insert(string(rune(firstChip + len(b.chips) - 1)))
	b.size = b.size.Plus(c.size)
}

// between is the text between two places, in this order, with one character for
// every chip.
func (b *buffer) between(from, to place) string {
	if from.line == to.line {
		return b.lines[from.line].text[from.col:to.col]
	}
	var s strings.Builder
	s.WriteString(b.lines[from.line].text[from.col:])
	for i := from.line + 1; i < to.line; i++ {
		s.WriteString("\n" + b.lines[i].text)
	}
	s.WriteString("\n" + b.lines[to.line].text[:to.col])
	return s.String()
}

// graft inserts a draft with its chips.
func (b *buffer) graft(d draft) {
	text := d.text
	for text != "" {
		at := strings.IndexByte(text, planeLead)
		if at < 0 {
			break
		}
		b.insert(text[:at])
		if i := chipIndex(text[at:]); i >= 0 && i < len(d.chips) {
			b.fold(d.chips[i].text)
		}
		text = text[min(len(text), at+chipLen):]
	}
	b.insert(text)
}

// moveTo puts the cursor at a place, or behind the atom the place is inside.
func (b *buffer) moveTo(p place) {
	b.goal = -1
	s := b.lines[p.line].text
	start := b.previous(s, p.col)
	for start < p.col {
		n, _ := b.atom(s[start:])
		start += n
	}
	b.at = place{p.line, start}
}

// raw is the text with one character for every chip.
func (b *buffer) raw() string {
	if len(b.lines) == 1 {
		return b.lines[0].text
	}
	var s strings.Builder
	s.Grow(b.bytes + len(b.lines))
	for i, l := range b.lines {
		if i > 0 {
			s.WriteByte('\n')
		}
		s.WriteString(l.text)
	}
	return s.String()
}

// full is the text with the pastes in place of their chips.
func (b *buffer) full() string { return expand(b.raw(), b.chips) }

// expand puts the pastes in place of their chips.
func expand(text string, chips []chip) string {
	if strings.IndexByte(text, planeLead) < 0 {
		return text
	}
	var s strings.Builder
	for text != "" {
		at := strings.IndexByte(text, planeLead)
		if at < 0 {
			break
		}
		s.WriteString(text[:at])
		if i := chipIndex(text[at:]); i >= 0 && i < len(chips) {
			s.WriteString(chips[i].text)
		}
		text = text[min(len(text), at+chipLen):]
	}
	return s.String() + text
}
