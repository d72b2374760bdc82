package edit

import (
	"slices"
	"strings"
)

// Draft is a text with its folded pastes, as it stood in a buffer (open), or a text from elsewhere: that one may be too
// large to be laid out.
type Draft struct {
	open  bool
	text  string
	chips []chip
	made  int
}

// DraftOf is a text from elsewhere.
func DraftOf(text string) Draft { return Draft{text: text} }

// Empty reports whether there is no text.
func (d Draft) Empty() bool { return d.text == "" }

// Text is the draft's text with its pastes.
func (d Draft) Text() string {
	if !d.open {
		return d.text
	}
	return expand(d.text, d.chips)
}

// Folded reports whether there are folded pastes in the draft.
func (d Draft) Folded() bool { return d.open && len(d.chips) > 0 }

// Trimmed is the draft without the blank lines around its text and the blanks behind it.
func (d Draft) Trimmed() Draft {
	d.text = Trim(d.text)
	return d
}

// Trim takes off the blank lines around a text and the blanks behind it; the indentation of its first line stays.
func Trim(text string) string {
	text = strings.TrimRight(text, " \t\n")
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return text
		}
		text = rest
	}
}

// Draft is what is in the buffer.
func (b *Buffer) Draft() Draft {
	return Draft{open: true, text: b.raw(), chips: slices.Clone(b.chips), made: b.made}
}

// Restore shows a draft, the cursor at its end.
func (b *Buffer) Restore(d Draft) {
	b.Reset()
	if !d.open {
		b.Enter(d.text)
		return
	}
	b.chips, b.made = slices.Clone(d.chips), d.made
	b.Insert(d.text)
	for _, c := range d.chips {
		b.size = b.size.Plus(c.size)
	}
}

// Graft inserts a draft with its folded pastes at the cursor.
func (b *Buffer) Graft(d Draft) {
	if !d.open {
		b.Enter(d.text)
		return
	}
	eachChip(d.text, d.chips, func(i int) { b.fold(d.chips[i].text) }, b.Insert)
}

// Enter inserts a text from outside at the cursor, folded if it is too large to be laid out.
func (b *Buffer) Enter(text string) {
	text = Clean(text)
	large := len(text) > foldBytes || b.bytes+len(text) > openBytes || strings.Count(text, "\n") >= foldLines
	switch {
	case text == "":
	case large && b.estimate != nil:
		b.fold(text)
	default:
		b.Insert(text)
	}
}

// fold inserts a text as a chip.
func (b *Buffer) fold(text string) {
	if firstChip+len(b.chips) > lastChip {
		return // 65,000 pastes in one text: there is no name left for another
	}
	b.made++
	c := newChip(b.made, text, b.estimate)
	b.chips = append(b.chips, c)
	b.Insert(string(rune(firstChip + len(b.chips) - 1)))
	b.size = b.size.Plus(c.size)
}
