package preview

import (
	"slices"

	"charm.land/lipgloss/v2"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation/plain"
	textedit "plimsoll/tui/edit"
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

// Model is the view. It is for one goroutine.
type Model struct {
	o             Options
	width, height int

	content Content
	asked   bool   // for the numbers of content.Request, and they have not come
	focus   string // that was asked for last, also where the profile makes no summary
	review  bool   // likewise

	reader  pane.Reader
	writing bool // the focus
	edit    *textedit.Field
}

// New returns the view.
func New(o Options) *Model {
	return &Model{o: o, width: 1, height: 1, edit: textedit.NewField(plain.Line, textedit.MostInLine)}
}

// SetStyles changes the looks.
func (m *Model) SetStyles(s Styles) { m.o.Styles = s }

// Reset begins anew: what is shown next is about no earlier request.
func (m *Model) Reset() {
	m.asked, m.writing, m.focus, m.review = false, false, "", false
	m.reader.Reset()
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

// focusPrompt stands before the focus while it is written.
const focusPrompt = "Focus: "

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
