package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Ink is an inline style worked out once, for what is drawn at every token: what the
// terminal is told before a text and after it.
type Ink struct{ before, after string }

// NewInk is the ink of a style without padding, margin, border and width.
func NewInk(s lipgloss.Style) Ink {
	before, after, _ := strings.Cut(s.Render("."), ".")
	return Ink{before, after}
}

// Render is a text of one line in this ink.
func (i Ink) Render(text string) string {
	if text == "" {
		return ""
	}
	return i.before + text + i.after
}

// Plain reports whether the ink leaves text as it is.
func (i Ink) Plain() bool { return i.before == "" }
