package preview

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"plimsoll/compact"
	"plimsoll/conversation/plain"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// What is chosen is a wish, and every change of it asks for numbers anew. Rules:
//
//   - while they are on their way the old ones stay and are marked, and nothing is
//     accepted
//   - numbers of a wish that was changed since are shown as old ones
//   - a focus and a review stay in mind while a profile is chosen that makes no
//     summary

// Styles is how the view looks. All are inline.
type Styles struct {
	Pane   pane.Styles
	Chosen lipgloss.Style // the turns that are compacted
	Kept   lipgloss.Style // those that stay as they are
	Saved  lipgloss.Style // what is gained
}

// Options is what the view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap
	// Gauges are the lines of two readings, of at most width cells, with bars of one
	// length.
	Gauges func(now, then compact.Reading, width int) (string, string)
}

// Profile is a way to compact.
type Profile struct {
	Name, Note string
	Summarises bool // a model writes a summary
}

// Content is what the view shows. Its texts are not made safe.
type Content struct {
	Wish      compact.Wish
	Preview   compact.Preview
	Now, Then compact.Reading
	// CostNow is what the next request costs more with the compaction than without,
	// in US dollars, nil if unknown; PaysAfter is after how many requests that is
	// earned back, nil if never.
	CostNow   *float64
	PaysAfter *int
	Err       string // why nothing can be done with this wish
	Busy      bool   // the numbers of the wish are on their way: these are of another one

	Profiles  []Profile
	Profile   string // in force where the wish names none
	KeepLast  int    // newest turns that are left alone where the wish says nothing
	Turns     int    // how many turns the conversation has
	Model     string // of the conversation
	BreakTurn int    // of Preview.BreakAt
}

// Model is the view. It is for one goroutine.
type Model struct {
	o             Options
	width, height int

	content Content
	asked   bool   // for the numbers of content.Wish, and they have not come
	focus   string // that was wished last, also where the profile makes no summary
	review  bool   // likewise

	helping bool
	writing bool // the focus
	edit    *edit.Field
	page    pane.Page
}

// New returns the view.
func New(o Options) *Model {
	return &Model{o: o, width: 1, height: 1, edit: edit.NewField(plain.Line, edit.MostInLine)}
}

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(width, 1), max(height, 1)
	m.edit.SetSize(max(m.width-2-len(focusPrompt), 2), 1)
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.o.Styles = s }

// Show shows what a wish would do. Where another one was asked for since, its numbers
// are shown as old ones.
func (m *Model) Show(c Content) {
	if m.asked && !sameWish(c.Wish, m.content.Wish) {
		c.Wish, c.Busy = m.content.Wish, true
	}
	m.content = c
	m.asked = m.asked && c.Busy
	if m.summarises() {
		m.focus, m.review = c.Wish.Focus, c.Wish.Review
	}
}

// Reset begins anew: what is shown next is about no wish that was asked for before.
func (m *Model) Reset() {
	m.asked, m.helping, m.writing, m.focus, m.review = false, false, false, "", false
	m.page.ToTop()
}

// sameWish reports whether two wishes mean the same.
func sameWish(a, b compact.Wish) bool {
	bound := func(x, y *compact.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	if !bound(a.From, b.From) || !bound(a.To, b.To) {
		return false
	}
	a.From, a.To, b.From, b.To = nil, nil, nil, nil
	return a == b
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	if m.writing {
		return m.write(msg)
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.MouseWheelMsg:
		m.scrolls(msg)
		return nil
	}
	return pane.Ignored{}
}

func (m *Model) press(k tea.KeyPressMsg) pane.Action {
	keys := m.o.Keys
	switch {
	case key.Matches(k, keys.Help):
		m.helping = !m.helping
		m.page.ToTop()
	case key.Matches(k, keys.Close):
		if m.helping {
			m.helping = false
			m.page.ToTop()
			return nil
		}
		m.Reset()
		return pane.Closed{}
	case m.scrolls(k):
	default:
		return m.choose(k)
	}
	return nil
}

// choose carries out the keys that change the wish or accept it.
func (m *Model) choose(k tea.KeyPressMsg) pane.Action {
	keys := m.o.Keys
	switch {
	case key.Matches(k, keys.Accept):
		return m.accept()
	case key.Matches(k, keys.NextProfile):
		return m.cycle(1)
	case key.Matches(k, keys.PreviousProfile):
		return m.cycle(-1)
	case key.Matches(k, keys.EndEarlier):
		return m.moveEnd(-1)
	case key.Matches(k, keys.EndLater):
		return m.moveEnd(1)
	case key.Matches(k, keys.StartEarlier):
		return m.moveStart(-1)
	case key.Matches(k, keys.StartLater):
		return m.moveStart(1)
	case key.Matches(k, keys.Default):
		return m.byDefault()
	case key.Matches(k, keys.Focus):
		return m.beginFocus()
	case key.Matches(k, keys.Review):
		return m.toggleReview()
	}
	return pane.Ignored{}
}

// accept wants what is shown done.
func (m *Model) accept() pane.Action {
	switch c := m.content; {
	case c.Busy:
		return pane.Say{Text: "the numbers are on their way; accept them when they are there", Bad: true}
	case c.Err != "":
		return pane.Say{Text: c.Err, Bad: true}
	default:
		m.Reset()
		return Accepted{Wish: c.Wish}
	}
}

// change asks for the numbers of another wish.
func (m *Model) change(w compact.Wish) pane.Action {
	if sameWish(w, m.content.Wish) {
		return nil
	}
	m.content.Wish, m.content.Busy, m.asked = w, true, true
	return Changed{Wish: w}
}

// scrolls reports whether a message was for the page.
func (m *Model) scrolls(msg tea.Msg) bool {
	k := m.o.Keys
	moves := pane.Moves{Up: k.Up, Down: k.Down, PageUp: k.PageUp, PageDown: k.PageDown}
	return m.page.Update(msg, moves, len(m.body()), m.frame().Body(m.height))
}
