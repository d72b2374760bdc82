package screen

import (
	"context"
	"maps"
	"slices"
	"strings"

	"plimsoll/agent"
	"plimsoll/agent/updates"
	"plimsoll/cli/session"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// liveSession is a running conversation as the screen drives it, from one goroutine: the
// agent, the rules of its tools, and its settings.
type liveSession struct {
	*agent.Agent
	r     *session.Running
	pace  *Pace
	quiet *quiet
}

// Take waits for the next updates, and for the next frame.
func (s liveSession) Take(ctx context.Context) ([]updates.Update, error) {
	s.quiet.wait(ctx, s.Agent.Updates())
	updates, err := s.pace.take(ctx, s.Agent.Updates())
	s.quiet.watch(updates)
	return updates, err
}

// Judge says what rules would let run if they were granted.
func (s liveSession) Judge(callID string, rules []string) (conversation.Offer, error) {
	return s.r.Box.Judge(callID, rules)
}

// Rules lists the rules in force.
func (s liveSession) Rules(ctx context.Context) ([]conversation.Rule, error) {
	return s.r.Box.Rules(ctx)
}

// Revoke ends a granted rule.
func (s liveSession) Revoke(ctx context.Context, r conversation.Rule) error {
	return s.r.Box.Revoke(ctx, r)
}

// SetMode changes what runs without asking.
func (s liveSession) SetMode(m conversation.Mode) { s.r.Box.SetMode(m) }

// SetProfile chooses the default profile, and records it with the conversation.
// One that does not exist changes nothing: the screen offers those that do.
func (s liveSession) SetProfile(name string) {
	s.r.SetProfile(name)
}

// profilesOf lists the profiles by name, each with what it does.
func profilesOf(r preset.Rules) []tui.Profile {
	var out []tui.Profile
	for _, name := range slices.Sorted(maps.Keys(r.Profiles)) {
		out = append(out, tui.Profile{Name: name, Note: profileNote(r.Profiles[name]), Summarises: r.Profiles[name].Summarize})
	}
	return out
}

// profileNote says on a line what a profile does.
func profileNote(p preset.Profile) string {
	if p.Summarize {
		if p.Summary.Model != "" {
			return p.Summary.Model + " writes a summary"
		}
		return "the model writes a summary"
	}
	var parts []string
	if p.Reasoning == conversation.ReasoningStrip {
		parts = append(parts, "reasoning")
	}
	switch {
	case p.ToolCalls == conversation.ToolCallsOmit:
		parts = append(parts, "calls and results")
	case p.ToolCalls == conversation.ToolCallsStrip && p.Request && p.Response:
		parts = append(parts, "arguments", "results")
	case p.ToolCalls == conversation.ToolCallsStrip && p.Request:
		parts = append(parts, "arguments")
	case p.ToolCalls == conversation.ToolCallsStrip && p.Response:
		parts = append(parts, "results")
	}
	if len(parts) == 0 {
		return "changes nothing"
	}
	if last := len(parts) - 1; last > 0 {
		parts = []string{strings.Join(parts[:last], ", ") + " and " + parts[last]}
	}
	return "shortens " + parts[0]
}
