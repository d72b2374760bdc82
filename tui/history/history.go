package history

import (
	"time"

	"plimsoll/compact/inspect"

	"plimsoll/tui/pane"
)

// What is remembered, and how long:
//
//   - A conversation that goes on keeps the reader's place, by event, and what he has
//     expanded. Another one, or a history opened anew, begins at the newest row.
//   - What rows look like is kept until the conversation goes on.

// Options is what a Model is made of. Keys is read at every key, so that rebinding
// takes effect at once.
type Options struct {
	Styles Styles
	Keys   *KeyMap
	Zone   *time.Location
	Ledger bool // it lists the compactions alone
}

// Model is the history browser.
type Model struct {
	keys          *KeyMap
	width, height int

	sheet  pane.Sheet
	book   *book
	draw   *drawer
	search *search

	home side // that it begins with
	note Note // it stands in place of why until the next key
	was  Note // the one that stood there when a key was pressed
}

// New makes a history without a conversation.
func New(o Options) *Model {
	keys, zone := o.Keys, o.Zone
	if keys == nil {
		own := DefaultKeyMap()
		keys = &own
	}
	if zone == nil {
		zone = time.UTC
	}
	b := open(Content{})
	d := &drawer{book: b, zone: zone, keys: keys}
	s := &search{book: b}
	d.painter = newPainter(o.Styles, s)
	m := &Model{keys: keys, book: b, search: s, draw: d}
	if o.Ledger {
		m.home = sideCompactions
	}
	m.SetSize(80, 24)
	m.Show(Content{})
	return m
}

// SetSize gives the history its place, in cells.
func (m *Model) SetSize(width, height int) {
	if width == m.width && height == m.height {
		return
	}
	m.width, m.height = max(width, 1), max(height, 1)
	m.sheet.SetSize(m.width, m.height)
	m.draw.height = m.height
	m.draw.redraw()
	m.fit()
}

// SetStyles changes how it looks.
func (m *Model) SetStyles(s Styles) {
	m.draw.painter = newPainter(s, m.search)
	m.draw.redraw()
}

// SetUsed tells how full the window is, as the gauge shows it: a report of the provider
// can change that after a reply is here.
func (m *Model) SetUsed(used, prompt int) { m.book.Used, m.book.Prompt = used, prompt }

// Show begins anew, at the newest row.
func (m *Model) Show(c Content) {
	m.note = Note{}
	m.sheet.Reset()
	m.draw.expanded = map[rowID]bool{}
	m.search.reset()
	*m.book = *open(c)
	m.show(m.home, nil)
	m.sheet.ToEnd(m.draw)
}

// Refresh shows the current state of the same conversation, and leaves the reader where he
// is.
func (m *Model) Refresh(c Content) {
	seq, sel := m.here(), m.selected()
	side, request := m.book.side, m.book.request
	*m.book = *open(c)
	m.book.show(side, request)
	m.draw.redraw()
	m.fit()
	m.search.stale = true
	switch {
	case m.draw.Len() == 0:
	case sel < 0:
		m.sheet.ToEnd(m.draw)
	default:
		m.sheet.Shift(m.book.at(seq, sel) - sel)
	}
}

// show shows a side, or a request.
func (m *Model) show(s side, r *request) {
	if r != m.book.request || r != nil || s != m.book.side {
		m.search.stale = true
	}
	m.draw.redraw()
	m.book.show(s, r)
	m.fit()
}

// fit gives the list the lines that the frame leaves.
func (m *Model) fit() { m.sheet.Fit(m.shown()) }

// selected is the row under the cursor, -1 if there is none.
func (m *Model) selected() int { return m.sheet.Selected(m.draw) }

// here is the event under the cursor, 0 if there is none.
func (m *Model) here() uint64 {
	if it, ok := m.current(); ok {
		return m.book.seq(it)
	}
	return 0
}

// goTo moves to what shows an event.
func (m *Model) goTo(seq uint64) {
	if m.draw.Len() > 0 {
		m.sheet.Select(m.draw, m.book.at(seq, 0))
	}
}

// current is the row under the cursor; false if there is none.
func (m *Model) current() (item, bool) {
	i := m.selected()
	if i < 0 {
		return item{}, false
	}
	return m.book.items[i], true
}

// Jump goes to an event, with the search set to what was looked for, so that it
// stands out and can be searched on. An empty query, or one that cannot be read,
// searches for nothing.
func (m *Model) Jump(event uint64, query string) {
	m.note = Note{}
	m.sheet.Reset()
	m.search.set(query)
	m.show(m.home, nil)
	m.goTo(event)
}

// Request is the answer to Wanted: the request, or why it cannot be made again.
func (m *Model) Request(r inspect.RebuiltRequest, err error) {
	if m.book.request.answer(r, err) {
		m.show(m.book.side, m.book.request)
		m.sheet.ToEnd(m.draw)
	}
}
