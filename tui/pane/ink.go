package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Ink is an inline style whose escape sequences are computed once: those before a text and
// those after it. It is for text that is drawn for every token of a reply.
type Ink struct{ before, after string }

// NewInk returns the ink of a style. The style has no padding, margin, border or width.
func NewInk(s lipgloss.Style) Ink {
	before, after, _ := strings.Cut(s.Render("."), ".")
	return Ink{before, after}
}

// Render draws a text of one line.
func (i Ink) Render(text string) string {
	if text == "" {
		return ""
	}
	return i.before + text + i.after
}

// Plain reports whether the ink changes nothing.
func (i Ink) Plain() bool { return i.before == "" }
