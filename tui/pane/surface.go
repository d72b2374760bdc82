package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// reset ends every look. Inline styles end with it.
const reset = "\x1b[m"

// Surface is a background worked out once. The zero value has none and leaves lines as they are.
type Surface struct{ begin string }

// NewSurface is the background of a style.
func NewSurface(s lipgloss.Style) Surface { return Surface{NewInk(s).before} }

// Under puts the surface under a line, which may be styled. Backgrounds of its own stay.
func (s Surface) Under(line string) string {
	if s.begin == "" {
		return line
	}
	return s.begin + strings.ReplaceAll(line, reset, reset+s.begin) + reset
}
