package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// InlineStyle is an inline style whose escape sequences are computed once: those before a text and
// those after it. It is for text that is drawn for every token of a reply.
type InlineStyle struct{ before, after string }

// NewInlineStyle returns the inline style of a style. The style has no padding, margin, border or width.
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
