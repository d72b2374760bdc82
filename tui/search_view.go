package tui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/tui/changes"
	"plimsoll/tui/pane"
	"plimsoll/tui/search"
)

// The search over all conversations as a full-screen view. A search begins when typing
// pauses, and is cancelled when its text changes.

type searchView struct {
	*search.Model
	seq    int                // number of the newest query
	cancel context.CancelFunc // cancels the running search; nil if no search runs
}

// typingPause is the pause in typing after which a search begins.
const typingPause = 200 * time.Millisecond

// openSearch opens the search, and searches for text unless it is "".
func (v *views) openSearch(text string) pane.Action {
	view := &searchView{Model: search.New(&v.env.Keys.Search)}
	shown := v.show(view)
	if text == "" {
		return shown
	}
	view.SetQuery(text)
	return actionList{shown, view.searchAfterPause(v, text, 0)}
}

func (s *searchView) searchAfterPause(v *views, text string, pause time.Duration) tea.Cmd {
	s.stopWork()
	seq := s.seq
	return afterDelay(pause, func() pane.Action {
		if seq != s.seq {
			return nil
		}
		return s.search(v, text)
	})
}

// stopWork cancels the search that runs or waits for a pause.
func (s *searchView) stopWork() {
	s.seq++
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}

// search searches for a text, and shows the result unless the query changed meanwhile.
func (s *searchView) search(v *views, text string) pane.Action {
	if text == "" {
		s.Show(search.Content{})
		return nil
	}
	ctx, cancel := context.WithCancel(v.env.ctx)
	s.cancel = cancel
	s.Show(search.Content{Found: Found{Query: text}, Busy: true})
	backend, seq := v.env.Backend, s.seq
	return doAsync(func() (Found, error) { return backend.Search(ctx, text) }, func(got Found, err error) pane.Action {
		cancel()
		if seq != s.seq {
			return nil
		}
		c := search.Content{Found: got, Now: v.env.Now()}
		if err != nil {
			c.Query, c.Err = text, err.Error()
		}
		s.Show(c)
		return nil
	})
}

func (s *searchView) restyle(ts themeStyles) { s.SetStyles(ts.pane()) }
func (s *searchView) refresh(*views)         {}

func (s *searchView) handleAction(v *views, a pane.Action) pane.Action {
	switch a := a.(type) {
	case search.Query:
		return s.searchAfterPause(v, a.Text, typingPause)
	case search.Open:
		return showHit{s, a.Conversation, target{a.Event, a.Query}}
	}
	return a
}

// showHit is the action that shows a search hit, over that search.
type showHit struct {
	from         *searchView
	conversation string
	at           target
}

// The changed files of the conversation as a full-screen view. A command computes them
// each time the log grows.

type diffView struct {
	*changes.Model
	requestedAt uint64 // the newest event when they were requested
	seq         int    // number of the newest request
	turn        int    // it shows what changed since this turn
	isPlan      bool   // it shows what a rewind would do, and is not refreshed
}

// openDiff shows what changed, from a turn on that args may name.
func (v *views) openDiff(args string) pane.Action {
	turn, err := strconv.Atoi(cmp.Or(args, "1"))
	if turn--; err != nil || turn < 0 {
		return refusal("usage: /diff [TURN]")
	}
	if _, open := v.topView().(*diffView); open {
		return nil
	}
	return v.open(&diffView{Model: changes.New(&v.env.Keys.Diff), turn: turn})
}

func (d *diffView) restyle(ts themeStyles) { d.SetStyles(ts.styles) }

func (d *diffView) refresh(v *views) {
	newest, title := v.session.log.newest(), v.session.Title
	if d.turn > 0 {
		title = "from turn " + pane.Turn(d.turn) + " on · " + title
	}
	switch {
	case d.isPlan:
		return
	case d.seq == 0:
		d.Show(changes.Content{Title: title})
	case newest == d.requestedAt:
		return
	}
	d.requestedAt = newest
	d.seq++
	ctx, b, seq, log := v.env.ctx, v.env.Backend, d.seq, v.session.log
	kept, turn := conversation.FilesSince(log, d.turn), d.turn
	compare := func() ([]changes.File, error) {
		since := slices.DeleteFunc(slices.Clone(log), func(e conversation.Event) bool { return e.Turn < turn })
		return b.OnDisk(ctx, diff.ChangedFiles(since), kept), nil
	}
	v.pendingCommand = doAsync(compare, func(files []changes.File, _ error) pane.Action {
		if seq == d.seq {
			d.Show(changes.Content{Title: title, Files: files, Loaded: true})
		}
		return nil
	})
}
