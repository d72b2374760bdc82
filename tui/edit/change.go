package edit

import (
	"slices"
	"strings"

	"plimsoll/conversation"
)

// Reset empties the buffer.
func (b *Buffer) Reset() {
	b.lines = make([]line, 1)
	b.put(Position{}, -1)
	b.chips, b.made, b.bytes = nil, 0, 0
	b.size = conversation.Size{}
	b.changes++
}

// setLine replaces the text of a line and updates the sizes.
func (b *Buffer) setLine(i int, text string) {
	l := &b.lines[i]
	b.bytes += len(text) - len(l.text)
	size := conversation.Measure(text)
	size.Other -= strings.Count(text, "\xf4") // the first byte of each character that stands for a chip
	b.size = b.size.Minus(l.size).Plus(size)
	*l = line{text: text, size: size}
	b.changes++
}

// Insert inserts a text at the cursor, which moves after it. Chips in it must exist in the buffer and not be in the text yet.
func (b *Buffer) Insert(text string) {
	at := b.at
	head, tail := b.Current()[:at.Col], b.Current()[at.Col:]
	pieces := strings.Split(text, "\n")
	last := len(pieces) - 1
	if last == 0 {
		b.setLine(at.Line, head+text+tail)
		b.MoveTo(Position{at.Line, at.Col + len(text)})
		return
	}
	b.lines = slices.Insert(b.lines, at.Line+1, make([]line, last)...)
	b.setLine(at.Line, head+pieces[0])
	for i := 1; i < last; i++ {
		b.setLine(at.Line+i, pieces[i])
	}
	b.setLine(at.Line+last, pieces[last]+tail)
	b.size.ASCII += last
	b.MoveTo(Position{at.Line + last, len(pieces[last])})
}

// Remove deletes the text between two ordered positions with its chips, and moves the cursor there.
func (b *Buffer) Remove(from, to Position) {
	if from == to {
		return
	}
	eachChip(b.between(from, to), b.chips, func(i int) {
		b.size = b.size.Minus(b.chips[i].size)
		b.chips[i] = chip{}
	}, func(string) {})
	head, tail := b.lines[from.Line].text[:from.Col], b.lines[to.Line].text[to.Col:]
	for i := from.Line + 1; i <= to.Line; i++ {
		b.setLine(i, "")
	}
	b.size.ASCII -= to.Line - from.Line
	b.lines = append(b.lines[:from.Line+1], b.lines[to.Line+1:]...)
	b.setLine(from.Line, head+tail)
	b.MoveTo(from)
}

// MoveTo moves the cursor to a place, or after the atom that the place is inside.
func (b *Buffer) MoveTo(p Position) {
	s := b.lines[p.Line].text
	start := b.previous(s, p.Col)
	for start < p.Col {
		n, _ := b.atom(s[start:])
		start += n
	}
	b.put(Position{p.Line, start}, -1)
}
