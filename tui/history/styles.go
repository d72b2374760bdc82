package history

import (
	"charm.land/lipgloss/v2"

	"plimsoll/themes"
)

// Styles are the styles of the history.
type Styles struct {
	themes.Styles
	Markdown themes.MarkdownStyle
}

// unstyled is the style of texts as they were and as they are sent.
var unstyled lipgloss.Style
