package preview

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/tui/pane"
)

// What is chosen is a request, and every change of it asks for numbers anew. Rules:
//
//   - while they are on their way the old ones stay and are marked, and nothing is
//     accepted
//   - numbers of a request that was changed since are shown as old ones
//   - a focus and a review stay in mind while a profile is chosen that makes no
//     summary

// Styles is how the view looks. All are inline.
type Styles struct {
	Pane  pane.Styles
	Saved lipgloss.Style // what is gained
}

// Options is what the view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap
	// Gauges are the lines of two readings, of at most width cells, with bars of one
	// length.
	Gauges func(now, then meter.Reading, width int) (string, string)
}

// Profile is a way to compact.
type Profile struct {
	Name, Note string
	Summarises bool // a model writes a summary
}

// Content is what the view shows. Its texts are not made safe.
type Content struct {
	Request   edit.Request
	Preview   edit.Preview
	Now, Then meter.Reading
	// CostNow is what the next request costs more with the compaction than without,
	// in US dollars, nil if unknown; PaysAfter is after how many requests that is
	// earned back, nil if never.
	CostNow   *float64
	PaysAfter *int
	Err       string // why nothing can be done with this request
	Busy      bool   // the numbers of the request are on their way: these are of another one

	Profiles  []Profile
	Profile   string // in force where the request names none
	KeepLast  int    // newest turns that are left alone where the request says nothing
	Turns     int    // how many turns the conversation has
	Model     string // of the conversation
	BreakTurn int    // of Preview.BreakAt
}

type (
	// Changed asks what another request would do. The view shows it as the one whose
	// numbers are on their way.
	Changed struct{ Request edit.Request }

	// Accepted asks to carry out the request whose numbers are shown.
	Accepted struct{ Request edit.Request }
)

// Model is the view. It is for one goroutine.
type Model struct {
	o     Options
	width int

	content Content
	asked   bool   // for the numbers of content.Request, and they have not come
	focus   string // that was asked for last, also where the profile makes no summary
	review  bool   // likewise

	sheet pane.Sheet
}

// New returns the view.
func New(o Options) *Model {
	m := &Model{o: o}
	m.SetSize(1, 1)
	return m
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.o.Styles = s }

// SetSize gives the view its place.
func (m *Model) SetSize(width, height int) {
	m.width = max(width, 1)
	m.sheet.SetSize(m.width, max(height, 1))
}

// Reset begins anew: what is shown next is about no earlier request.
func (m *Model) Reset() {
	m.asked, m.focus, m.review = false, "", false
	m.sheet.Reset()
}

// Show shows what a request would do. Where another one was asked for since, its numbers
// are shown as old ones.
func (m *Model) Show(c Content) {
	if m.asked && !sameRequest(c.Request, m.content.Request) {
		c.Request, c.Busy = m.content.Request, true
	}
	m.content = c
	m.asked = m.asked && c.Busy
	if m.summarises() {
		m.focus, m.review = c.Request.Focus, c.Request.Review
	}
}

// sameRequest reports whether two requests mean the same.
func sameRequest(a, b edit.Request) bool {
	bound := func(x, y *edit.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	if !bound(a.From, b.From) || !bound(a.To, b.To) {
		return false
	}
	a.From, a.To, b.From, b.To = nil, nil, nil, nil
	return a == b
}

// change asks for the numbers of another request.
func (m *Model) change(w edit.Request) pane.Action {
	if sameRequest(w, m.content.Request) {
		return nil
	}
	m.content.Request, m.content.Busy, m.asked = w, true, true
	return Changed{Request: w}
}

// profile is the one that the request means, by name.
func (m *Model) profile() string {
	c := m.content
	switch {
	case c.Request.Profile != "":
		return c.Request.Profile
	case !c.Busy && c.Err == "" && c.Preview.Profile != "":
		return c.Preview.Profile
	case c.Request.Focus != "" && !m.makesSummary(c.Profile):
		return preset.ProfileHeavy // as the rules do
	}
	return c.Profile
}

// evicts reports whether the numbers are those of a step that no profile makes.
func (m *Model) evicts() bool {
	return !m.content.Busy && m.content.Err == "" && m.content.Preview.Profile == ""
}

// summarises reports whether the request leads to a summary.
func (m *Model) summarises() bool { return m.makesSummary(m.profile()) }

func (m *Model) makesSummary(profile string) bool {
	return slices.ContainsFunc(m.content.Profiles, func(p Profile) bool { return p.Name == profile && p.Summarises })
}

// Update deals with a message.
func (m *Model) Update(msg tea.Msg) pane.Action {
	action := m.sheet.Update(msg, m.shown, m.commands())
	if action == (pane.Closed{}) {
		m.Reset()
	}
	return action
}

// commands are the keys that change the request or accept it.
func (m *Model) commands() []pane.Command {
	keys := m.o.Keys
	by := func(change func(int) pane.Action, n int) func() pane.Action {
		return func() pane.Action { return change(n) }
	}
	return []pane.Command{
		{On: keys.Accept, Do: m.accept},
		{On: keys.NextProfile, Do: by(m.cycle, 1)},
		{On: keys.PreviousProfile, Do: by(m.cycle, -1)},
		{On: keys.EndEarlier, Do: by(m.moveEnd, -1)},
		{On: keys.EndLater, Do: by(m.moveEnd, 1)},
		{On: keys.StartEarlier, Do: by(m.moveStart, -1)},
		{On: keys.StartLater, Do: by(m.moveStart, 1)},
		{On: keys.Review, Do: m.toggleReview},
	}
}

// accept wants what is shown done.
func (m *Model) accept() pane.Action {
	switch c := m.content; {
	case c.Busy:
		return pane.Say{Text: "still calculating; try again in a moment", Bad: true}
	case c.Err != "":
		return pane.Say{Text: c.Err, Bad: true}
	default:
		m.Reset()
		return Accepted{Request: c.Request}
	}
}

// KeyMap is every key of the view.
type KeyMap struct {
	Accept key.Binding
	Close  key.Binding
	Help   key.Binding

	PreviousProfile, NextProfile key.Binding
	EndEarlier, EndLater         key.Binding
	StartEarlier, StartLater     key.Binding
	Review                       key.Binding

	Up, Down, PageUp, PageDown key.Binding // scroll
}

// DefaultKeyMap is the keys as they are without configuration.
func DefaultKeyMap() KeyMap {
	bind, moves := pane.Bind, pane.DefaultMoves()
	return KeyMap{
		Accept: bind("enter", "compact as shown", "enter"),
		Close:  bind("esc", "close without changes", "esc", "q"),
		Help:   bind("?", "these keys", "?"),

		PreviousProfile: bind("←", "previous profile (also shift+tab)", "left", "shift+tab"),
		NextProfile:     bind("→", "next profile (also tab)", "right", "tab"),
		EndEarlier:      bind("[", "end one turn earlier", "["),
		EndLater:        bind("]", "end one turn later", "]"),
		StartEarlier:    bind("{", "start one turn earlier", "{"),
		StartLater:      bind("}", "start one turn later", "}"),
		Review:          bind("v", "review the summary before it is applied", "v"),

		Up: moves.Up, Down: moves.Down, PageUp: moves.PageUp, PageDown: moves.PageDown,
	}
}
