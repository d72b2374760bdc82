package themes

import "charm.land/glamour/v2/ansi"

// The Markdown style is lean: the document has no colour and no margin, because glamour pads every line with spaces
// styled one by one if it has. Code has no Chroma entries but a Theme: glamour keeps the first set of entries for the
// whole life of the process, so that a change of theme would not recolour code. Nothing pads inline code, so that what
// is copied is the original. Headings keep their # and mono keeps the ` of inline code: they read without colour.

// Markdown is the style of Markdown text in a theme.
func Markdown(t Theme) ansi.StyleConfig {
	accent, muted := colour(t.Accent), colour(t.Muted)
	c := ansi.StyleConfig{
		BlockQuote: ansi.StyleBlock{
			StylePrimitive: ansi.StylePrimitive{Color: muted},
			Indent:         ptr(uint(1)), IndentToken: ptr("│ "),
		},
		List:    ansi.StyleList{LevelIndent: 2},
		Heading: ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: accent, Bold: ptr(true)}},
		H1:      heading("# "),
		H2:      heading("## "),
		H3:      heading("### "),
		H4:      heading("#### "),
		H5:      heading("##### "),
		H6:      heading("###### "),

		Strikethrough:  ansi.StylePrimitive{CrossedOut: ptr(true)},
		Emph:           ansi.StylePrimitive{Italic: ptr(true)},
		Strong:         ansi.StylePrimitive{Bold: ptr(true)},
		HorizontalRule: ansi.StylePrimitive{Color: colour(t.Rule), Format: "\n--------\n"},

		Item:        ansi.StylePrimitive{BlockPrefix: "• ", Color: accent},
		Enumeration: ansi.StylePrimitive{BlockPrefix: ". ", Color: accent},
		Task:        ansi.StyleTask{Ticked: "[✓] ", Unticked: "[ ] "},

		Link:      ansi.StylePrimitive{Color: colour(t.Link), Underline: ptr(true)},
		LinkText:  ansi.StylePrimitive{Color: colour(t.Link), Underline: ptr(true)},
		Image:     ansi.StylePrimitive{Color: colour(t.Link), Underline: ptr(true)},
		ImageText: ansi.StylePrimitive{Color: muted},

		Code:           ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: colour(t.Inline)}},
		CodeBlock:      ansi.StyleCodeBlock{Theme: t.Code},
		DefinitionTerm: ansi.StylePrimitive{Bold: ptr(true)},
		HTMLBlock:      ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: muted}},
		HTMLSpan:       ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: muted}},
	}
	if !t.HasColour() {
		c.Code.Prefix, c.Code.Suffix = "`", "`"
	}
	return c
}

func heading(mark string) ansi.StyleBlock {
	return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: mark}}
}

// colour is nil for no colour, as glamour wants it.
func colour(c string) *string {
	if c == "" {
		return nil
	}
	return &c
}

func ptr[T any](v T) *T { return &v }
