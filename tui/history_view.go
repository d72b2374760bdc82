package tui

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
)

// The history browser as a full-screen view. It shows the log up to the newest event of
// the meter's view, so that messages and what is sent match.

type historyView struct {
	*history.Model
	through         uint64 // the newest event shown
	revision        uint64 // of the view shown
	isFilled        bool
	compactionsOnly bool // it shows only the compactions
}

// newHistory returns the browser, or the list of compactions.
func (v *views) newHistory(compactionsOnly bool) *historyView {
	return &historyView{compactionsOnly: compactionsOnly,
		Model: history.New(&v.env.Keys.History, v.env.Now().Location(), compactionsOnly)}
}

func (v *views) openCompactionLog() pane.Action {
	if view, open := v.topView().(*historyView); open && view.compactionsOnly {
		return nil
	}
	return v.open(v.newHistory(true))
}

// toggleHistory opens the browser, or closes it if it is the top view.
func (v *views) toggleHistory() pane.Action {
	if view, open := v.topView().(*historyView); open && !view.compactionsOnly {
		return v.close()
	}
	return v.openHistoryAt(v.session.log.newestCompaction(), "")
}

// openHistoryAt opens the browser at an event, 0 for the end, with the query that found it.
func (v *views) openHistoryAt(event uint64, query string) pane.Action {
	if v.session.isOpen && !v.session.outline.HasMessages() {
		return refusal("no history yet")
	}
	view, open := v.topView().(*historyView)
	var shown pane.Action
	if !open || view.compactionsOnly {
		view = v.newHistory(false)
		shown = v.open(view)
	}
	if event != 0 {
		view.Jump(event, query)
	}
	return shown
}

// openHistoryNamed opens the browser at a named turn or event, or for "" at the end.
func (v *views) openHistoryNamed(args string) pane.Action {
	if args == "" {
		return v.openHistoryAt(0, "")
	}
	if events := v.session.log.eventsNamed(args); len(events) > 0 {
		return v.openHistoryAt(events[0], "")
	}
	return noSuchMessage(args)
}

func (h *historyView) restyle(ts themeStyles) { h.SetStyles(ts.history()) }

// refresh shows new events, and how events are sent now.
func (h *historyView) refresh(v *views) {
	s := v.session
	view := s.load.meter.View()
	r := s.load.meter.Reading() // without the streaming reply
	used, prompt := r.Used, r.Segments[projection.System]+r.Segments[projection.Tools]
	h.SetUsed(used, prompt)
	if h.isFilled && view.Through == h.through && view.Revision == h.revision {
		return
	}
	n, _ := slices.BinarySearchFunc(s.log, view.Through+1, func(e conversation.Event, seq uint64) int { return cmp.Compare(e.Seq, seq) })
	content := history.Content{Log: s.log[:n], View: view, Requests: inspect.SentRequests(s.log[:n]), Factor: s.load.calibration(),
		Used: used, Prompt: prompt, Title: s.Title, ReadOnly: s.ReadOnly}
	if h.isFilled {
		h.Refresh(content)
	} else {
		h.Show(content)
	}
	h.isFilled, h.through, h.revision = true, view.Through, view.Revision
}

func (h *historyView) handleAction(v *views, a pane.Action) pane.Action {
	switch a := a.(type) {
	case history.RebuildRequest:
		ctx, b := v.env.ctx, v.env.Backend
		rebuild := func() (inspect.RebuiltRequest, error) { return b.Request(ctx, a.Event) }
		return doAsync(rebuild, func(got inspect.RebuiltRequest, err error) pane.Action {
			got.Event = a.Event // also if it cannot be rebuilt
			h.Request(got, err)
			return nil
		})
	case history.ShowWhole:
		return v.env.loadPage("In full", PageResult, fmt.Sprint("e", a.Event))
	}
	return a
}
