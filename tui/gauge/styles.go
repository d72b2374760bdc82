package gauge

import (
	"charm.land/lipgloss/v2"

	"plimsoll/tui/pane"
)

// Styles are the styles of the gauge. They must be inline: no padding, margin,
// border or width.
type Styles struct {
	pane.BarStyles                   // its End is not used: the hard line's level replaces it
	Levels         [3]lipgloss.Style // by pane.Level: percentages, ▲, the bar's ends
	Number         lipgloss.Style    // used and window, what comes next
	Detail         lipgloss.Style    // cost, the legend
}
