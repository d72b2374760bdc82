package history

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact/projection"
	"plimsoll/themes"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// Styles are the looks of the history. All must be inline: no padding, margin,
// border or width.
type Styles struct {
	Pane pane.Styles

	User, Assistant lipgloss.Style // who said it
	Summary         lipgloss.Style // what was written in place of it
	ToolFail        lipgloss.Style // that a call failed
	Same            lipgloss.Style // that a request is what was sent
	Failure         lipgloss.Style // why it failed
	Tool, Subject   lipgloss.Style // its name, and what it is about
	Said, Sent      lipgloss.Style // texts, on either side
	Faint           lipgloss.Style // turns, names of events, marks
	Event           lipgloss.Style // the line of a model or a notice
	Epoch           lipgloss.Style // that of a compaction
	Band            lipgloss.Style // behind the text of the row with the cursor
	Link            lipgloss.Style // the number that jumps

	Markdown  themes.MarkdownStyle
	Badges    map[projection.State]lipgloss.Style
	TakenBack lipgloss.Style
	Diff      diffview.Styles // of edits
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
		User: colour("6").Bold(true), Assistant: bold, Same: colour("2"), ToolFail: colour("1"), Failure: colour("1"), Tool: bold, Subject: plainly,
		Said: plainly, Sent: plainly, Summary: bold, Faint: quiet, Event: quiet, Epoch: plainly, Link: colour("6"),
		Badges: map[projection.State]lipgloss.Style{
			projection.StateVerbatim: quiet, projection.StateCapped: colour("3"), projection.StateMasked: colour("5"),
			projection.StateSummarised: colour("4"), projection.StateDropped: colour("1"), projection.StatePinned: colour("2"),
		},
		TakenBack: quiet,
	}
}
