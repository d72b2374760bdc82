package history

import (
	"time"

	"plimsoll/compact/inspect"
	"plimsoll/conversation/find"
	"plimsoll/tui/pane"
)

// State between updates:
//
//   - Refresh, for the same conversation, keeps the event with the cursor and the expanded
//     rows. Show starts at the newest row with all rows folded.
//   - Drawn rows are kept until the next Refresh.

// Model is the history browser.
type Model struct {
	keys *KeyMap

	list     pane.ListDetail
	document *document
	draw     *drawer
	search   *search

	startSide side   // the side that is shown first
	asking    string // a question above the keys until the next key
	asked     string // the question before the current key
}

// New returns a history without a conversation. With compactionsOnly it lists only the compactions.
func New(keys *KeyMap, zone *time.Location, compactionsOnly bool) *Model {
	doc := open(Content{})
	s := &search{document: doc}
	d := &drawer{document: doc, zone: zone, keys: keys, painter: newPainter(Styles{}, s)}
	m := &Model{keys: keys, document: doc, search: s, draw: d}
	if compactionsOnly {
		m.startSide = sideCompactions
	}
	m.SetSize(80, 24)
	m.Show(Content{})
	return m
}

// SetSize sets the size of the history, in cells.
func (m *Model) SetSize(width, height int) {
	if width == m.list.Width && height == m.list.Height {
		return
	}
	m.list.SetSize(width, height)
	m.draw.height = height
	m.draw.redraw()
	m.fitList()
}

// SetStyles changes the styles.
func (m *Model) SetStyles(s Styles) {
	m.draw.painter = newPainter(s, m.search)
	m.draw.redraw()
}

// SetUsed sets the tokens of the next request and of its prompt and tools, as the gauge shows
// them: a report of the provider can change them without a new event.
func (m *Model) SetUsed(used, prompt int) { m.document.Used, m.document.Prompt = used, prompt }

// Show shows a conversation, with the cursor on the newest row.
func (m *Model) Show(c Content) {
	m.asking = ""
	m.list.Reset()
	m.draw.expanded = map[rowID]bool{}
	m.search.reset()
	*m.document = *open(c)
	m.show(m.startSide, nil)
	m.list.ToEnd(m.draw)
}

// Refresh shows the current state of the same conversation. The cursor stays on its event.
func (m *Model) Refresh(c Content) {
	seq, sel := m.cursorEvent(), m.selected()
	side, request := m.document.side, m.document.request
	*m.document = *open(c)
	m.document.show(side, request)
	m.draw.redraw()
	m.fitList()
	m.search.stale = true
	switch {
	case m.draw.Len() == 0:
	case sel < 0:
		m.list.ToEnd(m.draw)
	default:
		m.list.Shift(m.document.rowAt(seq, sel) - sel)
	}
}

// show shows a side, or a request if r is not nil.
func (m *Model) show(s side, r *request) {
	m.search.stale = m.search.stale || r != m.document.request || r != nil || s != m.document.side
	m.draw.redraw()
	m.document.show(s, r)
	m.list.Page.Top = 0
	m.fitList()
}

// fitList sets the size of the list to what the frame leaves.
func (m *Model) fitList() { m.list.Fit(m.paneContent()) }

// selected returns the row with the cursor, -1 if there is none.
func (m *Model) selected() int { return m.list.Selected(m.draw) }

// cursorEvent returns the event with the cursor, 0 if there is none.
func (m *Model) cursorEvent() uint64 {
	if it, ok := m.currentRow(); ok {
		return m.document.seq(it)
	}
	return 0
}

// goTo moves the cursor to the row of an event.
func (m *Model) goTo(seq uint64) {
	if m.draw.Len() > 0 {
		m.list.Select(m.draw, m.document.rowAt(seq, 0))
	}
}

// currentRow returns the row with the cursor; false if there is none.
func (m *Model) currentRow() (item, bool) {
	if i := m.selected(); i >= 0 {
		return m.document.items[i], true
	}
	return item{}, false
}

// Jump moves the cursor to an event and searches for a query, so that its matches are
// highlighted and the user can go to the next one. An empty or invalid query ends the
// search.
func (m *Model) Jump(event uint64, query string) {
	m.asking = ""
	m.list.Reset()
	m.search.reset()
	if q, err := find.Parse(query); err == nil {
		m.search.query, m.search.isActive, m.search.stale = q, true, true
	}
	m.show(m.startSide, nil)
	m.goTo(event)
}

// Request answers RebuildRequest with the rebuilt request, or with the error.
func (m *Model) Request(r inspect.RebuiltRequest, err error) {
	if m.document.request.answer(r, err) {
		m.show(m.document.side, m.document.request)
		m.list.ToEnd(m.draw)
	}
}
