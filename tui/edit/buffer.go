package edit

import (
	"strings"

	"plimsoll/conversation"
)

// line is a logical line with its layout for one width.
type line struct {
	text string
	size conversation.Size // without chips and the line end
	rows []Row             // nil: not laid out yet
}

// Buffer is a text with a cursor: logical lines, and the pastes that are folded in them. The cursor is never inside an
// atom.
type Buffer struct {
	lines []line // never empty
	at    Position
	goal  int // the column that vertical moves aim for; -1 after another move

	anchored bool // text is selected from anchor to at
	anchor   Position

	width int // cells of a row for text; one more is for the cursor

	chips    []chip                      // by index; freed ones have no text
	made     int                         // pastes folded since the text was empty
	bytes    int                         // of text, with chips unexpanded
	size     conversation.Size           // with the pastes in full
	changes  int                         // number of changes of the text
	estimate func(conversation.Size) int // tokens of a folded paste; nil: pastes are not folded
}

// Position is a position between two atoms: a line and an offset in bytes.
type Position struct{ Line, Col int }

// NewBuffer returns an empty text. estimate returns the tokens of a folded paste; if it is nil, pastes are not folded.
func NewBuffer(estimate func(conversation.Size) int) *Buffer {
	return &Buffer{lines: make([]line, 1), goal: -1, width: 1, estimate: estimate}
}

// Empty reports whether there is no text.
func (b *Buffer) Empty() bool { return len(b.lines) == 1 && b.lines[0].text == "" }

// Lines is the number of logical lines, at least one.
func (b *Buffer) Lines() int { return len(b.lines) }

// Line returns a logical line, with one character for every chip.
func (b *Buffer) Line(i int) string { return b.lines[i].text }

// Current returns the line with the cursor.
func (b *Buffer) Current() string { return b.lines[b.at.Line].text }

// At returns the position of the cursor.
func (b *Buffer) At() Position { return b.at }

// put moves the cursor to a position between two atoms; goal is the column that vertical moves aim for.
func (b *Buffer) put(at Position, goal int) { b.at, b.goal, b.anchored = at, goal, false }

// Size is the size of the text, with the full text of pastes.
func (b *Buffer) Size() conversation.Size { return b.size }

// Changes is the number of changes of the text so far.
func (b *Buffer) Changes() int { return b.changes }

// between returns the text between two ordered positions, with one character for every chip.
func (b *Buffer) between(from, to Position) string {
	if from.Line == to.Line {
		return b.lines[from.Line].text[from.Col:to.Col]
	}
	var s strings.Builder
	s.WriteString(b.lines[from.Line].text[from.Col:])
	for _, l := range b.lines[from.Line+1 : to.Line] {
		s.WriteByte('\n')
		s.WriteString(l.text)
	}
	s.WriteByte('\n')
	s.WriteString(b.lines[to.Line].text[:to.Col])
	return s.String()
}

// raw returns the text with one character for every chip.
func (b *Buffer) raw() string { return b.between(Position{}, b.end()) }

// Text returns the text with the pastes in place of their chips.
func (b *Buffer) Text() string { return expand(b.raw(), b.chips) }

// Row is a piece of a line: offsets in bytes.
type Row struct{ Start, End int }
