package edit

import "strings"

// What vi's keys do to a text, beside what the other keys do.

// NextWord returns where the next word begins; big words lie between blanks.
func (b *Buffer) NextWord(p Position, big bool) Position {
	for k := b.kindOf(p, big); k != blankKind && b.kindOf(p, big) == k; {
		p = b.after(p)
		if k == chipKind {
			break
		}
	}
	return b.skip(p, b.after)
}

// WordEnd returns the last character of the word after p, EndOfWord of the one at p, WordBefore the first of the one before.
func (b *Buffer) WordEnd(p Position, big bool) Position {
	return b.edge(b.skip(b.after(p), b.after), b.after, big)
}
func (b *Buffer) EndOfWord(p Position, big bool) Position { return b.edge(p, b.after, big) }
func (b *Buffer) WordBefore(p Position, big bool) Position {
	return b.edge(b.skip(b.before(p), b.before), b.before, big)
}

func (b *Buffer) edge(p Position, step func(Position) Position, big bool) Position {
	for k := b.kindOf(p, big); k != chipKind && step(p) != p && b.kindOf(step(p), big) == k; {
		p = step(p)
	}
	return p
}

// FirstLetter returns the first character of a line that is no blank.
func (b *Buffer) FirstLetter(line int) Position {
	s := b.lines[line].text
	return Position{line, len(s) - len(strings.TrimLeft(s, " \t"))}
}

func (b *Buffer) skip(p Position, step func(Position) Position) Position {
	for b.kindOf(p, false) == blankKind && step(p) != p {
		p = step(p)
	}
	return p
}

// kindOf is the kind of the character at p; a line's end is blank.
func (b *Buffer) kindOf(p Position, big bool) kind {
	s := b.lines[p.Line].text
	if p.Col >= len(s) {
		return blankKind
	}
	if k := kindAt(s, p.Col); !big || k != markKind {
		return k
	}
	return letterKind
}

// after is the character after p, before the one before; they stay at the ends of the text.
func (b *Buffer) after(p Position) Position {
	return (&Buffer{lines: b.lines, chips: b.chips, width: b.width, at: p}).Right()
}
func (b *Buffer) before(p Position) Position {
	return (&Buffer{lines: b.lines, chips: b.chips, width: b.width, at: p}).Left()
}

// IsChip reports whether a folded paste is at p.
func (b *Buffer) IsChip(p Position) bool { return b.kindOf(p, false) == chipKind }

// LeftOf returns the character before p in its line, or p.
func (b *Buffer) LeftOf(p Position) Position {
	return Position{p.Line, b.previous(b.lines[p.Line].text, p.Col)}
}

// Take copies the text between two places for [Editor.Put], or the whole lines of both, and removes it if cut. What was taken
// before stays where there is nothing between them.
func (e *Editor) Take(from, to Position, lines, cut bool) {
	if from == to && !lines {
		return
	}
	if lines {
		from, to = Position{from.Line, 0}, Position{to.Line, len(e.lines[to.Line].text)}
	}
	e.killed, e.killedLines = expand(e.between(from, to), e.chips), lines
	if lines {
		switch {
		case to.Line < len(e.lines)-1:
			to = Position{to.Line + 1, 0}
		case from.Line > 0:
			from = Position{from.Line - 1, len(e.lines[from.Line-1].text)}
		}
	}
	if cut {
		e.Remove(from, to)
	}
}

// Put inserts what was taken or cut last: whole lines below or above the cursor's, else after or before the cursor.
func (e *Editor) Put(after bool) {
	at := e.At()
	text := e.killed
	switch {
	case !e.killedLines && text == "":
	case !e.killedLines:
		if after && at.Col < len(e.Current()) {
			e.MoveTo(e.Right())
		}
		e.Enter(text)
		e.MoveTo(e.Left())
	case after:
		e.MoveTo(e.lineEnd())
		e.Insert("\n")
		e.Enter(text)
		e.MoveTo(e.FirstLetter(at.Line + 1))
	default:
		e.MoveTo(e.lineStart())
		e.Enter(text)
		e.Insert("\n")
		e.MoveTo(e.FirstLetter(at.Line))
	}
}
