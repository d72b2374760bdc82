package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// InlineStyle holds the escape sequences of a style, those before a text and those after it. They are computed once, because
// some text is drawn again for every token of a reply.
type InlineStyle struct{ before, after string }

// NewInlineStyle computes the escape sequences of a style, which must have no padding, margin, border or width.
func NewInlineStyle(s lipgloss.Style) InlineStyle {
	before, after, _ := strings.Cut(s.Render("."), ".")
	return InlineStyle{before, after}
}

// Render draws a text of one line.
func (i InlineStyle) Render(text string) string {
	if text == "" {
		return ""
	}
	return i.before + text + i.after
}

// Plain reports whether the style changes nothing.
func (i InlineStyle) Plain() bool { return i.before == "" }
