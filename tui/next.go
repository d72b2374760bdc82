package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/gauge"
	"plimsoll/tui/pane"
)

// What comes next for the window is a phrase beside the gauge. It follows the forecast of the
// planner, which the agent computes when a turn ends, and the tokens that were added since.

// maxTurnsAhead is the largest number of turns that is announced: more are a guess.
const maxTurnsAhead = 99

// nextForms returns the phrase in forms from the longest to the shortest; none if nothing is to come.
func (c *chat) nextForms(r meter.Reading) []string {
	s, job := c.session, c.session.activity.summary
	switch {
	case job.running:
		return []string{"summarizing " + pane.Turns(job.fromTurn, job.toTurn), "summarizing"}
	case r.Window.IsKnown() && max(r.Used, r.AfterSend) > r.Window.Tokens:
		return []string{"over the window"}
	case s.isCacheCold():
		return []string{"cache cold"}
	}
	if left := s.cache.countdown(s.env.Now()); left != "" && !s.activity.busy() {
		return []string{"cache cold in " + left, "cold in " + left}
	}
	if s.cache.kept != "" && !s.activity.busy() {
		return []string{s.cache.kept, "cache kept warm"}
	}
	return s.compactionForms(r)
}

// compactionForms says when the next automatic compaction comes, and of what.
func (s *session) compactionForms(r meter.Reading) []string {
	f, then := s.breakdown.Forecast, s.breakdown.Reading
	if r.LoadLine == 0 || f.State == planner.TimingOff || f.State == planner.TimingUnknown {
		return nil
	}
	at := []string{"compacts at " + pane.Tokens(r.LoadLine), "▲ at " + pane.Tokens(r.LoadLine)}
	if f.State == "" || then.LoadLine != r.LoadLine { // not computed yet, or for other rules
		return at
	}
	left := f.TokensLeft - max(0, r.AfterSend-then.Used)
	switch {
	case left <= 0 && f.AtTokens > 0 && (f.EvictTo >= 0 || f.State != planner.TimingNow):
		when := "compacts next"
		if s.activity.turnRuns() {
			when = "compacts after this reply"
		}
		forms := []string{when, "compacts next"}
		if f.EvictTo >= 0 && f.After > 0 {
			of := ": " + pane.Turns(f.EvictFrom, f.EvictTo) + " → ~" + pane.Tokens(f.After)
			forms = append([]string{when + of, "compacts next" + of}, forms...)
		}
		return forms
	case left <= 0:
		return nil // there is too little to compact
	case f.State == planner.TimingAfterUndo || f.State == planner.TimingCooldown:
		return []string{"next compaction at " + pane.Tokens(f.AtTokens), "next at " + pane.Tokens(f.AtTokens)}
	case f.Turns > 0 && f.Turns <= maxTurnsAhead:
		in := "in ~" + numbers.Count(max(1, f.Turns*left/max(f.TokensLeft, 1)), "turn")
		return []string{"compacts " + in, "▲ " + in}
	}
	return at
}

// going returns the tokens by segment of what the summary that is being written will replace.
func (s *session) going() gauge.Tokens {
	var out gauge.Tokens
	job := s.activity.summary
	if !job.running {
		return out
	}
	m := s.load.meter
	view := m.View()
	for i := range view.Messages {
		msg := &view.Messages[i]
		if msg.Turn < job.fromTurn || msg.Turn > job.toTurn || msg.Role == projection.RoleSystem {
			continue
		}
		calls := 0
		for j := range msg.Calls {
			calls += int(m.TextTokens(msg.Calls[j].Size))
		}
		out[projection.Calls] += calls
		out[msg.Segment()] += int(m.MessageTokens(msg)) - calls
	}
	return out
}

// A compaction that landed moves the bar of the gauge, if motion is on and the terminal has the focus.

// shrinkStep is the time of a step: the whole movement takes 300 ms.
const shrinkStep = 300 * time.Millisecond / gauge.Steps

// shrinkTick is the time for the next step.
type shrinkTick struct{ chat *chat }

// metered starts the movement where the request became shorter by a change of how events are sent.
func (c *chat) metered() pane.Action {
	from, to := c.metering, c.session.load.meter.Reading()
	c.metering = to
	c.legendDue = c.legendDue || to.LoadLine > 0 && to.Used >= to.LoadLine*3/4
	if from.Revision == to.Revision || !c.env.Motion || c.animation.unfocused || !to.Window.IsKnown() ||
		from.Used-to.Used < to.Window.Tokens/50 {
		return nil
	}
	running := c.gauge.Moves()
	c.gauge.Shrink(from)
	if running {
		return nil
	}
	return c.nextShrink()
}

func (c *chat) nextShrink() pane.Action {
	return tea.Tick(shrinkStep, func(time.Time) tea.Msg { return shrinkTick{c} })
}

// stepped moves the gauge on, until it has arrived.
func (t shrinkTick) stepped() pane.Action {
	if t.chat.gauge.Step() {
		return t.chat.nextShrink()
	}
	return nil
}

// legendOpen reports whether a line below the gauge names its segments. Until a key opens or closes it, it
// stands in an empty conversation, with the demo model, and once three quarters of
// the way to the load line are used; not beside the panel, which says the same.
func (c *chat) legendOpen() bool {
	switch {
	case c.area.height < minLegendHeight:
		return false
	case c.legendChosen:
		return c.legendWanted
	}
	return c.session.isOpen && !c.panelOpen() && (!c.transcript.HasMessages() || c.legendDue || c.session.Model.Badge != "")
}

// minLegendHeight is the minimum height of a screen with the legend.
const minLegendHeight = 16

func (c *chat) toggleLegend() { c.legendWanted, c.legendChosen = !c.legendOpen(), true }
