package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
	"plimsoll/themes"
)

// Code has a background over the whole width, below the name of its language. If a line of code is broken, its further
// rows begin with a mark. Without a background the name is not shown, because it would look like a line of code.

// surface is the background of code.
type surface struct {
	fill   string // SGR sequence that begins the background; may be empty
	name   string // SGR sequence that begins the name of a language
	broken string // mark before further rows of a long line, as wide as codeIndent
}

// brokenMark begins a row that continues a line.
const brokenMark = "↳"

func newSurface(s themes.MarkdownStyle) surface {
	f := surface{broken: paint(sgr(s.Label), brokenMark) + " "}
	if s.Surface != "" {
		f.fill = ansi.Style{}.BackgroundColor(lipgloss.Color(s.Surface)).String()
		f.name = sgr(s.Label).String() + f.fill // Label recognises it by this order, which no other row has
	}
	return f
}

// label appends a row with the name of a language, unless the background or the name is empty.
func (f surface) label(out []string, language string, width int) []string {
	name := ansi.Truncate(plain.Line(language), max(0, width-2*codeIndent), "…")
	if f.fill == "" || name == "" {
		return out
	}
	blanks := strings.Repeat(" ", max(0, width-codeIndent-ansi.StringWidth(name)))
	return append(out, f.name+blanks+name+strings.Repeat(" ", codeIndent)+reset)
}

func (f surface) row(line string, width int) string {
	if f.fill == "" {
		return line
	}
	blanks := strings.Repeat(" ", max(0, width-ansi.StringWidth(line)))
	return f.fill + strings.ReplaceAll(line, reset, reset+f.fill) + blanks + reset
}

// Label reports whether a rendered line is the name of a code block's language.
func (r *Renderer) Label(line string) bool {
	return r.surface.name != "" && strings.Contains(line, r.surface.name)
}

// chromaStyle converts the colours of code for chroma; nil for no colours.
func chromaStyle(s themes.Syntax) *chroma.Style {
	if s == (themes.Syntax{}) {
		return nil
	}
	return chroma.MustNewStyle("", chroma.StyleEntries{
		chroma.Keyword: s.Keyword, chroma.KeywordType: s.Type, chroma.KeywordConstant: s.Number, chroma.Operator: s.Keyword,
		chroma.NameFunction: s.Function, chroma.NameClass: s.Type, chroma.NameBuiltin: s.Function, chroma.NameDecorator: s.Function,
		chroma.NameTag: s.Keyword, chroma.NameAttribute: s.Function, chroma.NameConstant: s.Number, chroma.NameException: s.Type,
		chroma.NameVariable: s.Type, chroma.LiteralString: s.String, chroma.LiteralNumber: s.Number,
		chroma.Comment: "italic " + s.Comment, chroma.CommentPreproc: s.Comment,
		chroma.GenericInserted: s.String, chroma.GenericDeleted: s.Keyword, chroma.GenericHeading: "bold " + s.Function,
		chroma.GenericSubheading: s.Function, chroma.GenericEmph: "italic", chroma.GenericStrong: "bold",
	})
}
