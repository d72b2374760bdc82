package transcript

import "plimsoll/conversation"

// ScrollBy moves the view by lines, up if negative. At the end the view follows
// new text again.
func (m *Model) ScrollBy(lines int) {
	if len(m.items.entries) == 0 || m.scroll.height == 0 {
		return
	}
	m.selection.clear()
	s := m.scroll
	s.normalize()
	s.anchor = anchor{}
	if lines < 0 {
		s.up(-lines)
	} else {
		s.down(lines)
	}
	if s.follow = s.atEnd(); s.follow {
		s.unseen = 0
	}
	m.dirty = true
}

// PageBy moves the view by pages, which overlap by two lines.
func (m *Model) PageBy(pages int) { m.ScrollBy(pages * max(1, m.scroll.height-2)) }

// ToTop moves the view to the beginning.
func (m *Model) ToTop() {
	m.scroll.normalize()
	m.scroll.place, m.scroll.follow, m.scroll.anchor = place{}, false, anchor{}
	m.selection.clear()
	m.dirty = true
}

// ToEnd moves the view to the end, where it follows new text.
func (m *Model) ToEnd() {
	m.scroll.follow, m.scroll.unseen = true, 0
	m.selection.clear()
	m.dirty = true
}

// Unseen is how many items were added below the view since the user scrolled up.
func (m *Model) Unseen() int {
	m.scroll.normalize()
	return m.scroll.unseen
}

// Following reports whether the view follows new text at the end.
func (m *Model) Following() bool {
	m.scroll.normalize()
	return m.scroll.follow
}

// Shows reports whether the head of a compaction's card is in view; without an epoch, whether the end of the transcript is.
func (m *Model) Shows(epoch uint64) bool {
	for _, p := range m.scroll.rows() {
		if it, is := m.items.entries[p.entry].item.(*epochItem); is && it == m.overlays.lineOf[epoch] && p.offset == m.items.gap(p.entry) {
			return true
		}
	}
	return epoch == 0 && m.Following()
}

// CountLines returns the number of lines of the whole transcript, or limit if
// there are more.
func (m *Model) CountLines(limit int) int {
	n := 0
	for i := 0; i < len(m.items.entries) && n < limit; i++ {
		n += m.items.heightOf(i)
	}
	return min(n, limit)
}

// Press begins a selection at a cell of the transcript.
func (m *Model) Press(x, y int) {
	m.scroll.normalize()
	m.scroll.held = true
	at := cell{x, y}
	*m.selection = selection{scroll: m.scroll, pressed: true, from: at, to: at, at: m.scroll.place}
	m.dirty = true
}

// Drag extends the selection to a cell, which may be outside the transcript. It
// does nothing without a press.
func (m *Model) Drag(x, y int) {
	s := m.selection
	switch {
	case !s.pressed:
		return
	case y < 0:
		s.to = cell{0, 0}
	case y >= m.scroll.height:
		s.to = cell{m.items.width, m.scroll.height - 1}
	default:
		s.to = cell{max(x, 0), y}
	}
	s.active = s.active || s.from != s.to
	m.dirty = true
}

// Release ends a press, wherever the mouse is. After a drag it returns the
// selected text; otherwise it clicks the cell of the press.
func (m *Model) Release() Released {
	s := m.selection
	if !s.pressed {
		return Released{}
	}
	rows := m.scroll.rows()
	s.pressed, s.scroll.held = false, false
	m.dirty = true
	if s.active {
		return Released{Text: s.copiedText(rows)}
	}
	y, x := s.from.y, s.from.x
	s.clear()
	if y < 0 || y >= len(rows) {
		return Released{}
	}
	return m.click(rows[y], x)
}

// click handles a click on cell x of a line. It folds or unfolds a tool call without
// scrolling. The line of an overlay, and the subject of a recall, open the
// history; the subject and the live line of a task open the task.
func (m *Model) click(p place, x int) Released {
	line := p.offset - m.items.gap(p.entry)
	if line < 0 {
		return Released{}
	}
	x -= m.items.startColumn(p.entry)
	switch it := m.items.entries[p.entry].item.(type) {
	case *toolItem:
		onSubject := line == 0 && x >= it.subjectAt[0] && x < it.subjectAt[1]
		if seq := m.recalled(it.call); onSubject && seq != 0 {
			return Released{View: seq}
		}
		if it.call.Name == conversation.ToolTask && (line > 0 && it.state == callRunning || onSubject) {
			return Released{Task: it.call.ID}
		}
		if it.folded(&m.items.options) != nil {
			it.exploration.open = true
			it.bump()
		} else {
			it.toggle()
		}
		m.scroll.follow = false // normalize follows again if the end is still in view
	case *outputItem:
		it.toggle()
		m.scroll.follow = false
	case *epochItem:
		if line == it.undoLine && x >= it.undo[0] && x < it.undo[1] {
			return Released{Undo: it.state.undoes}
		}
		return Released{View: it.made.Epoch}
	}
	return Released{}
}

// recalled returns the first event that a call of the recall tool reads, or 0 for other calls.
func (m *Model) recalled(c conversation.ToolCall) uint64 {
	id, ok := conversation.ParseRecallID(subject(c, ""))
	switch {
	case c.Name != conversation.ToolRecall || !ok:
		return 0
	case !id.Turns:
		return id.First
	}
	for _, e := range m.items.entries {
		if _, user := e.item.(*userItem); user && uint64(e.turn) == id.First {
			return e.seq
		}
	}
	return 0
}

// Selecting reports whether text is selected.
func (m *Model) Selecting() bool { return m.selection.active }

// TakeSelection returns the selected text and clears the selection.
func (m *Model) TakeSelection() string {
	defer m.ClearSelection()
	return m.selection.copiedText(m.scroll.rows())
}

// ClearSelection clears the selection, and a press whose release will not
// arrive.
func (m *Model) ClearSelection() {
	m.selection.clear()
	m.dirty = true
}
