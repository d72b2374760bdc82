package transcript

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A position is an entry and a line of it, never a sum of heights: entries off
// screen have not been measured. Every move starts from the visible lines.
// Whoever sees the end follows it; whoever scrolled up keeps the same line at
// the top, whatever comes in below.

// place is a line of an entry. The empty line before an entry counts.
type place struct{ top, offset int }

// position is what part of the transcript is in view.
type position struct {
	place
	follow bool // the end stays in view
	unseen int  // entries added below while the reader is further up
	pinned pinned
}

// pinned is a line of the top entry as a share of its lines, so that changing
// the width back and forth ends where it began.
type pinned struct {
	offset, of, version int
	pending             bool // the width changed since
}

// gap is the number of empty lines before entry i.
func (m *Model) gap(i int) int {
	if i == 0 || len(m.linesOf(i)) == 0 {
		return 0
	}
	if _, tool := m.entries[i].item.(*toolItem); !tool {
		return 1
	}
	if _, user := m.entries[i-1].item.(*userItem); user {
		return 1
	}
	return 0
}

// tall is the number of lines of entry i.
func (m *Model) tall(i int) int { return m.gap(i) + len(m.linesOf(i)) }

// text is a line as it stands on the screen.
func (m *Model) text(p place) string {
	i := p.offset - m.gap(p.top)
	if i < 0 {
		return ""
	}
	line := m.linesOf(p.top)[i]
	if line == "" {
		return ""
	}
	line = strings.Repeat(" ", margin) + line
	if len(line) > m.width && ansi.StringWidth(line) > m.width {
		line = ansi.Truncate(line, m.width, "") // narrower than anything can be laid out for
	}
	return line
}

// rows is the places that are on screen, at most the height.
func (m *Model) rows() []place {
	m.settle()
	out := make([]place, 0, m.height)
	for i, from := m.at.top, m.at.offset; i < len(m.entries) && len(out) < m.height; i, from = i+1, 0 {
		for n := m.tall(i); from < n && len(out) < m.height; from++ {
			out = append(out, place{i, from})
		}
	}
	return out
}

// settle makes the position one that exists, and follows the end if it is to
// be followed. While the mouse is down nothing moves under it.
func (m *Model) settle() {
	if len(m.entries) == 0 || m.height == 0 {
		return
	}
	if m.at.follow && !m.selection.pressed {
		m.toEnd()
		return
	}
	if m.at.top >= len(m.entries) {
		m.at.place = place{len(m.entries) - 1, m.tall(len(m.entries) - 1)}
	}
	if p := &m.at.pinned; p.pending {
		m.at.offset, p.pending = p.offset*m.tall(m.at.top)/max(1, p.of), false
	}
	m.at.offset = max(0, min(m.at.offset, m.tall(m.at.top)-1))
	if !m.at.follow && m.atEnd() {
		m.toEnd()
	}
}

// pin remembers how far into the top entry the view is, before the width
// changes.
func (m *Model) pin() {
	if m.at.follow || m.at.top >= len(m.entries) || m.height == 0 {
		return
	}
	p, version := &m.at.pinned, m.entries[m.at.top].item.version()
	if p.of == 0 || p.version != version {
		*p = pinned{offset: m.at.offset, of: m.tall(m.at.top), version: version}
	}
	p.pending = true
}

// toEnd puts the last line at the bottom, or the first at the top if there is
// room for all of it.
func (m *Model) toEnd() {
	m.at = position{follow: true}
	room := m.height
	for i := len(m.entries) - 1; i >= 0; i-- {
		n := m.tall(i)
		if n >= room {
			m.at.place = place{i, n - room}
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
	m.selection = selection{}
	m.settle()
	m.at.pinned = pinned{}
	if lines < 0 {
		m.up(-lines)
	} else {
		m.down(lines)
	}
	m.at.follow = m.atEnd()
	if m.at.follow {
		m.at.unseen = 0
	}
	m.dirty = true
}

// PageBy moves by pages, keeping two lines in view.
func (m *Model) PageBy(pages int) { m.ScrollBy(pages * max(1, m.height-2)) }

// ToTop shows the beginning.
func (m *Model) ToTop() {
	m.settle()
	m.at.place, m.at.follow, m.at.pinned = place{}, false, pinned{}
	m.selection = selection{}
	m.dirty = true
}

// ToEnd shows the end and follows it.
func (m *Model) ToEnd() {
	m.at.follow, m.at.unseen = true, 0
	m.selection = selection{}
	m.dirty = true
}

// Unseen is how many items came in below while the reader is further up.
func (m *Model) Unseen() int {
	m.settle()
	return m.at.unseen
}

// Following reports whether the end is kept in view.
func (m *Model) Following() bool {
	m.settle()
	return m.at.follow
}

// Needs is the number of lines of the whole transcript, or most if there are
// more.
func (m *Model) Needs(most int) int {
	n := 0
	for i := 0; i < len(m.entries) && n < most; i++ {
		n += m.tall(i)
	}
	return min(n, most)
}

func (m *Model) up(n int) {
	for n > 0 {
		if m.at.offset >= n {
			m.at.offset -= n
			return
		}
		n -= m.at.offset
		m.at.offset = 0
		if m.at.top == 0 {
			return
		}
		m.at.top--
		m.at.offset = m.tall(m.at.top)
	}
}

func (m *Model) down(n int) {
	for ; n > 0 && !m.atEnd(); n-- {
		m.at.offset++
		for m.at.offset >= m.tall(m.at.top) && m.at.top < len(m.entries)-1 {
			m.at.place = place{top: m.at.top + 1}
		}
	}
}

// atEnd reports whether everything below the top of the view fits into it.
func (m *Model) atEnd() bool {
	room := m.height + m.at.offset
	for i := m.at.top; i < len(m.entries); i++ {
		room -= m.tall(i)
		if room < 0 {
			return false
		}
	}
	return true
}
