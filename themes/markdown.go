package themes

// MarkdownStyle is how Markdown text looks. Nothing has a margin or pads, so that what is copied is the original.
type MarkdownStyle struct {
	Heading, Strong, Emphasis, Struck Face
	Link, Code                        Face
	Quote, Item, Rule, HTML           Face   // the bar of a quote, the marks of items, lines, HTML as it stands
	CodeMark                          string // around inline code, where there is no colour to tell it by
	Syntax                            string // the chroma style of code blocks; empty for code without colours
}

// Face is what sets a text apart from the text around it. A colour is "#rrggbb", or empty for the one around it.
type Face struct {
	Colour                          string
	Bold, Italic, Underline, Struck bool
}

// With is f for a text inside another: what inner sets counts, and of f what inner leaves open.
func (f Face) With(inner Face) Face {
	if inner.Colour == "" {
		inner.Colour = f.Colour
	}
	inner.Bold = inner.Bold || f.Bold
	inner.Italic = inner.Italic || f.Italic
	inner.Underline = inner.Underline || f.Underline
	inner.Struck = inner.Struck || f.Struck
	return inner
}

// Markdown is the style of Markdown text in a theme.
func Markdown(t Theme) MarkdownStyle {
	s := MarkdownStyle{
		Heading:  Face{Colour: t.Accent, Bold: true},
		Strong:   Face{Bold: true},
		Emphasis: Face{Italic: true},
		Struck:   Face{Struck: true},
		Link:     Face{Colour: t.Link, Underline: true},
		Code:     Face{Colour: t.Inline},
		Quote:    Face{Colour: t.Muted},
		Item:     Face{Colour: t.Accent},
		Rule:     Face{Colour: t.Rule},
		HTML:     Face{Colour: t.Muted},
		Syntax:   t.Code,
	}
	if !t.HasColour() {
		s.CodeMark = "`"
	}
	return s
}
