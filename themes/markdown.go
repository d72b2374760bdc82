package themes

// MarkdownStyle is how Markdown text looks. Nothing has a margin or padding, so that copied text is the original.
type MarkdownStyle struct {
	Headings                 [3]Face // of level one, two, and three to six
	Strong, Emphasis, Struck Face
	Link, Code               Face
	Quote, Item, Rule, HTML  Face   // the bar of a quote, list markers, horizontal rules, raw HTML
	CodeMark                 string // around inline code, in a theme without colours
	Syntax                   Syntax // the colours of code blocks; zero for plain code
	Surface                  string // the background of code blocks, "" for none
	Label                    Face   // the language of a code block, and the marks of its wrapped lines
}

// Face is the text style of one element. A colour is "#rrggbb", or empty for that of the surrounding text.
type Face struct {
	Colour                          string
	Bold, Italic, Underline, Struck bool
}

// With returns the style of an element inside another: inner wins, and f fills in what inner does not set.
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

// Markdown returns the style of Markdown text in a theme.
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
