package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
	"plimsoll/tui/review"
)

// A summary that waits for the user. It never opens by itself, as its user may be
// writing: the status line says that it waits, and how to open it. What was changed
// in it stays while it waits, also when the view is closed.

type reviewView struct{ *review.Model }

// reviewing takes over a summary that waits.
func (m *Model) reviewing(u agent.Reviewing) tea.Cmd {
	known := m.talk.waits != nil
	m.talk.waits = &u
	m.status.job.on = false // it is written
	if m.talk.review != nil {
		m.talk.review.Show(m.reviewContent())
	}
	if known {
		return nil
	}
	return m.say(m.reviewWords(), false)
}

// reviewed says that no summary waits any more.
func (m *Model) reviewed() {
	m.talk.waits, m.talk.review = nil, nil
	for i, v := range m.views.stack {
		if _, ok := v.(*reviewView); ok {
			m.views.stack = append(m.views.stack[:i:i], m.views.stack[i+1:]...)
			m.placeView()
			return
		}
	}
}

func (m *Model) slashReview(string) tea.Cmd {
	if m.talk.waits == nil {
		return m.say("no summary waits for you; /compact --review lets you read one before it takes effect", true)
	}
	return m.openReview()
}

func (m *Model) openReview() tea.Cmd {
	if _, open := m.views.top().(*reviewView); open {
		return nil
	}
	v := m.talk.review
	if v == nil {
		keys := m.options.Keys.Review
		v = &reviewView{Model: review.New(review.Options{Styles: m.look.review(), Keys: &keys, Estimate: m.estimateText})}
		m.talk.review = v
	}
	m.views.stack = slices.DeleteFunc(m.views.stack, func(o fullView) bool { return o == fullView(v) })
	cmd := m.open(v)
	v.Show(m.reviewContent())
	return cmd
}

// reviewContent is the summary that waits.
func (m *Model) reviewContent() review.Content {
	u := m.talk.waits
	return review.Content{Text: u.Text, Appendix: u.Appendix, FromTurn: u.FromTurn, ToTurn: u.ToTurn, Covers: u.Covers,
		Tokens: m.estimateText(u.Text), Model: m.talk.Model.Name(), Focus: u.Wish.Focus, Held: u.Held}
}

// estimateText is the tokens of a text by the model's calibration.
func (m *Model) estimateText(text string) int { return m.estimate(conversation.Measure(text)) }

// reviewWords say on the status line that a summary waits, "" if none does, or it is
// in sight.
func (m *Model) reviewWords() string {
	_, open := m.views.top().(*reviewView)
	switch {
	case m.talk.waits == nil, open:
		return ""
	case m.talk.waits.Held:
		return "a summary waits for you, and the request for it: /review opens it"
	}
	return "a summary waits for you: /review opens it"
}

func (v *reviewView) gauged() bool         { return true }
func (v *reviewView) restyle(l look)       { v.SetStyles(l.review()) }
func (v *reviewView) renew(*Model) tea.Cmd { return nil }

func (v *reviewView) act(m *Model, a pane.Action) tea.Cmd {
	switch a := a.(type) {
	case review.Taken:
		m.talk.taken = a.Text
		m.talk.Session.Review(a.Text, true)
	case review.GivenUp:
		m.talk.taken = ""
		m.talk.Session.Review("", false)
	case review.Editor:
		return m.editSummary(a.Text)
	}
	return nil
}

// summaryEditedMsg brings a summary back from the user's editor.
type summaryEditedMsg struct {
	view *reviewView
	text string
	err  error
}

// keepTaken shows the text of a summary that the user took in and that could not be
// stored, so that what was changed in it is not lost.
func (m *Model) keepTaken() tea.Cmd {
	text := m.talk.taken
	if text == "" || m.talk.waits != nil {
		return nil
	}
	m.talk.taken = ""
	return m.kept("The summary that was not taken in", text)
}

// editSummary opens a summary in the user's editor.
func (m *Model) editSummary(text string) tea.Cmd {
	v, ok := m.views.top().(*reviewView)
	if !ok {
		return nil
	}
	ctx, prepare := m.ctx, m.options.Edit
	return func() tea.Msg {
		run, read, err := prepare(ctx, text)
		return editorMsg{run: run, read: read, err: err, done: func(text string, err error) tea.Msg { return summaryEditedMsg{v, text, err} }}
	}
}

func (m *Model) summaryEdited(msg summaryEditedMsg) tea.Cmd {
	if msg.err != nil {
		return m.miss(msg.err)
	}
	msg.view.SetText(msg.text)
	return nil
}
