package transcript

// Positions are an entry and a line of it, never a sum of heights: entries off
// screen have not been measured. Every move starts from the visible lines.

// linesOf draws entry i, or returns what it was drawn as.
func (m *Model) linesOf(i int) []string {
	e := &m.entries[i]
	key := drawKey{m.width, e.item.version(), m.look.generation, m.look.expanded}
	if e.lines != nil && e.key == key {
		return e.lines
	}
	if e.lines == nil {
		m.keep(i)
	}
	lines := e.item.draw(&m.look, m.width)
	if m.gap(i) {
		lines = append([]string{""}, lines...)
	}
	e.lines, e.key = lines, key
	return lines
}

// keep remembers that entry i holds lines, and drops those drawn longest ago.
func (m *Model) keep(i int) {
	m.rendered = append(m.rendered, i)
	for len(m.rendered) > maxRendered {
		old := m.rendered[0]
		m.rendered = m.rendered[1:]
		if old < len(m.entries) && old != m.live {
			m.entries[old].lines = nil
		}
	}
}

// gap reports whether an empty line stands before entry i.
func (m *Model) gap(i int) bool {
	if i == 0 {
		return false
	}
	_, tool := m.entries[i].item.(*toolItem)
	if !tool {
		return true
	}
	_, user := m.entries[i-1].item.(*userItem)
	return user
}

// visible is the lines on screen, padded to the height.
func (m *Model) visible() []string {
	if m.follow {
		m.toEnd()
	}
	out := make([]string, 0, m.height)
	for i, from := m.top, m.offset; i < len(m.entries) && len(out) < m.height; i, from = i+1, 0 {
		lines := m.linesOf(i)
		from = min(from, len(lines))
		out = append(out, lines[from:min(len(lines), from+m.height-len(out))]...)
	}
	if m.top == 0 && m.offset == 0 && len(out) < m.height {
		// A short conversation stands at the top.
		m.follow, m.unseen = true, 0
	}
	for len(out) < m.height {
		out = append(out, "")
	}
	return out
}

// toEnd puts the last line at the bottom.
func (m *Model) toEnd() {
	m.top, m.offset, m.unseen = 0, 0, 0
	room := m.height
	for i := len(m.entries) - 1; i >= 0; i-- {
		n := len(m.linesOf(i))
		if n >= room {
			m.top, m.offset = i, n-room
			return
		}
		room -= n
	}
}

// ScrollBy moves the view by lines, up if negative. Reaching the end follows
// it again.
func (m *Model) ScrollBy(lines int) {
	if len(m.entries) == 0 || m.height == 0 {
		return
	}
	m.anchorTop()
	if lines < 0 {
		m.up(-lines)
	} else {
		m.down(lines)
	}
	m.follow = m.atEnd()
	if m.follow {
		m.unseen = 0
	}
	m.selection = selection{}
	m.dirty = true
}

// PageBy moves by pages, keeping two lines in view.
func (m *Model) PageBy(pages int) { m.ScrollBy(pages * max(1, m.height-2)) }

// ToTop shows the beginning.
func (m *Model) ToTop() {
	m.top, m.offset, m.follow, m.dirty = 0, 0, false, true
	m.selection = selection{}
}

// ToEnd shows the end and follows it.
func (m *Model) ToEnd() {
	m.follow, m.unseen, m.dirty = true, 0, true
	m.selection = selection{}
}

// Unseen is how many items came in below while the reader is further up.
func (m *Model) Unseen() int { return m.unseen }

// Following reports whether the end is kept in view.
func (m *Model) Following() bool { return m.follow }

// anchorTop makes the position explicit when it was "the end".
func (m *Model) anchorTop() {
	if m.follow {
		m.toEnd()
	}
	if m.top < len(m.entries) {
		m.offset = min(m.offset, max(0, len(m.linesOf(m.top))-1))
	}
}

func (m *Model) up(n int) {
	for n > 0 {
		if m.offset >= n {
			m.offset -= n
			return
		}
		n -= m.offset
		m.offset = 0
		if m.top == 0 {
			return
		}
		m.top--
		m.offset = len(m.linesOf(m.top))
	}
}

func (m *Model) down(n int) {
	for ; n > 0 && !m.atEnd(); n-- {
		m.offset++
		if m.offset >= len(m.linesOf(m.top)) && m.top < len(m.entries)-1 {
			m.top++
			m.offset = 0
		}
	}
}

// atEnd reports whether everything below the top of the view fits into it.
func (m *Model) atEnd() bool {
	room := m.height + m.offset
	for i := m.top; i < len(m.entries); i++ {
		room -= len(m.linesOf(i))
		if room < 0 {
			return false
		}
	}
	return true
}
