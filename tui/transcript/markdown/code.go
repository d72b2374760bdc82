package markdown

import (
	"bytes"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Code is coloured by chroma directly, line by line: that costs half of what it costs through glamour, and what was
// coloured can be kept for any width. Code without a language is not guessed at (guessing costs more than colouring),
// and of a huge block the first maxColoured bytes are coloured. Long lines are broken hard; code is indented, so that
// it can be told from text without colour.

const (
	maxColoured = 32 << 10
	codeIndent  = 2
	// roomForIndent is the width from which on code is indented.
	roomForIndent = 24
)

// joinLines is the text of a block's lines, as it was before the guard.
func joinLines(lines *text.Segments, source []byte) string {
	var b strings.Builder
	for i := range lines.Len() {
		seg := lines.At(i)
		b.Write(unguard(seg.Value(source)))
	}
	return b.String()
}

// shownLines is source text as it stands.
func shownLines(b []byte) string { return string(unguard(b)) }

// fence lays out a fenced block. While it is still open and the text arrives, it is coloured now and then only.
func (p *page) fence(n *ast.FencedCodeBlock, width int) []string {
	language := string(unguard(n.Language(p.source)))
	code := joinLines(n.Lines(), p.source)
	if strings.TrimSpace(code) == "" {
		return nil
	}
	if p.growing != nil && p.open(n) {
		return p.r.codeRows(language, p.growing.lines(p.r, language, code), width)
	}
	return p.code(language, code, width)
}

// code lays out complete code.
func (p *page) code(language, code string, width int) []string {
	if p.r.unwrapped {
		return flushed(strings.Split(strings.TrimRight(code, "\n"), "\n"))
	}
	return p.r.codeRows(language, p.r.highlight(language, code), width)
}

// open reports whether a fence reaches the end of what was parsed: it has lines, and nothing closes it.
func (p *page) open(n *ast.FencedCodeBlock) bool {
	l := n.Lines().Len()
	if l == 0 {
		return false
	}
	end := n.Lines().At(l - 1).Stop
	return len(bytes.Trim(p.source[min(end, p.parsed):p.parsed], "> \t\n")) == 0
}

// codeRows breaks and indents coloured lines, below the name of their language.
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

// highlight returns the lines of code, coloured if the language is known. What it returns is kept and must not be
// changed.
func (r *Renderer) highlight(language, code string) []string {
	code = strings.TrimRight(code, "\n")
	lexer := r.lexer(language)
	if lexer == nil || r.code == nil {
		return plainCode(code)
	}
	key := keyOf('c', nil, []byte(language), []byte(code))
	if lines, ok := r.kept.get(key); ok {
		return lines
	}
	head, rest := code, ""
	if len(code) > maxColoured {
		cut := strings.LastIndexByte(code[:maxColoured], '\n') + 1
		head, rest = code[:cut], code[cut:]
	}
	var lines []string
	if head != "" {
		lines = r.colour(lexer, strings.TrimSuffix(head, "\n"))
	}
	if rest != "" || head == "" {
		lines = append(lines, plainCode(rest)...)
	}
	r.kept.put(key, lines)
	return lines
}

// plainCode is the lines of code without colours.
func plainCode(code string) []string {
	lines := strings.Split(code, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(expandTabs(l), " ")
	}
	return lines
}

// lexer looks a language up as it was written; nil if it is not known.
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

// colour tokenises code. Should the lexer fail or change the text, the code stays plain.
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
	w := codeWriter{}
	rest := code
	for t := range tokens.Stdlib() {
		v := t.Value
		if len(v) > len(rest) { // lexers add a line feed at the end
			v = v[:len(rest)]
		}
		if !strings.HasPrefix(rest, v) {
			return plainCode(code)
		}
		rest = rest[len(v):]
		w.write(r.begin(t.Type), v)
	}
	if rest != "" {
		return plainCode(code)
	}
	w.endLine()
	return w.lines
}

// begin is the SGR that starts a token of a type; empty if it looks like plain text.
func (r *Renderer) begin(t chroma.TokenType) string {
	if s, ok := r.sgr[t]; ok {
		return s
	}
	var s ansi.Style
	e, base := r.code.Get(t), r.code.Get(chroma.Text)
	if e.Colour.IsSet() && e.Colour != base.Colour {
		s = s.ForegroundColor(ansi.RGBColor{R: e.Colour.Red(), G: e.Colour.Green(), B: e.Colour.Blue()})
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

// codeWriter gathers coloured lines: tabs expanded, no trailing spaces, each line closed.
type codeWriter struct {
	lines  []string
	buf    []byte
	style  string // open in buf
	col    int
	blanks int // spaces not yet written
}

func (w *codeWriter) write(style, s string) {
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '\n':
			w.endLine()
			i++
			continue
		case ' ':
			w.blanks++
			w.col++
			i++
			continue
		case '\t':
			n := tabStop - w.col%tabStop
			w.blanks += n
			w.col += n
			i++
			continue
		}
		end := i
		for end < len(s) && s[end] != '\n' && s[end] != ' ' && s[end] != '\t' {
			if s[end]&0xc0 != 0x80 {
				w.col++
			}
			end++
		}
		w.put(style, s[i:end])
		i = end
	}
}

func (w *codeWriter) put(style, word string) {
	if w.style != style && w.style != "" {
		w.buf = append(w.buf, reset...)
		w.style = ""
	}
	for ; w.blanks > 0; w.blanks-- {
		w.buf = append(w.buf, ' ')
	}
	if w.style != style {
		w.buf = append(w.buf, style...)
		w.style = style
	}
	w.buf = append(w.buf, word...)
}

func (w *codeWriter) endLine() {
	if w.style != "" {
		w.buf = append(w.buf, reset...)
	}
	w.lines = append(w.lines, string(w.buf))
	w.buf, w.style, w.col, w.blanks = w.buf[:0], "", 0, 0
}

// growingCode colours code that is still arriving: anew only when it has grown by half since the last time, so that
// all the times together cost thrice the last. What is newer is plain meanwhile.
type growingCode struct {
	language string
	code     string // complete lines that are coloured
	coloured []string
}

// leastGrowth is how much code, in bytes, is worth colouring.
const leastGrowth = 256

func (g *growingCode) lines(r *Renderer, language, code string) []string {
	if g.language != language || !strings.HasPrefix(code, g.code) {
		*g = growingCode{language: language}
	}
	whole := code[:strings.LastIndexByte(code, '\n')+1]
	if grown := len(whole) - len(g.code); grown >= leastGrowth && grown >= len(g.code)/2 && len(whole) <= maxColoured {
		g.code = whole
		g.coloured = nil
		if lexer := r.lexer(language); lexer != nil && r.code != nil {
			g.coloured = r.colour(lexer, strings.TrimSuffix(whole, "\n"))
		} else {
			g.coloured = plainCode(strings.TrimSuffix(whole, "\n"))
		}
	}
	rest := strings.TrimRight(code[len(g.code):], "\n")
	if rest == "" && len(g.coloured) > 0 {
		return g.coloured
	}
	return append(g.coloured[:len(g.coloured):len(g.coloured)], plainCode(rest)...)
}
