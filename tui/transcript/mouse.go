package transcript

// ScrollBy moves the view by lines, up if negative. Reaching the end follows
// it again.
func (m *Model) ScrollBy(lines int) {
	if len(m.items.entries) == 0 || m.scroll.height == 0 {
		return
	}
	m.selection.clear()
	m.scroll.by(lines)
	m.dirty = true
}

// PageBy moves by pages, keeping two lines in view.
func (m *Model) PageBy(pages int) { m.ScrollBy(pages * max(1, m.scroll.height-2)) }

// ToTop shows the beginning.
func (m *Model) ToTop() {
	m.scroll.toTop()
	m.selection.clear()
	m.dirty = true
}

// ToEnd shows the end and follows it.
func (m *Model) ToEnd() {
	m.scroll.follow, m.scroll.unseen = true, 0
	m.selection.clear()
	m.dirty = true
}

// Unseen is how many items came in below while the reader is further up.
func (m *Model) Unseen() int {
	m.scroll.settle()
	return m.scroll.unseen
}

// Following reports whether the end is kept in view.
func (m *Model) Following() bool {
	m.scroll.settle()
	return m.scroll.follow
}

// Needs is the number of lines of the whole transcript, or most if there are
// more.
func (m *Model) Needs(most int) int { return m.items.needs(most) }

// Press begins a selection at a cell of the transcript.
func (m *Model) Press(x, y int) {
	m.selection.press(x, y)
	m.dirty = true
}

// Drag extends the selection to a cell, which may be outside. It does nothing
// without a press.
func (m *Model) Drag(x, y int) {
	m.selection.drag(x, y)
	m.dirty = true
}

// Release ends a press, wherever the mouse is. A click without a drag unfolds
// or folds the call under it.
func (m *Model) Release() Released {
	s := m.selection
	if !s.pressed {
		return Released{}
	}
	rows := m.scroll.rows()
	s.release()
	m.dirty = true
	if s.on {
		return Released{Text: s.copied(rows)}
	}
	y, x := s.from.y, s.from.x
	s.clear()
	if y < 0 || y >= len(rows) {
		return Released{}
	}
	return m.click(rows[y], x)
}

// click is a click on a cell of a place: a call there unfolds or folds, and
// stays where it is. The line of an overlay, and what a recall is about, lead to
// the history.
func (m *Model) click(p place, x int) Released {
	line := p.offset - m.items.gap(p.top)
	if line < 0 {
		return Released{}
	}
	x -= m.items.begins(p.top, line)
	switch it := m.items.entries[p.top].item.(type) {
	case *toolItem:
		if line == 0 && x >= it.aboutAt[0] && x < it.aboutAt[1] {
			if seq := m.overlays.leads(it.call); seq != 0 {
				return Released{View: seq}
			}
		}
		it.toggle()
		m.scroll.follow = false // settle follows again if the end is still in view
	case *outputItem:
		it.toggle()
		m.scroll.follow = false
	case *epochItem:
		return it.released(x)
	}
	return Released{}
}

// Selecting reports whether text is marked.
func (m *Model) Selecting() bool { return m.selection.on }

// TakeSelection is the marked text, which is unmarked.
func (m *Model) TakeSelection() string {
	defer m.ClearSelection()
	return m.selection.copied(m.scroll.rows())
}

// ClearSelection unmarks text, and forgets a press whose release will not
// come.
func (m *Model) ClearSelection() {
	m.selection.clear()
	m.dirty = true
}
