package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/tui/pane"
	"plimsoll/tui/preview"
)

// A compaction can be looked at before it is made: what it would do in numbers, and
// how the gauge would move. Every change of range or profile asks again; numbers are
// estimates. What nothing can be done with is said where the numbers would stand.

type previewView struct {
	*preview.Model
	asked int // how many wishes have no numbers yet
	shown preview.Content
	// What else may make room is tried where nobody said how to compact, and nothing is
	// gained in the usual way: a newcomer sees what a compaction does.
	others  []compact.Wish
	refused *preview.Content // why the usual way gains nothing, nil where it does
}

// previewAny shows what a compaction would do, by the default profile or, where that
// gains nothing, in another way.
func (m *Model) previewAny() tea.Cmd {
	var others []compact.Wish
	for _, p := range m.talk.Profiles {
		if !p.Summarises {
			continue
		}
		w := compact.NewWish()
		w.Profile = p.Name
		short := w
		short.KeepLast = 1
		others = []compact.Wish{w, short}
	}
	return m.previewWith(compact.NewWish(), others)
}

// preview shows what a compaction would do.
func (m *Model) preview(w compact.Wish) tea.Cmd { return m.previewWith(w, nil) }

func (m *Model) previewWith(w compact.Wish, others []compact.Wish) tea.Cmd {
	if why := m.uncompactable(); why != "" {
		return m.say(why, true)
	}
	if v, open := m.views.top().(*previewView); open {
		return v.ask(m, w)
	}
	keys := m.options.Keys.Preview
	v := &previewView{others: others, Model: preview.New(preview.Options{Styles: m.look.preview(), Keys: &keys, Gauges: m.gauge.Pair})}
	v.shown = m.previewContent(agent.Previewed{Err: errNoNumbersYet}, w)
	return tea.Batch(m.open(v), v.ask(m, w))
}

// errNoNumbersYet stands where the first numbers will.
var errNoNumbersYet = &agent.Error{Class: agent.BadRequest, Message: "the numbers are on their way"}

// ask has the numbers of a wish worked out.
func (v *previewView) ask(m *Model, w compact.Wish) tea.Cmd {
	v.asked++
	m.talk.previews = append(m.talk.previews, v)
	v.shown.Wish, v.shown.Busy = w, true
	v.Show(v.shown)
	m.talk.Session.Preview(w)
	return nil
}

// showPreview gives the numbers of a wish to the view that asked for them; those of
// a wish that was changed since only count as answered. Answers come in the order of
// the questions, also when the view was closed meanwhile.
func (m *Model) showPreview(u agent.Previewed) tea.Cmd {
	if len(m.talk.previews) == 0 {
		return nil
	}
	v := m.talk.previews[0]
	m.talk.previews = m.talk.previews[1:]
	if v.asked--; v.asked > 0 {
		return nil
	}
	v.shown = m.previewContent(u, v.shown.Wish)
	switch {
	case u.Err == nil:
	case len(v.others) > 0:
		if v.refused == nil {
			first := v.shown
			v.refused = &first
		}
		w := v.others[0]
		v.others = v.others[1:]
		return v.ask(m, w)
	case v.refused != nil:
		v.shown = *v.refused
	}
	v.refused = nil
	v.Show(v.shown)
	return nil
}

// previewContent is the answer to a wish as the view shows it.
func (m *Model) previewContent(u agent.Previewed, w compact.Wish) preview.Content {
	c := preview.Content{
		Wish: w, Preview: u.Preview, Now: u.Now, Then: u.Then, CostNow: u.CostNow, PaysAfter: u.PaysAfter,
		Profile: m.talk.Profile, KeepLast: m.talk.KeepLast, Turns: m.transcript.Turns(), Model: m.talk.Model.Name(),
		BreakTurn: m.transcript.TurnOf(u.Preview.BreakAt),
	}
	for _, p := range m.talk.Profiles {
		c.Profiles = append(c.Profiles, preview.Profile{Name: p.Name, Note: p.Note, Summarises: p.Summarises})
	}
	if u.Err != nil {
		c.Err, c.Now = u.Err.Message, m.talk.meter.Reading()
	}
	return c
}

func (v *previewView) gauged() bool           { return false }
func (v *previewView) restyle(l look)         { v.SetStyles(l.preview()) }
func (v *previewView) renew(m *Model) tea.Cmd { return nil } // numbers are those of the moment it was asked

func (v *previewView) act(m *Model, a pane.Action) tea.Cmd {
	switch a := a.(type) {
	case preview.Changed:
		v.others, v.refused = nil, nil
		return v.ask(m, a.Wish)
	case preview.Accepted:
		m.views.stack = slices.DeleteFunc(m.views.stack, func(o fullView) bool { return o == fullView(v) })
		m.talk.Session.Compact(a.Wish)
		return m.later("compacts")
	}
	return nil
}
