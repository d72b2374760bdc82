package pane

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact/projection"
	"plimsoll/themes"
)

// StylesOf returns the styles of views in a theme.
func StylesOf(s themes.Styles) Styles {
	return Styles{
		Title: s.Title, Detail: s.Muted, Rule: s.Rule, Text: s.Text, Muted: s.Muted, Key: s.Title,
		Selected: s.Selected, Match: s.Match, Warning: s.Warning, Error: s.Error,
	}
}

// StateStyles returns the styles of the words that say how an item is sent.
func StateStyles(s themes.StateStyles) map[projection.State]lipgloss.Style {
	return map[projection.State]lipgloss.Style{
		projection.StateVerbatim: s.Verbatim, projection.StateCapped: s.Capped, projection.StateMasked: s.Masked,
		projection.StateSummarised: s.Summarised, projection.StateDropped: s.Dropped, projection.StatePinned: s.Pinned,
	}
}

// SegmentBarStyles returns the styles of a bar of segments with the glyphs g.
func SegmentBarStyles(s themes.Styles, g Glyphs) BarStyles {
	u := s.Gauge
	bar := BarStyles{Glyphs: g, Free: s.Dimmed, Reserve: u.Reserve, End: u.Hard}
	for segment, style := range map[projection.Segment]lipgloss.Style{
		projection.System: u.System, projection.Tools: u.Tools, projection.Summary: u.Summary, projection.User: u.User,
		projection.Assistant: u.Assistant, projection.Reasoning: u.Reasoning, projection.Calls: u.Calls,
		projection.Results: u.Results, projection.Stubs: u.Stubs, projection.Draft: u.Draft,
	} {
		bar.Segments[segment] = style
	}
	return bar
}
