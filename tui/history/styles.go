package history

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// Styles are the looks of the history. All must be inline: no padding, margin,
// border or width.
type Styles struct {
	Pane pane.Styles

	User, Assistant  lipgloss.Style // who said it
	ToolOK, ToolFail lipgloss.Style // the mark of a call
	Tool, Subject    lipgloss.Style // its name, and what it is about
	Said, Sent       lipgloss.Style // texts, on either side
	Turn             lipgloss.Style // the line on which a turn begins
	Event            lipgloss.Style // the line of an overlay, a model or a notice
	Link             lipgloss.Style // the number that jumps

	Badges    map[projection.State]lipgloss.Style
	TakenBack lipgloss.Style
}

// DefaultStyles are looks in the terminal's own sixteen colours, which read on dark
// and light backgrounds.
func DefaultStyles() Styles {
	colour := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	bold, plainly, quiet := lipgloss.NewStyle().Bold(true), lipgloss.NewStyle(), colour("8")
	return Styles{
		Pane: pane.Styles{
			Title: bold, Detail: quiet, Rule: quiet, Text: plainly, Muted: quiet, Key: bold,
			Selected: colour("6"), Match: lipgloss.NewStyle().Reverse(true), Warning: colour("3"), Error: colour("1"),
		},
		User: colour("6").Bold(true), Assistant: bold, ToolOK: colour("2"), ToolFail: colour("1"), Tool: bold, Subject: plainly,
		Said: plainly, Sent: plainly, Turn: quiet, Event: quiet, Link: colour("6"),
		Badges: map[projection.State]lipgloss.Style{
			projection.StateVerbatim: quiet, projection.StateCapped: colour("3"), projection.StateMasked: colour("5"),
			projection.StateSummarised: colour("4"), projection.StateDropped: colour("1"), projection.StatePinned: colour("2"),
		},
		TakenBack: quiet,
	}
}
