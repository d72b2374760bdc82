package history

import (
	"time"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/tui/pane"
)

// What is remembered, and how long:
//
//   - A conversation that goes on keeps the reader's place, by event, and what he has
//     expanded. Another one, or a history opened anew, begins at the newest row.
//   - What rows look like is kept by row and by all that it was made of, so that what
//     did not change is not laid out again.
//   - Full texts, which can be large, are kept until the history is shown anew.

// Options is what a Model is made of. Keys is read at every key, so that rebinding
// takes effect at once.
type Options struct {
	Styles Styles
	Keys   *KeyMap
	Zone   *time.Location
}

// Content is a conversation as the history shows it.
type Content struct {
	Log      []conversation.Event
	View     compact.View
	Requests []compact.SentRequest
	Factor   float64 // tokens of the model per estimated token; 0 counts as 1
	Used     int     // tokens of the next request, as the gauge shows them
	Prompt   int     // of them, those of the system prompt and the tools
	Title    string
	ReadOnly string // why nothing can be changed, "" if it can
}

// side is which of the texts are shown.
type side int

const (
	sideBoth side = iota
	sideOriginal
	sideSent
	sides
)

// String is the side in words.
func (s side) String() string { return [...]string{"both", "original", "as sent"}[s] }

// Model is the history browser.
type Model struct {
	styles Styles
	keys   *KeyMap
	zone   *time.Location

	width, height int
	side          side
	list          pane.List
	book          book
	request       *request // the request that is shown, nil for the conversation as it is now

	open  map[mark]bool
	full  map[uint64]whole // by event
	cache map[mark]*drawn
	units []conversation.Unit // of the log; nil before they were needed

	search search
	jumps  []uint64 // events from which jumps began
	note   string   // a passing word in place of why
	was    string   // the one that stood there when a key was pressed
	bad    bool
	help   int // the first line of the key help in sight, -1 while it is closed
}

// whole is the whole text of a result that was cut when it arrived.
type whole struct {
	text string
	err  error
	here bool // it came
}

// New makes a history without a conversation.
func New(o Options) *Model {
	m := &Model{styles: o.Styles, keys: o.Keys, zone: o.Zone, help: -1}
	if m.keys == nil {
		keys := DefaultKeyMap()
		m.keys = &keys
	}
	if m.zone == nil {
		m.zone = time.UTC
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
	m.redraw()
	m.fit()
}

// SetStyles changes how it looks.
func (m *Model) SetStyles(s Styles) {
	m.styles = s
	m.redraw()
}

// SetUsed tells how full the window is, as the gauge shows it: a report of the provider
// can change that after a reply is here.
func (m *Model) SetUsed(used, prompt int) { m.book.Used, m.book.Prompt = used, prompt }

// redraw forgets what rows look like.
func (m *Model) redraw() { m.cache = map[mark]*drawn{} }

// Show begins anew, at the newest row.
func (m *Model) Show(c Content) {
	m.open, m.full, m.jumps, m.units = map[mark]bool{}, map[uint64]whole{}, nil, nil
	m.side, m.request, m.search, m.note, m.help = sideBoth, nil, search{}, "", -1
	m.redraw()
	m.book = open(c)
	m.book.lay(m.side, nil)
	m.fit()
	m.list.ToEnd(rows{m})
}

// Refresh shows the same conversation as it is by now, and leaves the reader where he
// is.
func (m *Model) Refresh(c Content) {
	seq, sel := m.here(), m.list.Selected(rows{m})
	m.units = nil
	factor := m.book.Factor
	m.book = open(c)
	if m.book.Factor != factor { // every number of tokens is another one
		m.redraw()
	}
	m.lay()
	m.search.stale = true
	switch {
	case len(m.book.items) == 0:
	case sel < 0:
		m.list.ToEnd(rows{m})
	default:
		m.list.Shift(m.book.at(seq, sel) - sel)
	}
}

// lay lists the rows of the side in sight, with as many lines for them as it leaves.
func (m *Model) lay() {
	m.book.lay(m.side, m.request)
	m.fit()
}

// fit gives the list the lines that the frame leaves.
func (m *Model) fit() { m.list.SetSize(m.width, m.frame().Body(m.height)) }

// turnTo changes the side and keeps the place.
func (m *Model) turnTo(s side) {
	seq := m.here()
	m.side, m.search.stale = s, true
	m.lay()
	m.goTo(seq)
}

// here is the event under the cursor, 0 if there is none.
func (m *Model) here() uint64 {
	if i := m.list.Selected(rows{m}); i >= 0 {
		return m.book.seq(m.book.items[i])
	}
	return 0
}

// goTo moves to what shows an event.
func (m *Model) goTo(seq uint64) {
	if len(m.book.items) > 0 {
		m.list.Select(rows{m}, m.book.at(seq, 0))
	}
}

// current is the row under the cursor; false if there is none.
func (m *Model) current() (item, bool) {
	i := m.list.Selected(rows{m})
	if i < 0 {
		return item{}, false
	}
	return m.book.items[i], true
}

// Jump goes to an event, with the search set to what was looked for, so that it
// stands out and can be searched on. An empty query, or one that cannot be read,
// searches for nothing.
func (m *Model) Jump(event uint64, query string) {
	m.request, m.help, m.note = nil, -1, ""
	m.search = search{}
	if q, err := find.Parse(query); err == nil {
		m.search = search{query: q, on: true, stale: true}
	}
	m.redraw()
	m.side = sideBoth
	m.lay()
	m.goTo(event)
	if m.search.on {
		m.findAll()
	}
}

// Full is the answer to FullWanted.
func (m *Model) Full(event uint64, text string, err error) {
	if _, asked := m.full[event]; !asked {
		return
	}
	m.full[event] = whole{text: text, err: err, here: true}
	m.redraw()
}
