package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/changes"
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

// openSearch opens the search, and begins one where a text is given.
func (v *views) openSearch(text string) pane.Action {
	keys := v.env.Keys.Search
	one := &searchView{Model: search.New(search.Options{Styles: v.look.search(), Keys: &keys})}
	shown := v.open(one)
	if text == "" {
		return shown
	}
	one.SetQuery(text)
	return several{shown, one.typed(text, 0)}
}

// typed begins a search after a pause.
func (s *searchView) typed(text string, pause time.Duration) tea.Cmd {
	s.closed()
	s.text = text
	msg := searchMsg{s, s.seq}
	if pause == 0 {
		return func() tea.Msg { return msg }
	}
	return tea.Tick(pause, func(time.Time) tea.Msg { return msg })
}

// closed gives the search up that runs or waits for a pause.
func (s *searchView) closed() {
	s.seq++
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}

// search searches for the newest text.
func (v *views) search(msg searchMsg) pane.Action {
	one := msg.view
	if msg.seq != one.seq {
		return nil
	}
	if one.text == "" {
		one.Show(search.Content{})
		return nil
	}
	ctx, cancel := context.WithCancel(v.env.ctx)
	one.cancel = cancel
	one.Show(search.Content{Query: one.text, Busy: true})
	backend, text := v.env.Backend, one.text
	return tea.Cmd(func() tea.Msg {
		defer cancel()
		got, err := backend.Search(ctx, text)
		return foundMsg{one, msg.seq, got, err}
	})
}

// showHits shows what a search found, unless another text was typed meanwhile.
func (v *views) showHits(msg foundMsg) {
	one := msg.view
	if msg.seq != one.seq {
		return
	}
	one.cancel = nil
	c := search.Content{
		Query: msg.got.Query, Hits: msg.got.Hits, Conversations: msg.got.Conversations, More: msg.got.More,
		Unread: msg.got.Unread, Damaged: msg.got.Damaged, Took: msg.got.Took, Now: v.env.Now(),
	}
	if msg.err != nil {
		c.Query, c.Err = one.text, msg.err.Error()
	}
	one.Show(c)
}

func (s *searchView) gauged() bool   { return true }
func (s *searchView) restyle(l look) { s.SetStyles(l.search()) }
func (s *searchView) renew(*views)   {}

func (s *searchView) act(_ *views, a pane.Action) pane.Action {
	switch a := a.(type) {
	case search.Query:
		return s.typed(a.Text, typingPause)
	case search.Open:
		return showHit{s, a.Conversation, target{a.Event, a.Query}}
	}
	return a
}

// showHit shows a place that a search found, over that search.
type showHit struct {
	from         *searchView
	conversation string
	at           target
}

// What the conversation changed in files on the screen. It is worked out beside the
// screen, each time the log gets longer.

type diffView struct {
	*changes.Model
	asked uint64 // the newest event when it was asked for
	seq   int    // of the newest question
}

// openDiff opens the view of what changed.
func (v *views) openDiff() pane.Action {
	if no := v.cannotOpen(); no != nil {
		return no
	}
	if _, open := v.top().(*diffView); open {
		return nil
	}
	keys := v.env.Keys.Diff
	return v.open(&diffView{Model: changes.New(changes.Options{Styles: v.look.changes(), Keys: &keys})})
}

func (d *diffView) gauged() bool   { return true }
func (d *diffView) restyle(l look) { d.SetStyles(l.changes()) }

func (d *diffView) renew(v *views) {
	newest := v.session.log.newest()
	switch {
	case d.seq == 0:
		d.Show(changes.Content{Title: v.session.Title})
	case newest == d.asked:
		return
	}
	d.asked = newest
	d.seq++
	v.due = v.env.loadChanges(d, d.seq, v.session.log)
}

// changed shows what was worked out last.
func (v *views) changed(msg changedMsg) {
	if d := msg.view; msg.seq == d.seq {
		d.Show(changes.Content{Title: v.session.Title, Files: msg.files, Loaded: true})
	}
}

func (d *diffView) act(_ *views, a pane.Action) pane.Action {
	if c, ok := a.(changes.Copy); ok {
		return several{tea.SetClipboard(c.Text), say("copied " + c.What)}
	}
	return a
}
