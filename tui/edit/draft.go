package edit

import (
	"slices"
	"strings"
)

// Draft is a text with its folded pastes from a buffer (open), or any other text, which may be too large to be laid
// out.
type Draft struct {
	open  bool
	text  string
	chips []chip
	made  int
}

// DraftOf returns a draft of a text that was not in a buffer.
func DraftOf(text string) Draft { return Draft{text: text} }

// Empty reports whether there is no text.
func (d Draft) Empty() bool { return d.text == "" }

// Text returns the draft's text with its pastes.
func (d Draft) Text() string {
	if !d.open {
		return d.text
	}
	return expand(d.text, d.chips)
}

// Folded reports whether there are folded pastes in the draft.
func (d Draft) Folded() bool { return d.open && len(d.chips) > 0 }

// Trimmed returns the draft without blank lines around its text and trailing blanks.
func (d Draft) Trimmed() Draft {
	d.text = Trim(d.text)
	return d
}

// Trim removes blank lines around a text and trailing blanks; the indentation of its first line stays.
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

// Draft returns the content of the buffer.
func (b *Buffer) Draft() Draft {
	return Draft{open: true, text: b.raw(), chips: slices.Clone(b.chips), made: b.made}
}

// Restore replaces the content by a draft, with the cursor at its end.
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

// InsertDraft inserts a draft with its folded pastes at the cursor.
func (b *Buffer) InsertDraft(d Draft) {
	if !d.open {
		b.Enter(d.text)
		return
	}
	eachChip(d.text, d.chips, func(i int) { b.fold(d.chips[i].text) }, b.Insert)
}

// Enter inserts a pasted text at the cursor, folded if it is large.
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
		return // more than 65,000 pastes in one text: no code point is left
	}
	b.made++
	c := newChip(b.made, text, b.estimate)
	b.chips = append(b.chips, c)
	b.Insert(string(rune(firstChip + len(b.chips) - 1)))
	b.size = b.size.Plus(c.size)
}
