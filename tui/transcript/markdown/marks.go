package markdown

import (
	gansi "charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// newMarks takes the looks of the containers from the same style that glamour takes those of the texts from.
func newMarks(c gansi.StyleConfig) marks {
	bar := "│ "
	if c.BlockQuote.IndentToken != nil {
		bar = *c.BlockQuote.IndentToken
	}
	return marks{
		quote:    paint(styleOf(c.BlockQuote.StylePrimitive), bar),
		bullet:   paint(styleOf(c.Item), c.Item.BlockPrefix),
		number:   styleOf(c.Enumeration),
		ticked:   paint(styleOf(c.Task.StylePrimitive), c.Task.Ticked),
		unticked: paint(styleOf(c.Task.StylePrimitive), c.Task.Unticked),
		rule:     styleOf(c.HorizontalRule),
		html:     styleOf(c.HTMLBlock.StylePrimitive),
		codePad:  ansi.StringWidth(c.Code.Prefix + c.Code.Suffix + c.Code.BlockPrefix + c.Code.BlockSuffix),
	}
}

// styleOf is the SGR of a primitive.
func styleOf(p gansi.StylePrimitive) ansi.Style {
	var s ansi.Style
	if p.Color != nil {
		s = s.ForegroundColor(lipgloss.Color(*p.Color))
	}
	if p.Bold != nil && *p.Bold {
		s = s.Bold()
	}
	if p.Faint != nil && *p.Faint {
		s = s.Faint()
	}
	if p.Italic != nil && *p.Italic {
		s = s.Italic(true)
	}
	if p.Underline != nil && *p.Underline {
		s = s.Underline(true)
	}
	return s
}
