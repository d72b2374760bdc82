package transcript

import "plimsoll/conversation"

// ScrollBy moves the view by lines, up if negative. At the end the view follows
// new text again.
func (m *Model) ScrollBy(lines int) {
	if len(m.items.entries) == 0 || m.scroll.height == 0 {
		return
	}
	m.selection.clear()
	m.scroll.moveBy(lines)
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
	m.selection.press(x, y)
	m.dirty = true
}

// Drag extends the selection to a cell, which may be outside the transcript. It
// does nothing without a press.
func (m *Model) Drag(x, y int) {
	m.selection.drag(x, y)
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
		if line == 0 && x >= it.aboutAt[0] && x < it.aboutAt[1] {
			if seq := m.overlays.recalled(it.call); seq != 0 {
				return Released{View: seq}
			}
		}
		if it.call.Name == conversation.ToolTask && (line > 0 && it.state == callRunning || line == 0 && x >= it.aboutAt[0] && x < it.aboutAt[1]) {
			return Released{Task: it.call.ID}
		}
		if it.folded(&m.items.options) != nil {
			it.run.open = true
			it.bump()
		} else {
			it.toggle()
		}
		m.scroll.follow = false // normalize follows again if the end is still in view
	case *outputItem:
		it.toggle()
		m.scroll.follow = false
	case *epochItem:
		return it.released(line, x)
	}
	return Released{}
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
