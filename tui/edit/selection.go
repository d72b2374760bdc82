package edit

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Text is selected between an anchor and the cursor. Every change and every move ends a selection, except those by Extend
// and Select.

// Selected returns the ordered ends of the selection; false without one.
func (e *Editor) Selected() (from, to Position, ok bool) {
	from, to = e.anchor, e.at
	if to.Before(from) {
		from, to = to, from
	}
	return from, to, e.anchored && from != to
}

// SelectedText returns the selected text with the pastes in place of their chips.
func (e *Editor) SelectedText() string {
	from, to, ok := e.Selected()
	if !ok {
		return ""
	}
	return expand(e.between(from, to), e.chips)
}

// Select selects the text between two places, with the cursor at to.
func (e *Editor) Select(from, to Position) {
	e.MoveTo(from)
	e.Extend(func() { e.MoveTo(to) })
}

// Deselect ends the selection without moving the cursor, and reports whether there was one.
func (e *Editor) Deselect() bool {
	_, _, ok := e.Selected()
	e.anchored = false
	return ok
}

// Extend calls move, which moves the cursor, and extends the selection to it or begins one.
func (e *Editor) Extend(move func()) {
	from := e.at
	if e.anchored {
		from = e.anchor
	}
	move()
	e.anchor, e.anchored = from, true
}

// RemoveSelected deletes the selected text.
func (e *Editor) RemoveSelected() {
	if from, to, ok := e.Selected(); ok {
		e.Remove(from, to)
	}
}

// WordAt returns the word at a place, or the blanks there: what a double click selects.
func (e *Editor) WordAt(p Position) (from, to Position) {
	s := e.lines[p.Line].text
	if p.Col == len(s) {
		p.Col = e.previous(s, p.Col)
	}
	if s == "" {
		return p, p
	}
	kind := kindAt(s, p.Col)
	n, _ := e.atom(s[p.Col:])
	start, end := p.Col, p.Col+n
	for kind != chipKind && start > 0 && kindAt(s, e.previous(s, start)) == kind {
		start = e.previous(s, start)
	}
	for kind != chipKind && end < len(s) && kindAt(s, end) == kind {
		n, _ = e.atom(s[end:])
		end += n
	}
	return Position{p.Line, start}, Position{p.Line, end}
}

// LineAt returns the line at a place with its line end: what a triple click selects.
func (e *Editor) LineAt(p Position) (from, to Position) {
	if p.Line < len(e.lines)-1 {
		return Position{p.Line, 0}, Position{p.Line + 1, 0}
	}
	return Position{p.Line, 0}, Position{p.Line, len(e.lines[p.Line].text)}
}

// SelectedIn returns the selected part of a row as offsets in the line, and whether the line end after it is selected.
// Without a selection, from equals to.
func (e *Editor) SelectedIn(line int, r Row) (from, to int, end bool) {
	start, stop, ok := e.Selected()
	if !ok || line < start.Line || line > stop.Line {
		return r.Start, r.Start, false
	}
	from, to = r.Start, r.End
	if line == start.Line {
		from = min(max(from, start.Col), r.End)
	}
	if line == stop.Line {
		to = max(from, min(to, stop.Col))
	}
	return from, to, line < stop.Line && r.End == len(e.lines[line].text)
}

// Before reports whether a position comes before another.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}

// SelectBy handles a key that moves the cursor, pressed with Shift, which extends the selection.
func (e *Editor) SelectBy(k tea.KeyPressMsg, keys Keys) bool {
	if !k.Mod.Contains(tea.ModShift) || k.Text != "" {
		return false
	}
	k.Mod &^= tea.ModShift
	to, ok := e.motion(k, keys)
	move := func() { e.MoveTo(to) }
	switch {
	case ok:
	case key.Matches(k, keys.Up):
		move = func() { e.byRows(-1) }
	case key.Matches(k, keys.Down):
		move = func() { e.byRows(1) }
	default:
		return false
	}
	e.Extend(move)
	e.NewStep()
	return true
}

// CutSelected deletes the selected text, which can then be yanked.
func (e *Editor) CutSelected() {
	if from, to, ok := e.Selected(); ok {
		e.cut(from, to, false)
	}
}

// CopySelected stores the selected text to be yanked, and ends the selection.
func (e *Editor) CopySelected() {
	e.killed, e.killedLines = e.SelectedText(), false
	e.Deselect()
}

// byRows moves the cursor by rows; beyond the first and last row to the ends of the text.
func (e *Editor) byRows(by int) {
	if !e.Vertical(by) {
		e.ToEnd(by)
	}
}

// ToEnd moves the cursor to the start of the text if by is negative, or else to its end. It reports whether the cursor moved.
func (e *Editor) ToEnd(by int) bool {
	to, from := e.end(), e.At()
	if by < 0 {
		to = Position{}
	}
	e.MoveTo(to)
	return to != from
}
