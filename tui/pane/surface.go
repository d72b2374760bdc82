package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// reset is the escape sequence at the end of every inline style.
const reset = "\x1b[m"

// Surface is a background whose escape sequence is computed once. The zero value has no background.
type Surface struct{ begin string }

// NewSurface returns a surface with the background of a style.
func NewSurface(s lipgloss.Style) Surface { return Surface{NewInlineStyle(s).before} }

// Under draws a line, which may have styles, on the surface. Parts with their own background keep it.
func (s Surface) Under(line string) string {
	if s.begin == "" {
		return line
	}
	return s.begin + strings.ReplaceAll(line, reset, reset+s.begin) + reset
}
