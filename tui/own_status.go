package tui

import (
	"context"
	"errors"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// A status line of the user's own stands at the left of the bottom line, in place of the hints. A command writes it, which runs
// when a conversation opens and when a turn or a compaction ends, one at a time; in between nothing runs.

// StatusFacts are what the command is told.
type StatusFacts struct {
	Conversation, Title, Model, Mode string
	Used, Window                     int      // tokens; Window is 0 if it is unknown
	CostUSD                          *float64 // nil: unknown
}

// ownStatus is the line, and the state of the command.
type ownStatus struct {
	text           string
	running, stale bool
}

// refreshOwnStatus runs the command, or once more after the running one.
func (c *chat) refreshOwnStatus() pane.Action {
	o, run := &c.ownStatus, c.env.OwnStatus
	switch {
	case run == nil || !c.session.isOpen:
		return nil
	case o.running:
		o.stale = true
		return nil
	}
	o.running, o.stale = true, false
	s, r, ctx := c.session, c.session.load.meter.Reading(), c.env.ctx
	facts := StatusFacts{Conversation: s.ID, Title: s.Title, Model: s.Model.Name(), Mode: string(s.Mode), Used: r.Used, Window: r.Window.Tokens, CostUSD: r.CostUSD}
	return doAsync(func() (string, error) { return run(ctx, facts) }, func(text string, err error) pane.Action {
		if o.running = false; errors.Is(err, context.Canceled) {
			return nil
		}
		if err != nil {
			text = "ui.status_command: " + err.Error()
		}
		if o.text = plain.Line(text); o.stale {
			return c.refreshOwnStatus()
		}
		return nil
	})
}
