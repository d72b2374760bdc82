package markdown

import (
	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"

	"plimsoll/themes"
)

// Each theme has its own Renderer, so that cached lines never have another theme's colours. The width may
// change: lines are cached by width, and coloured code independently of it.

// minWidth is the minimum width of lines, also on a narrower terminal.
const minWidth = 4

// Renderer renders in one style. It belongs to one goroutine.
type Renderer struct {
	style  themes.MarkdownStyle
	width  int
	parser parser.Parser
	faces  map[themes.Face]string    // SGR sequence that begins each face
	tables map[int]renderer.Renderer // Glamour's, by width
	marks  marks
	cache  cache
	links  bool // the terminal supports links

	unwrapped bool // see Unwrapped

	surface surface
	code    *chroma.Style               // nil for code without colours
	sgr     map[chroma.TokenType]string // SGR sequence that begins a token, from code
	lexers  map[string]chroma.Lexer     // by language as written; nil if unknown
}

// MaxProseWidth is the maximum width of prose in cells, because longer lines are hard to read. Code and tables may be wider.
const MaxProseWidth = 100

// New returns a renderer for lines of at most width cells.
func New(style themes.MarkdownStyle, width int) *Renderer {
	// GitHub's Markdown without definitions of link references: see piece.
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...))
	r := &Renderer{
		style:  style,
		width:  max(minWidth, width),
		parser: goldmark.New(goldmark.WithParser(blocks), goldmark.WithExtensions(extension.GFM)).Parser(),
		faces:  map[themes.Face]string{},
		tables: map[int]renderer.Renderer{},
		marks:  newMarks(style),
		sgr:    map[chroma.TokenType]string{},
		lexers: map[string]chroma.Lexer{},
	}
	r.surface = newSurface(style)
	r.code = chromaStyle(style.Syntax)
	return r
}

// proseWidth is the width of text in a block of a width. An indented block is narrower than the renderer's width.
func (r *Renderer) proseWidth(width int) int {
	if r.unwrapped {
		return width
	}
	return min(width, max(minWidth, MaxProseWidth-(r.width-width)))
}

// SetWidth changes the width of lines. Streams use it at their next call of Lines.
func (r *Renderer) SetWidth(width int) { r.width = max(minWidth, width) }

// Render returns the lines of a finished text. The caller owns the slice.
func (r *Renderer) Render(source string) []string {
	s := r.Stream()
	s.Append(source)
	return s.Finish()
}

// Stream returns a stream for a text that arrives in deltas.
func (r *Renderer) Stream() *Stream { return &Stream{r: r, width: r.width} }
