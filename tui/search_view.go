package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
	"plimsoll/tui/search"
)

// The search over all conversations on the screen. It begins when typing pauses; a
// search whose text was changed is given up.

type searchView struct {
	*search.Model
	seq    int // of the newest text
	text   string
	cancel context.CancelFunc // of the search that runs, nil without one
}

// typingPause is how long nothing is typed before a search begins.
const typingPause = 200 * time.Millisecond

// searchMsg says that typing paused.
type searchMsg struct {
	view *searchView
	seq  int
}

// foundMsg brings what a search found.
type foundMsg struct {
	view *searchView
	seq  int
	got  Found
	err  error
}

func (m *Model) slashSearch(args string) tea.Cmd {
	keys := m.options.Keys.Search
	v := &searchView{Model: search.New(search.Options{Styles: m.look.search(), Keys: &keys})}
	cmd := m.open(v)
	if args == "" {
		return cmd
	}
	v.SetQuery(args)
	return tea.Batch(cmd, v.typed(args, 0))
}

// typed begins a search after a pause.
func (v *searchView) typed(text string, pause time.Duration) tea.Cmd {
	v.left()
	v.text = text
	msg := searchMsg{v, v.seq}
	if pause == 0 {
		return func() tea.Msg { return msg }
	}
	return tea.Tick(pause, func(time.Time) tea.Msg { return msg })
}

// left gives the search up that runs or waits for a pause.
func (v *searchView) left() {
	v.seq++
	if v.cancel != nil {
		v.cancel()
		v.cancel = nil
	}
}

// search searches for the newest text.
func (m *Model) search(msg searchMsg) tea.Cmd {
	v := msg.view
	if msg.seq != v.seq {
		return nil
	}
	if v.text == "" {
		v.Show(search.Content{})
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	v.cancel = cancel
	v.Show(search.Content{Query: v.text, Busy: true})
	archive, text := m.options.Backend, v.text
	return func() tea.Msg {
		defer cancel()
		got, err := archive.Search(ctx, text)
		return foundMsg{v, msg.seq, got, err}
	}
}

// showHits shows what a search found, unless another text was typed meanwhile.
func (m *Model) showHits(msg foundMsg) tea.Cmd {
	v := msg.view
	if msg.seq != v.seq {
		return nil
	}
	v.cancel = nil
	c := search.Content{
		Query: msg.got.Query, Conversations: msg.got.Conversations, More: msg.got.More,
		Unread: msg.got.Unread, Damaged: msg.got.Damaged, Took: msg.got.Took, Now: m.options.Now(),
	}
	if msg.err != nil {
		c.Query, c.Err = v.text, msg.err.Error()
	}
	for _, h := range msg.got.Hits {
		c.Hits = append(c.Hits, search.Hit(h))
	}
	v.Show(c)
	return nil
}

func (v *searchView) gauged() bool         { return true }
func (v *searchView) restyle(l look)       { v.SetStyles(l.search()) }
func (v *searchView) renew(*Model) tea.Cmd { return nil }

func (v *searchView) act(m *Model, a pane.Action) tea.Cmd {
	switch a := a.(type) {
	case search.Query:
		return v.typed(a.Text, typingPause)
	case search.Open:
		return m.showHit(v, a.Conversation, place{a.Event, a.Query})
	}
	return nil
}

// showHit shows a place of a conversation in the history, over the search that found
// it, and opens the conversation for that if it is another one.
func (m *Model) showHit(from *searchView, conversation string, at place) tea.Cmd {
	if conversation == m.talk.ID && m.talk.open {
		return m.openHistoryAt(at.event, at.query)
	}
	if m.door.busy {
		return m.say("a conversation is still being opened", true)
	}
	cmd := m.resume(conversation)
	m.door.spot, m.door.from = at, from
	return cmd
}
