package tui

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
)

// The history browser on the screen. It shows the log as far as the view of the
// meter reaches, so that both sides speak of the same moment.

type historyView struct {
	*history.Model
	through  uint64 // the newest event shown
	revision uint64 // of the view shown
	begun    bool
}

// openHistory opens the browser, or closes it where it is in sight.
func (m *Model) openHistory() tea.Cmd {
	if _, open := m.views.top().(*historyView); open {
		return m.closeView()
	}
	return m.openHistoryAt(0, "")
}

// openHistoryAt opens it at an event, 0 for the end, with what was searched for.
func (m *Model) openHistoryAt(event uint64, query string) tea.Cmd {
	if !m.talk.open {
		return m.say(m.refusal(), true)
	}
	if !m.transcript.Said() {
		return m.say("nothing was said yet: there is no history", true)
	}
	v, open := m.views.top().(*historyView)
	var cmd tea.Cmd
	if !open {
		keys := m.options.Keys.History
		v = &historyView{Model: history.New(history.Options{Styles: m.look.history(), Keys: &keys, Zone: m.zone()})}
		cmd = m.open(v)
	}
	if event != 0 {
		v.Jump(event, query)
	}
	return cmd
}

// slashHistory opens the history, at a turn or an event if one is named.
func (m *Model) slashHistory(args string) tea.Cmd {
	if args == "" {
		return m.openHistoryAt(0, "")
	}
	if events := m.eventsNamed(args); len(events) > 0 {
		return m.openHistoryAt(events[0], "")
	}
	return m.say("there is no turn and no event "+strconv.Quote(args)+"; write a turn's number (3) or an event (e41)", true)
}

func (v *historyView) gauged() bool   { return true }
func (v *historyView) restyle(l look) { v.SetStyles(l.history()) }

// renew shows what joined the log, or how else it is shown.
func (v *historyView) renew(m *Model) tea.Cmd {
	view := m.talk.meter.View()
	used, prompt := m.usedTokens()
	v.SetUsed(used, prompt)
	if v.begun && view.Through == v.through && view.Revision == v.revision {
		return nil
	}
	log := logThrough(m.talk.log, view.Through)
	content := history.Content{Log: log, View: view, Requests: compact.Requests(log), Factor: m.factor(), Used: used, Prompt: prompt, Title: m.talk.Title, ReadOnly: m.talk.ReadOnly}
	if v.begun {
		v.Refresh(content)
	} else {
		v.Show(content)
	}
	v.begun, v.through, v.revision = true, view.Through, view.Revision
	return nil
}

// usedTokens is what the gauge shows as used, and how much of it is the system prompt
// and the tools. A reply that is arriving is no part of it, as it is none of the history.
func (m *Model) usedTokens() (used, prompt int) {
	r := m.talk.meter.Reading()
	return r.Used, r.Segments[compact.System] + r.Segments[compact.Tools]
}

// logThrough is the beginning of a log, to an event.
func logThrough(log []conversation.Event, last uint64) []conversation.Event {
	n := len(log)
	for n > 0 && log[n-1].Seq > last {
		n--
	}
	return log[:n]
}

func (v *historyView) act(m *Model, a pane.Action) tea.Cmd {
	switch a := a.(type) {
	case history.Wanted:
		return m.loadRequest(a.Event)
	case history.FullWanted:
		return m.loadFull(a.Event)
	case history.Copy:
		return tea.Batch(tea.SetClipboard(a.Text), m.say("copied "+a.What, false))
	case history.CopyFull:
		return m.copyFull(a)
	case history.Fork:
		return m.forkAt(a.Before)
	case history.Resend:
		return m.resend(a.Turn)
	}
	return nil
}

// resend takes the turns from one on back; what was said in the first of them is
// in the composer then.
func (m *Model) resend(turn int) tea.Cmd {
	if why := m.unrewindable(); why != "" {
		return m.say(why, true)
	}
	m.closeViews()
	return m.rewind(turn)
}

// requestMsg brings a request of the past.
type requestMsg struct {
	id  string // of the conversation
	got compact.Rebuilt
	err error
}

// fullMsg brings the full text of a result.
type fullMsg struct {
	id    string
	event uint64
	text  string
	err   error
}

func (m *Model) loadRequest(event uint64) tea.Cmd {
	ctx, archive, id := m.ctx, m.options.Backend, m.talk.ID
	return func() tea.Msg {
		got, err := archive.Request(ctx, event)
		got.Event = event // also of one that cannot be made again
		return requestMsg{id, got, err}
	}
}

func (m *Model) loadFull(event uint64) tea.Cmd {
	ctx, archive, id := m.ctx, m.options.Backend, m.talk.ID
	return func() tea.Msg {
		text, err := archive.Full(ctx, event)
		return fullMsg{id, event, text, err}
	}
}

// copyMsg brings the full text of a result for the clipboard.
type copyMsg struct {
	fullMsg
	cut string // in its place where it cannot be read
}

// copyFull reads the full text of a result for the clipboard. It reads for itself, so
// that the text also arrives when the history is closed meanwhile.
func (m *Model) copyFull(a history.CopyFull) tea.Cmd {
	read := m.loadFull(a.Event)
	said := m.say("the whole text is still being read: it is copied then", false)
	return tea.Batch(said, func() tea.Msg { return copyMsg{read().(fullMsg), a.Cut} })
}

// copied puts a text that was read on the clipboard. The text of a conversation that was
// left does not go there: what was copied since then stays.
func (m *Model) copied(msg copyMsg) tea.Cmd {
	switch {
	case msg.id != m.talk.ID:
		return m.say("the result was not copied: its conversation is closed", true)
	case msg.err != nil:
		return tea.Batch(tea.SetClipboard(msg.cut), m.say("copied the result as it was cut: the whole text cannot be read: "+msg.err.Error(), true))
	}
	return tea.Batch(tea.SetClipboard(msg.text), m.say("copied the whole result", false))
}

// archived gives what was read to the history that is open, if it is about the same
// conversation still.
func (m *Model) archived(id string, give func(*history.Model)) {
	for _, v := range m.views.stack {
		if h, ok := v.(*historyView); ok && id == m.talk.ID {
			give(h.Model)
		}
	}
}

// forkFrom opens a copy of what was said before an event.
func forkFrom(host Backend, before uint64) func(context.Context) (Conversation, error) {
	return func(ctx context.Context) (Conversation, error) { return host.ForkAt(ctx, before) }
}
