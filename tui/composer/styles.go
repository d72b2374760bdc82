package composer

import "charm.land/lipgloss/v2"

// Styles are the styles of the composer. They must be inline: no padding,
// margin, border or width.
type Styles struct {
	Border      lipgloss.Style
	Shell       lipgloss.Style // border and label of a shell line
	Label       lipgloss.Style // the position in the history, the search
	Text        lipgloss.Style
	Placeholder lipgloss.Style
	Selection   lipgloss.Style // selected text
	Chip        lipgloss.Style // a folded paste
	Mention     lipgloss.Style // a mentioned file
	Unknown     lipgloss.Style // a mentioned path that is not a file
	Item        lipgloss.Style // a completion
	Selected    lipgloss.Style // the completion that Enter takes
	Detail      lipgloss.Style // a completion's line of help or its weight
	Raised      lipgloss.Style // the background of completions; empty if the terminal has too few colours
}

// at returns the style of a byte of a line with mentions.
func (s *Styles) at(at int, marks []mention) *lipgloss.Style {
	for _, a := range marks {
		switch {
		case at < a.from || at >= a.to:
		case a.found:
			return &s.Mention
		default:
			return &s.Unknown
		}
	}
	return &s.Text
}
