package gauge

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// Styles are the looks of the gauge. They must be inline: no padding, margin,
// border or width.
type Styles struct {
	Segments [projection.Draft + 1]lipgloss.Style // by projection.Segment; Draft's is that of ·
	Levels   [3]lipgloss.Style                    // by pane.Level: percentages, ▲, the bar's ends
	Glyphs   pane.Glyphs                          // of the segments
	Free     lipgloss.Style                       // the track
	Reserve  lipgloss.Style
	Number   lipgloss.Style // used and window
	Detail   lipgloss.Style // cost and cached share
}

// DefaultStyles are looks in the terminal's own sixteen colours, which read on
// dark and light backgrounds.
func DefaultStyles() Styles {
	colour := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	var s Styles
	for segment, c := range map[projection.Segment]string{
		projection.System: "8", projection.Tools: "8", projection.Summary: "5", projection.User: "4", projection.Assistant: "6",
		projection.Reasoning: "6", projection.Calls: "2", projection.Results: "2", projection.Stubs: "8", projection.Draft: "4",
	} {
		s.Segments[segment] = colour(c)
	}
	s.Levels = [3]lipgloss.Style{lipgloss.NewStyle(), colour("3").Bold(true), colour("1").Bold(true)}
	s.Glyphs = pane.Patterns()
	s.Free = colour("8")
	s.Reserve = colour("8")
	s.Number = lipgloss.NewStyle()
	s.Detail = colour("8")
	return s
}
