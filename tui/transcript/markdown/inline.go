package markdown

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"plimsoll/conversation/plain"
)

// Before a paragraph is drawn its inline nodes are rewritten, so that only texts, emphasis, code and links remain:
//   - raw HTML, which glamour drops, becomes text (and <br> a line break)
//   - escapes and entities are resolved, and the result is sanitised
//   - a link becomes its text and its address
// New text goes to the end of the page's source, where segments can point to it.

// page is a parsed source that is being laid out.
type page struct {
	r         *Renderer
	source    []byte // the parsed source, then the texts added while laying out
	begin     int    // where the current piece begins
	parsed    int    // bytes of source that were parsed
	streaming bool   // a fence in the piece may still be open
}

// newText appends s to the source and returns a node for it.
func (p *page) newText(s string) *ast.Text {
	start := len(p.source)
	p.source = append(p.source, toGlamour.Replace(s)...)
	return ast.NewTextSegment(text.NewSegment(start, len(p.source)))
}

// inline rewrites the children of n. joined means that n is drawn as one string, in which a space replaces
// each line break.
func (p *page) inline(n ast.Node, joined bool) {
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		switch c := c.(type) {
		case *ast.Text:
			p.rewriteText(n, c, joined)
		case *ast.CodeSpan:
			p.rewriteCode(c)
		case *ast.RawHTML:
			p.rewriteHTML(n, c)
		case *ast.Link:
			p.inline(c, joined)
			p.rewriteLink(n, c)
		case *ast.AutoLink:
			n.ReplaceChild(n, c, p.autoLink(c))
		case *ast.Image:
			p.rewriteImage(n, c)
		case *ast.String:
			n.ReplaceChild(n, c, p.newText(literal(c.Value)))
		case *extast.TaskCheckBox:
			n.RemoveChild(n, c)
		case *extast.Strikethrough:
			p.inline(c, true)
		default:
			p.inline(c, joined)
		}
		c = next
	}
}

func (p *page) rewriteText(parent ast.Node, t *ast.Text, joined bool) {
	soft, hard := t.SoftLineBreak(), t.HardLineBreak()
	raw := t.Segment.Value(p.source)
	if joined && (soft || hard) {
		parent.ReplaceChild(parent, t, p.newText(literal(raw)+" "))
		return
	}
	if !special(raw) {
		return
	}
	n := p.newText(literal(raw))
	n.SetSoftLineBreak(soft)
	n.SetHardLineBreak(hard)
	parent.ReplaceChild(parent, t, n)
}

// special reports whether text is shown differently from how it is written.
func special(b []byte) bool {
	for _, c := range b {
		switch c {
		case '\\', '&', '\t', 0xc2, 1, 2, 3, 4, 5:
			return true
		}
	}
	return false
}

// literal resolves backslash escapes and entities, each once and in one pass, and sanitises the result.
func literal(raw []byte) string {
	s := string(restoreDelimiters(raw))
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			b.WriteByte(s[i+1])
			i += 2
		case s[i] == '&':
			n := entity(s[i:])
			b.WriteString(html.UnescapeString(s[i : i+n]))
			i += n
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return plain.Line(b.String())
}

// entity is the length of the entity at the beginning of s, or 1 if s begins with none. An entity needs its semicolon.
func entity(s string) int {
	const longest = 33 // &CounterClockwiseContourIntegral;
	end := strings.IndexByte(s[:min(len(s), longest)], ';')
	if end < 2 || strings.ContainsAny(s[1:end], "& \n") {
		return 1
	}
	return end + 1
}

func (p *page) rewriteCode(c *ast.CodeSpan) {
	var b strings.Builder
	for t := c.FirstChild(); t != nil; t = t.NextSibling() {
		if t, ok := t.(*ast.Text); ok {
			b.Write(restoreDelimiters(t.Segment.Value(p.source)))
		}
	}
	code := b.String()
	c.RemoveChildren(c)
	c.AppendChild(c, p.newText(plain.Line(code)))
}

func (p *page) rewriteHTML(parent ast.Node, h *ast.RawHTML) {
	source := joinLines(h.Segments, p.source)
	tag := strings.ToLower(strings.Join(strings.Fields(source), ""))
	if tag == "<br>" || tag == "<br/>" {
		n := p.newText("")
		n.SetHardLineBreak(true)
		if t, ok := h.NextSibling().(*ast.Text); ok { // the space after <br> is not the next line's indentation
			t.Segment = t.Segment.TrimLeftSpace(p.source)
		}
		parent.ReplaceChild(parent, h, n)
		return
	}
	parent.ReplaceChild(parent, h, p.newText(plain.Line(source)))
}

// plainText returns the text of rewritten inline nodes.
func (p *page) plainText(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(p.source))
		}
		return ast.WalkContinue, nil
	})
	return fromGlamour.Replace(b.String())
}
