package markdown

import (
	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"

	"plimsoll/themes"
)

// A theme is a Renderer of its own, so that what is kept can never have another theme's colours. The width may
// change: what is kept is kept by width, and coloured code without one.

// minWidth is the least width that is laid out for; a terminal below it gets lines of this width.
const minWidth = 4

// Renderer renders in one style. It belongs to one goroutine.
type Renderer struct {
	style   themes.MarkdownStyle
	width   int
	parser  parser.Parser
	faces   map[themes.Face]string    // how each begins
	drawers map[int]renderer.Renderer // glamour, by width
	marks   marks
	kept    cache
	links   bool // the terminal knows links

	unwrapped bool // see Unwrapped

	surface surface
	code    *chroma.Style               // nil for code without colours
	sgr     map[chroma.TokenType]string // how a token begins, from code
	lexers  map[string]chroma.Lexer     // by language as written; nil for one that is not known
}

// Measure is the most cells of a line of prose: the eye loses longer ones. Code and tables may be wider.
const Measure = 100

// New returns a renderer for lines of at most width cells.
func New(style themes.MarkdownStyle, width int) *Renderer {
	r := &Renderer{
		style:   style,
		width:   max(minWidth, width),
		parser:  newParser(),
		faces:   map[themes.Face]string{},
		drawers: map[int]renderer.Renderer{},
		marks:   newMarks(style),
		sgr:     map[chroma.TokenType]string{},
		lexers:  map[string]chroma.Lexer{},
	}
	r.surface = newSurface(style)
	r.code = chromaStyle(style.Syntax)
	return r
}

// newParser reads GitHub's Markdown, but no definitions of link references: see piece.
func newParser() parser.Parser {
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(parser.DefaultInlineParsers()...))
	return goldmark.New(goldmark.WithParser(p), goldmark.WithExtensions(extension.GFM)).Parser()
}

// prose is the room for text in a block of a width, which is indented by what is missing to the whole.
func (r *Renderer) prose(width int) int {
	if r.unwrapped {
		return width
	}
	return min(width, max(minWidth, Measure-(r.width-width)))
}

// SetWidth changes the width of the lines from now on. Streams follow at their next Lines.
func (r *Renderer) SetWidth(width int) { r.width = max(minWidth, width) }

// Render returns the lines of a finished text. The caller owns the slice.
func (r *Renderer) Render(source string) []string {
	s := r.Stream()
	s.Append(source)
	return s.Finish()
}

// Stream returns a stream for a text that is still arriving.
func (r *Renderer) Stream() *Stream { return &Stream{r: r, width: r.width} }
