package meter

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact"
)

// Styles are the looks of the gauge. They must be inline: no padding, margin,
// border or width.
type Styles struct {
	Segments [compact.Draft + 1]lipgloss.Style // by compact.Segment; Draft's is that of ·
	Levels   [3]lipgloss.Style                 // by pane.Level: percentages, ▲, the bar's ends
	Free     lipgloss.Style
	Reserve  lipgloss.Style
	Number   lipgloss.Style // used and window
	Detail   lipgloss.Style // cost and cached share
}

// DefaultStyles are looks in the terminal's own sixteen colours, which read on
// dark and light backgrounds.
func DefaultStyles() Styles {
	colour := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	var s Styles
	for segment, c := range map[compact.Segment]string{
		compact.System: "8", compact.Tools: "8", compact.Summary: "5", compact.User: "4", compact.Assistant: "6",
		compact.Reasoning: "6", compact.Calls: "2", compact.Results: "2", compact.Stubs: "8", compact.Draft: "4",
	} {
		s.Segments[segment] = colour(c)
	}
	s.Levels = [3]lipgloss.Style{lipgloss.NewStyle(), colour("3").Bold(true), colour("1").Bold(true)}
	s.Free = lipgloss.NewStyle()
	s.Reserve = colour("8")
	s.Number = lipgloss.NewStyle()
	s.Detail = colour("8")
	return s
}
