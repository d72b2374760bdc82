package markdown

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/themes"
)

// marks holds the styled marks of containers.
type marks struct {
	quote            string // before every line of a quote
	bullet           string
	number           ansi.Style
	ticked, unticked string
	rule             ansi.Style
	html             ansi.Style
}

func newMarks(s themes.MarkdownStyle) marks {
	return marks{
		quote:    paint(sgr(s.Quote), "│ "),
		bullet:   paint(sgr(s.Item), "• "),
		number:   sgr(s.Item),
		ticked:   "[✓] ",
		unticked: "[ ] ",
		rule:     sgr(s.Rule),
		html:     sgr(s.HTML),
	}
}

func sgr(f themes.Face) ansi.Style {
	var s ansi.Style
	if f.Colour != "" {
		s = s.ForegroundColor(lipgloss.Color(f.Colour))
	}
	if f.Underline {
		s = s.Underline(true)
	}
	if f.Bold {
		s = s.Bold()
	}
	if f.Italic {
		s = s.Italic(true)
	}
	if f.Struck {
		s = s.Strikethrough(true)
	}
	return s
}

// paint styles a text, unless the style or the text is empty.
func paint(s ansi.Style, text string) string {
	if len(s) == 0 || text == "" {
		return text
	}
	return s.String() + text + reset
}
