package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
	"plimsoll/themes"
)

// Code stands on a surface as wide as there is room, below the name of its language. Where a line of code had to be
// broken, its other rows begin with a mark. Without a surface there is no name: it would read as a line of code.

// surface is what code stands on.
type surface struct {
	fill   string // begins the surface; empty for none
	name   string // begins the name of a language
	broken string // before the rows that a long line goes on in, as wide as codeIndent
}

// brokenMark is the mark of a row that goes on.
const brokenMark = "↳"

func newSurface(s themes.MarkdownStyle) surface {
	f := surface{broken: paint(sgr(s.Label), brokenMark) + " "}
	if s.Surface != "" {
		f.fill = ansi.Style{}.BackgroundColor(lipgloss.Color(s.Surface)).String()
		f.name = sgr(s.Label).String() + f.fill // no other row begins in this order
	}
	return f
}

// label appends the row with the name of a language, if there is a surface and a name.
func (f surface) label(out []string, language string, width int) []string {
	name := ansi.Truncate(plain.Line(language), max(0, width-2*codeIndent), "…")
	if f.fill == "" || name == "" {
		return out
	}
	return append(out, f.name+strings.Repeat(" ", max(0, width-codeIndent-ansi.StringWidth(name)))+name+strings.Repeat(" ", codeIndent)+reset)
}

// row is a line on the surface.
func (f surface) row(line string, width int) string {
	if f.fill == "" {
		return line
	}
	blanks := strings.Repeat(" ", max(0, width-ansi.StringWidth(line)))
	return f.fill + strings.ReplaceAll(line, reset, reset+f.fill) + blanks + reset
}

// Label reports whether a line that a renderer of this style made is the name of a language rather than text.
func (r *Renderer) Label(line string) bool {
	return r.surface.name != "" && strings.Contains(line, r.surface.name)
}

// chromaStyle is the colours of code as chroma takes them; nil for none.
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
