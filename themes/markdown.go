package themes

// MarkdownStyle is how Markdown text looks. Nothing has a margin or pads, so that what is copied is the original.
type MarkdownStyle struct {
	Headings                 [3]Face // of the first and second level, and of those below
	Strong, Emphasis, Struck Face
	Link, Code               Face
	Quote, Item, Rule, HTML  Face   // the bar of a quote, the marks of items, lines, HTML as it stands
	CodeMark                 string // around inline code, where there is no colour to tell it by
	Syntax                   Syntax // the colours of code blocks; the zero value for code without
	Surface                  string // the colour behind code blocks, or empty for none
	Label                    Face   // the language of a code block, and marks of its broken lines
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
		Headings: [3]Face{{Colour: t.Accent, Bold: true, Underline: true}, {Colour: t.Accent, Bold: true}, {Bold: true}},
		Strong:   Face{Bold: true},
		Emphasis: Face{Italic: true},
		Struck:   Face{Struck: true},
		Link:     Face{Colour: t.Link, Underline: true},
		Code:     Face{Colour: t.Inline},
		Quote:    Face{Colour: t.Muted},
		Item:     Face{Colour: t.Accent},
		Rule:     Face{Colour: t.Rule},
		HTML:     Face{Colour: t.Muted},
		Syntax:   t.Syntax,
		Surface:  t.Surface,
		Label:    Face{Colour: t.Faint},
	}
	if !t.HasColour() {
		s.CodeMark = "`"
	}
	return s
}
