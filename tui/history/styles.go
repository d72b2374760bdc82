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
