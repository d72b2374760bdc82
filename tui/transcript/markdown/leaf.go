package markdown

import (
	"bytes"
	"strings"

	gansi "charm.land/glamour/v2/ansi"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// A leaf is a document of its own for glamour, at its own width. Should glamour fail on one, its source is shown.

// maxLeaves bounds the glamour renderers that are kept, one per width in use.
const maxLeaves = 64

func (r *Renderer) glamour(width int) renderer.Renderer {
	if g, ok := r.leaves[width]; ok {
		return g
	}
	if len(r.leaves) >= maxLeaves {
		clear(r.leaves)
	}
	wrap := true
	node := gansi.NewRenderer(gansi.Options{
		WordWrap: width, TableWrap: &wrap, InlineTableLinks: true, PreserveNewLines: true, Styles: r.style,
	})
	g := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(node, 1000)))
	r.leaves[width] = g
	return g
}

// leaf renders a paragraph, heading or table whose inline nodes are rewritten. It takes n out of its tree.
func (p *page) leaf(n ast.Node, width int) []string {
	fallback := n.Lines()
	doc := ast.NewDocument()
	doc.AppendChild(doc, n)
	out, ok := p.draw(doc, width)
	if !ok {
		return plainLines(shownLines(fallback.Value(p.source)), width)
	}
	var lines []string
	for line := range strings.SplitSeq(out, "\n") {
		lines = fit(lines, clean(line), width)
	}
	return trimBlank(lines)
}

// draw runs glamour. A renderer that panicked is not used again: its stack of blocks is no longer empty.
func (p *page) draw(doc ast.Node, width int) (out string, ok bool) {
	defer func() {
		if recover() != nil {
			delete(p.r.leaves, width)
			out, ok = "", false
		}
	}()
	var b bytes.Buffer
	if err := p.r.glamour(width).Render(&b, p.source, doc); err != nil {
		delete(p.r.leaves, width)
		return "", false
	}
	return b.String(), true
}

// paragraph renders the inline content of n, whatever block it is.
func (p *page) paragraph(n ast.Node, width int) []string {
	para, ok := n.(*ast.Paragraph)
	if !ok {
		para = ast.NewParagraph()
		para.SetLines(n.Lines())
		adopt(para, n)
	}
	p.inline(para, false)
	return p.leaf(para, width)
}

// adopt moves the children of from to n.
func adopt(n, from ast.Node) {
	for c := from.FirstChild(); c != nil; {
		next := c.NextSibling()
		n.AppendChild(n, c)
		c = next
	}
}

func (p *page) heading(h *ast.Heading, width int) []string {
	p.inline(h, true)
	lines := p.leaf(h, width)
	if len(lines) == 0 {
		return []string{strings.Repeat("#", h.Level)}
	}
	return lines
}

// leastColumn is the width below which a column of a table cannot be read.
const leastColumn = 8

// table renders a table as wide as its content, or row by row where its columns would be too narrow.
func (p *page) table(t *extast.Table, width int) []string {
	natural, columns := 0, 0
	var widths []int
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		col := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			p.inline(cell, false)
			w := p.cellWidth(cell)
			if col == len(widths) {
				widths = append(widths, 0)
			}
			widths[col] = max(widths[col], w)
			col++
		}
	}
	for _, w := range widths {
		natural += max(w, 1) + 3 // a space on both sides and a line
		columns++
	}
	if columns*leastColumn > width && natural-1 > width {
		return p.records(t, width)
	}
	if header := t.FirstChild(); header != nil {
		for cell := header.FirstChild(); cell != nil; cell = cell.NextSibling() {
			bold := ast.NewEmphasis(2)
			adopt(bold, cell)
			cell.AppendChild(cell, bold)
		}
	}
	return p.leaf(t, min(width, natural-1))
}

// cellWidth is the width of a cell on one line, or of its longest line.
func (p *page) cellWidth(cell ast.Node) int {
	widest, w := 0, 0
	_ = ast.Walk(cell, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			w += p.r.marks.codePad
		case *ast.Text:
			w += ansi.StringWidth(string(n.Segment.Value(p.source)))
			if n.HardLineBreak() {
				widest, w = max(widest, w), 0
			}
		}
		return ast.WalkContinue, nil
	})
	return max(widest, w)
}

// records shows each row as lines of "header: cell", a blank line between rows.
func (p *page) records(t *extast.Table, width int) []string {
	var names []string
	var out []string
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		if _, header := row.(*extast.TableHeader); header {
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				names = append(names, p.plainText(cell))
			}
			continue
		}
		if len(out) > 0 {
			out = append(out, "")
		}
		col := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			para := ast.NewParagraph()
			if col < len(names) && names[col] != "" {
				bold := ast.NewEmphasis(2)
				bold.AppendChild(bold, p.newText(names[col]+":"))
				para.AppendChild(para, bold)
				para.AppendChild(para, p.newText(" "))
			}
			adopt(para, cell)
			out = append(out, p.leaf(para, width)...)
			col++
		}
	}
	if len(out) == 0 {
		out = plainLines(strings.Join(names, " │ "), width)
	}
	return out
}
