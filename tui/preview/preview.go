package preview

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/themes"
	"plimsoll/tui/pane"
)

// The user edits a request, and the parent computes its numbers after every change. Rules:
//
//   - until the new numbers arrive, the old ones are shown muted, and the request cannot
//     be accepted
//   - numbers of an earlier request are shown as old ones
//   - focus and review are remembered while the chosen profile writes no summary

// Profile is a way to compact.
type Profile struct {
	Name, Note string // Note says what it does, on one line
	Summarises bool   // a model writes a summary
}

// Content is the content of the view. Its texts may have control characters.
type Content struct {
	Request   edit.Request
	Preview   edit.Preview
	Now, Then meter.Reading // before and after the compaction
	// CostNow is the extra cost of the next request if the compaction is made, in US
	// dollars, nil if unknown. PaysAfter is the number of requests that save as much, nil
	// if it never pays off.
	CostNow   *float64
	PaysAfter *int
	Err       string // why the request is not possible
	Busy      bool   // the numbers are those of an earlier request

	Profiles  []Profile
	Profile   string // the default if the request names none
	KeepLast  int    // the newest turns that a request without bounds leaves out
	Turns     int    // how many turns the conversation has
	Model     string // of the conversation
	BreakTurn int    // the turn of Preview.BreakAt
}

type (
	// Changed asks for the numbers of another request. Until Show has them, the view shows
	// the old ones.
	Changed struct{ Request edit.Request }

	// Accepted asks to compact with the request whose numbers are shown.
	Accepted struct{ Request edit.Request }
)

// Model is the view. It is for one goroutine.
type Model struct {
	styles     themes.Styles
	keys       *KeyMap
	drawGauges func(now, then meter.Reading, width int) (string, string)
	content    Content
	waiting    bool   // Changed was returned, and Show has not brought the numbers yet
	focus      string // the last focus, also while the profile writes no summary
	review     bool   // the last choice of review, likewise

	list pane.ListDetail
}

// New returns the view. gauges draws two readings in a line each, of at most width cells, with bars of the same length.
func New(keys *KeyMap, gauges func(now, then meter.Reading, width int) (string, string)) *Model {
	return &Model{keys: keys, drawGauges: gauges}
}

// SetStyles changes the styles.
func (m *Model) SetStyles(s themes.Styles) { m.styles = s }

// SetSize sets the size of the view, in cells.
func (m *Model) SetSize(width, height int) { m.list.SetSize(width, height) }

// Reset forgets the request and the place on the page.
func (m *Model) Reset() {
	m.waiting, m.focus, m.review = false, "", false
	m.list.Reset()
}

// Show shows the numbers of a request. If the user has changed the request since, they are
// shown as old ones.
func (m *Model) Show(c Content) {
	if m.waiting && !sameRequest(c.Request, m.content.Request) {
		c.Request, c.Busy = m.content.Request, true
	}
	m.content = c
	m.waiting = m.waiting && c.Busy
	if m.summarises() {
		m.focus, m.review = c.Request.Focus, c.Request.Review
	}
}

func sameRequest(a, b edit.Request) bool {
	bound := func(x, y *edit.Bound) bool { return x == y || x != nil && y != nil && *x == *y }
	if !bound(a.From, b.From) || !bound(a.To, b.To) {
		return false
	}
	a.From, a.To, b.From, b.To = nil, nil, nil, nil
	return a == b
}

func (m *Model) change(r edit.Request) pane.Action {
	if sameRequest(r, m.content.Request) {
		return nil
	}
	m.content.Request, m.content.Busy, m.waiting = r, true, true
	return Changed{Request: r}
}

// profile returns the name of the profile that the request uses.
func (m *Model) profile() string {
	c := m.content
	switch {
	case c.Request.Profile != "":
		return c.Request.Profile
	case !c.Busy && c.Err == "" && c.Preview.Profile != "":
		return c.Preview.Profile
	case c.Request.Focus != "" && !m.writesSummary(c.Profile):
		return preset.ProfileHeavy // a focus needs a summary
	}
	return c.Profile
}

// evicts reports whether the numbers are those of an eviction, which uses no profile.
func (m *Model) evicts() bool {
	return !m.content.Busy && m.content.Err == "" && m.content.Preview.Profile == ""
}

func (m *Model) summarises() bool { return m.writesSummary(m.profile()) }

func (m *Model) writesSummary(profile string) bool {
	return slices.ContainsFunc(m.content.Profiles, func(p Profile) bool { return p.Name == profile && p.Summarises })
}

// Update handles a message and returns what the parent has to do.
func (m *Model) Update(msg tea.Msg) pane.Action {
	action := m.list.Update(msg, m.paneContent, m.commands())
	if action == (pane.Closed{}) {
		m.Reset()
	}
	return action
}

// commands are the keys that change or accept the request.
func (m *Model) commands() []pane.Command {
	keys := m.keys
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

// accept asks for the compaction that is shown.
func (m *Model) accept() pane.Action {
	switch c := m.content; {
	case c.Busy:
		return pane.Snackbar{Text: "still calculating; try again in a moment", Failure: true}
	case c.Err != "":
		return pane.Snackbar{Text: c.Err, Failure: true}
	default:
		m.Reset()
		return Accepted{Request: c.Request}
	}
}

// KeyMap holds the keys of the view.
type KeyMap struct {
	Accept key.Binding
	Close  key.Binding
	Help   key.Binding

	PreviousProfile, NextProfile key.Binding
	EndEarlier, EndLater         key.Binding
	StartEarlier, StartLater     key.Binding
	Review                       key.Binding

	Moves pane.Moves
}

// DefaultKeyMap returns the default keys, as docs/keys.md lists them.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
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

		Moves: pane.DefaultMoves(),
	}
}
