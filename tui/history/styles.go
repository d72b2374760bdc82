package history

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact/projection"
	"plimsoll/themes"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// Styles are the styles of the history. All must be inline: no padding, margin,
// border or width.
type Styles struct {
	Pane pane.Styles

	User, Assistant lipgloss.Style // the author of a message
	Summary         lipgloss.Style // "note" and "summary" as the author
	ToolFail        lipgloss.Style // the word "failed" of a tool result
	Same            lipgloss.Style // a rebuilt request that equals the sent one
	Failure         lipgloss.Style // the text of a failure
	Tool, Subject   lipgloss.Style // the name of a tool, and the subject of a call
	Original, Sent  lipgloss.Style // texts as they were, and as they are sent
	Faint           lipgloss.Style // turns, names of events, marks
	Event           lipgloss.Style // the line of a model change or a notice
	Epoch           lipgloss.Style // the line of a compaction
	Band            lipgloss.Style // background of the row with the cursor
	Link            lipgloss.Style // the mark of the cursor

	Markdown themes.MarkdownStyle
	Badges   map[projection.State]lipgloss.Style
	Undone   lipgloss.Style
	Diff     diffview.Styles
}
