package tui

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/overlay"
)

// What needs a yes before it happens: a conversation that would be sent elsewhere
// than before, settings that came with a folder. The question opens as that of a
// call does, once the user pauses. Closing it is a no.

// Consent is the error of what needs a yes first. Nothing was sent and nothing
// changed. One of Open and Switch is set; without Decline a no leaves everything as
// it is, and begins a new conversation where none is open.
type Consent struct {
	Title    string
	Question string // what would happen
	Yes, No  string // what the answers do, in a few words
	Declined string // what the user can do after a no
	// Open opens the conversation all the same.
	Open func(ctx context.Context) (Conversation, error)
	// Decline opens it after a no.
	Decline func(ctx context.Context) (Conversation, error)
	// Switch makes the change all the same.
	Switch func(ctx context.Context) error
}

// Error is the question.
func (c *Consent) Error() string { return c.Question }

// dialogConsent is the ID of the question for a yes.
const dialogConsent = "confirm/consent"

// needsConsent takes over an error that asks for a yes; false for every other.
func (m *Model) needsConsent(err error) (tea.Cmd, bool) {
	var c *Consent
	if !errors.As(err, &c) {
		return nil, false
	}
	m.dropConsent()
	m.door.consent = c
	m.questions = append(m.questions, question{callID: dialogConsent, dialog: overlay.NewConfirm(overlay.ConfirmOptions{
		ID: dialogConsent, Title: c.Title, Question: c.Question, Yes: c.Yes, No: c.No, Danger: true})})
	return m.openQuestions(), true
}

// dropConsent closes the question for a yes, if there is one.
func (m *Model) dropConsent() {
	m.door.consent = nil
	m.questions = slices.DeleteFunc(m.questions, func(q question) bool {
		if q.callID == dialogConsent {
			m.overlays.Remove(q.dialog, m.options.Now())
		}
		return q.callID == dialogConsent
	})
}

// consented carries out the answer.
func (m *Model) consented(yes bool) tea.Cmd {
	c := m.door.consent
	m.dropConsent()
	switch {
	case c == nil:
		return nil
	case yes && c.Open != nil:
		return m.enter(c.Open)
	case yes:
		ctx := m.ctx
		return func() tea.Msg { return switchedMsg{err: c.Switch(ctx)} }
	}
	cmd := m.say(c.Declined, false)
	switch {
	case c.Decline != nil:
		return tea.Batch(cmd, m.enter(c.Decline))
	case !m.talk.open:
		return tea.Batch(cmd, m.enter(m.options.Backend.New))
	}
	return cmd
}
