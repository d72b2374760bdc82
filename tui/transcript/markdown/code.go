package markdown

import (
	"bytes"
	"image/color"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"plimsoll/tui/pane"
)

// Code is coloured by chroma directly, line by line: that costs half of what it costs through glamour, and coloured code
// can be cached for any width. The language of a block without one is not guessed (guessing costs more than colouring),
// and only the first maxColoured bytes of a huge block are coloured. Long lines are broken between any two characters;
// code is indented, so that it differs from text even without colours.

const (
	maxColoured = 32 << 10
	codeIndent  = 2
	// roomForIndent is the minimum width at which code is indented.
	roomForIndent = 24
)

// joinLines returns the text of lines, with the delimiters that were replaced.
func joinLines(lines *text.Segments, source []byte) string {
	return string(restoreDelimiters(lines.Value(source)))
}

// fence lays out a fenced block. While the block is open and the text is streaming it has no colours: see liveFence.
func (p *page) fence(n *ast.FencedCodeBlock, width int) []string {
	language := string(restoreDelimiters(n.Language(p.source)))
	code := joinLines(n.Lines(), p.source)
	if strings.TrimSpace(code) == "" {
		return nil
	}
	if p.streaming && p.open(n) {
		return p.r.codeRows(language, plainCode(code), width)
	}
	return p.code(language, code, width)
}

// code lays out complete code.
func (p *page) code(language, code string, width int) []string {
	if p.r.unwrapped {
		return notIndented(strings.Split(strings.TrimRight(code, "\n"), "\n"))
	}
	return p.r.codeRows(language, p.r.highlight(language, code), width)
}

// open reports whether a fence has lines and no closing fence before the end of the parsed source.
func (p *page) open(n *ast.FencedCodeBlock) bool {
	l := n.Lines().Len()
	if l == 0 {
		return false
	}
	end := n.Lines().At(l - 1).Stop
	return len(bytes.Trim(p.source[min(end, p.parsed):p.parsed], "> \t\n")) == 0
}

// codeRows breaks and indents coloured lines, below a row with the name of their language.
func (r *Renderer) codeRows(language string, lines []string, width int) []string {
	out := r.surface.label(make([]string, 0, len(lines)+1), language, width)
	for _, l := range lines {
		out = r.codeRow(out, l, width)
	}
	return out
}

// codeRow appends the rows of one coloured line.
func (r *Renderer) codeRow(out []string, line string, width int) []string {
	from, indented := len(out), width >= roomForIndent
	if indented {
		out = fit(out, line, width-codeIndent)
	} else {
		out = fit(out, line, width)
	}
	for i := from; i < len(out); i++ {
		switch {
		case indented && i > from:
			out[i] = r.surface.broken + out[i]
		case indented && out[i] != "":
			out[i] = strings.Repeat(" ", codeIndent) + out[i]
		}
		out[i] = r.surface.row(out[i], width)
	}
	return out
}

// highlight returns the lines of code, coloured if the language is known. The result is cached and must not be
// changed.
func (r *Renderer) highlight(language, code string) []string {
	code = strings.TrimRight(code, "\n")
	key := cacheKey{kinds: language, text: code}
	lines, ok := r.cache.lines[key]
	if !ok {
		lines = r.coloured(language, code)
		r.cache.put(key, lines)
	}
	return lines
}

// coloured returns the lines of code. The first maxColoured bytes are coloured if the language is known.
func (r *Renderer) coloured(language, code string) []string {
	lexer := r.lexer(language)
	if lexer == nil || r.code == nil {
		return plainCode(code)
	}
	cut := len(code)
	if cut > maxColoured {
		cut = strings.LastIndexByte(code[:maxColoured], '\n')
	}
	if cut <= 0 {
		return plainCode(code)
	}
	lines := r.colour(lexer, strings.Join(plainCode(code[:cut]), "\n"))
	if rest := code[cut:]; rest != "" {
		lines = append(lines, plainCode(strings.TrimPrefix(rest, "\n"))...)
	}
	return lines
}

// plainCode returns the lines of code without colours.
func plainCode(code string) []string {
	lines := strings.Split(code, "\n")
	for i, l := range lines {
		lines[i] = codeLine(l)
	}
	return lines
}

// codeLine returns a line of code as it is shown, without colours.
func codeLine(line string) string { return strings.TrimRight(pane.ExpandTabs(line), " ") }

// lexer returns the lexer for a language as it is written in the source, or nil if it is unknown.
func (r *Renderer) lexer(language string) chroma.Lexer {
	if language == "" || len(language) > 32 {
		return nil
	}
	if l, ok := r.lexers[language]; ok {
		return l
	}
	l := lexers.Get(language)
	if len(r.lexers) < 256 {
		r.lexers[language] = l
	}
	return l
}

// colour colours code without tabs and trailing blanks. If the lexer fails or changes the text, the code stays plain.
func (r *Renderer) colour(lexer chroma.Lexer, code string) (lines []string) {
	defer func() {
		if recover() != nil {
			lines = plainCode(code)
		}
	}()
	tokens, err := lexer.Tokenise(nil, code)
	if err != nil {
		return plainCode(code)
	}
	var b strings.Builder
	open, rest := "", code
	begin := func(style string) {
		if open != style && open != "" {
			b.WriteString(reset)
		}
		if open != style {
			b.WriteString(style)
		}
		open = style
	}
	for t := range tokens.Stdlib() {
		v := t.Value
		if len(v) > len(rest) { // lexers add a line feed at the end
			v = v[:len(rest)]
		}
		if !strings.HasPrefix(rest, v) {
			return plainCode(code)
		}
		rest = rest[len(v):]
		for i, part := range strings.Split(v, "\n") {
			if i > 0 {
				begin("")
				lines = append(lines, b.String())
				b.Reset()
			}
			if strings.TrimLeft(part, " ") != "" {
				begin(r.begin(t.Type))
			}
			b.WriteString(part)
		}
	}
	if rest != "" {
		return plainCode(code)
	}
	begin("")
	return append(lines, b.String())
}

// begin is the SGR sequence that starts a token of a type; empty if the token looks like plain text.
func (r *Renderer) begin(t chroma.TokenType) string {
	if s, ok := r.sgr[t]; ok {
		return s
	}
	var s ansi.Style
	e, base := r.code.Get(t), r.code.Get(chroma.Text)
	if e.Colour.IsSet() && e.Colour != base.Colour {
		var shown color.Color = ansi.RGBColor{R: e.Colour.Red(), G: e.Colour.Green(), B: e.Colour.Blue()}
		if r.style.Surface == "" { // a theme in the terminal's own colours
			shown = ansi.Convert16(shown)
		}
		s = s.ForegroundColor(shown)
	}
	if e.Bold == chroma.Yes {
		s = s.Bold()
	}
	if e.Italic == chroma.Yes {
		s = s.Italic(true)
	}
	if e.Underline == chroma.Yes {
		s = s.Underline(true)
	}
	sgr := ""
	if len(s) > 0 {
		sgr = s.String()
	}
	r.sgr[t] = sgr
	return sgr
}
