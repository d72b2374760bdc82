package overlay

import (
	"charm.land/lipgloss/v2"

	"plimsoll/tui/diffview"
)

// Styles are the looks of the dialogs. They must be inline: no padding,
// margin, border or width.
type Styles struct {
	Border   lipgloss.Style // quiet: the surface tells where the dialog is
	Danger   lipgloss.Style // border of what cannot be undone
	Title    lipgloss.Style
	Text     lipgloss.Style
	Key      lipgloss.Style // keys in help
	Item     lipgloss.Style
	Selected lipgloss.Style
	Detail   lipgloss.Style // hints, weights, what is secondary
	Command  lipgloss.Style
	Warning  lipgloss.Style // why to think twice
	Diff     diffview.Styles
	Hint     lipgloss.Style // what the keys do
	Raised   lipgloss.Style // behind the dialog; none where a terminal shows no surfaces
	Behind   lipgloss.Style // the screen behind the dialog; none leaves it as it is
}

// DefaultStyles are looks in the terminal's own sixteen colours, which read on
// dark and light backgrounds.
func DefaultStyles() Styles {
	colour := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	return Styles{
		Border: colour("4"), Danger: colour("1"), Title: lipgloss.NewStyle().Bold(true), Text: lipgloss.NewStyle(),
		Key: lipgloss.NewStyle().Bold(true), Item: lipgloss.NewStyle(), Selected: lipgloss.NewStyle().Bold(true),
		Detail: colour("8"), Command: colour("6"), Warning: colour("1"),
		Diff: diffview.Styles{Added: colour("2"), Removed: colour("1"), AddedRow: colour("2"), RemovedRow: colour("1"), Number: colour("8"), Note: colour("5")},
		Hint: colour("8"),
	}
}
