package tui

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact"
	"plimsoll/tui/account"
	"plimsoll/tui/history"
	"plimsoll/tui/ledger"
	"plimsoll/tui/pane"
	"plimsoll/tui/preview"
	"plimsoll/tui/search"
)

// What a theme makes of the full-screen views.

// pane is what they share.
func (l look) pane() pane.Styles {
	f, t, o := l.styles.Frame, l.styles.Text, l.styles.Overlay
	return pane.Styles{
		Title: f.Header, Detail: f.Detail, Rule: f.Rule, Text: o.Text, Muted: t.Muted, Key: f.HelpKey,
		Selected: o.Selected, Match: l.styles.Match, Warning: t.Warning, Error: t.Error,
	}
}

// states is the badges.
func (l look) states() map[compact.State]lipgloss.Style {
	s := l.styles.State
	return map[compact.State]lipgloss.Style{
		compact.StateVerbatim: s.Verbatim, compact.StateCapped: s.Capped, compact.StateMasked: s.Masked,
		compact.StateSummarised: s.Summarised, compact.StateDropped: s.Dropped, compact.StatePinned: s.Pinned,
	}
}

// segments is the categories of the gauge.
func (l look) segments() map[compact.Segment]lipgloss.Style {
	g := l.styles.Gauge
	return map[compact.Segment]lipgloss.Style{
		compact.System: g.System, compact.Tools: g.Tools, compact.Summary: g.Summary, compact.User: g.User,
		compact.Assistant: g.Assistant, compact.Reasoning: g.Reasoning, compact.Calls: g.Calls,
		compact.Results: g.Results, compact.Stubs: g.Stubs, compact.Draft: g.Draft,
	}
}

func (l look) account() account.Styles {
	g := l.styles.Gauge
	return account.Styles{Styles: l.pane(), Segments: l.segments(), States: l.states(),
		Bar: l.styles.Frame.Status, Load: g.Warning, Hard: g.Danger, Reserve: g.Reserve}
}

func (l look) history() history.Styles {
	t, tool := l.styles.Text, l.styles.Tool
	return history.Styles{
		Pane: l.pane(), User: t.UserMark, Assistant: t.Assistant, ToolOK: tool.OK, ToolFail: tool.Error, Tool: tool.Name,
		Subject: tool.Subject, Said: t.Assistant, Sent: t.Assistant, Turn: t.Muted, Event: t.Notice, Link: t.UserMark,
		Badges: l.states(), TakenBack: t.Muted,
	}
}

func (l look) preview() preview.Styles {
	t := l.styles.Text
	return preview.Styles{Pane: l.pane(), Chosen: t.UserMark, Kept: t.Muted, Saved: l.styles.Diff.Added}
}

func (l look) ledger() ledger.Styles {
	t, tool := l.styles.Text, l.styles.Tool
	return ledger.Styles{Styles: l.pane(), Results: map[compact.EntryResult]lipgloss.Style{
		compact.ResultInForce: tool.OK, compact.ResultUndone: t.Muted, compact.ResultFailed: t.Warning,
		compact.ResultCancelled: t.Muted, compact.ResultStale: t.Muted,
	}}
}
func (l look) review() pane.Styles   { return l.pane() }
func (l look) search() search.Styles { return search.Styles{Styles: l.pane()} }
