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

// DefaultStyles returns styles in the terminal's own sixteen colours, which are readable
// on dark and light backgrounds.
func DefaultStyles() Styles {
	colour := func(c string) lipgloss.Style { return lipgloss.NewStyle().Foreground(lipgloss.Color(c)) }
	return Styles{
		Border:      colour("8"),
		Shell:       colour("5"),
		Label:       colour("8"),
		Text:        lipgloss.NewStyle(),
		Placeholder: colour("8"),
		Selection:   lipgloss.NewStyle().Reverse(true),
		Chip:        colour("6"),
		Mention:     colour("6"),
		Unknown:     colour("1").Bold(true),
		Item:        lipgloss.NewStyle(),
		Selected:    lipgloss.NewStyle().Bold(true),
		Detail:      colour("8"),
	}
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
