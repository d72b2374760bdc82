package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"plimsoll/themes"
)

// A leaf is a paragraph, a heading or a table: what wraps. Should drawing one fail, its source is shown.

// leaf draws a block whose inline nodes are rewritten, as text that may have several lines. n tells what to show should
// that fail.
func (p *page) leaf(n ast.Node, width int, draw func() string) (lines []string) {
	defer func() {
		if recover() != nil {
			lines = plainLines(shownLines(n.Lines().Value(p.source)), width)
		}
	}()
	for line := range strings.SplitSeq(draw(), "\n") {
		lines = fit(lines, clean(line), width)
	}
	return trimBlank(lines)
}

// paragraph draws the inline content of n, whatever block it is.
func (p *page) paragraph(n ast.Node, width int) []string {
	p.inline(n, false)
	return p.wrapped(n, themes.Face{}, width)
}

// wrapped draws the inline content of n in a face.
func (p *page) wrapped(n ast.Node, face themes.Face, width int) []string {
	width = p.r.prose(width)
	return p.leaf(n, width, func() string {
		w := styled{p: p, block: face}
		w.children(n, themes.Face{})
		return lipgloss.Wrap(w.String(), width, "")
	})
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
	faces := p.r.style.Headings
	lines := p.wrapped(h, faces[min(h.Level, len(faces))-1], width)
	if len(lines) == 0 { // nothing that was written is dropped
		return []string{strings.Repeat("#", h.Level)}
	}
	return lines
}

// leastColumn is the width below which a column of a table cannot be read.
const leastColumn = 8

// table renders a table as wide as its content, or row by row where its columns would be too narrow.
func (p *page) table(t *extast.Table, width int) []string {
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			p.inline(cell, false)
		}
	}
	natural, columns := p.natural(t)
	if columns*leastColumn > width && natural > width {
		return p.records(t, width)
	}
	if header := t.FirstChild(); header != nil {
		for cell := header.FirstChild(); cell != nil; cell = cell.NextSibling() {
			bold := ast.NewEmphasis(2)
			adopt(bold, cell)
			cell.AppendChild(cell, bold)
		}
	}
	width = min(width, natural)
	return p.leaf(t, width, func() string { return p.glamour(t, width) })
}

// natural is the width of a table that breaks no line, and how many columns it has.
func (p *page) natural(t *extast.Table) (width, columns int) {
	var widths []int
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		col := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if col == len(widths) {
				widths = append(widths, 0)
			}
			widths[col] = max(widths[col], p.cellWidth(cell))
			col++
		}
	}
	for _, w := range widths {
		width += max(w, 1) + 3 // a space on both sides and a line
	}
	return width - 1, len(widths)
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
			w += 2 * len(p.r.style.CodeMark)
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
			out = append(out, p.wrapped(para, themes.Face{}, width)...)
			col++
		}
	}
	if len(out) == 0 {
		out = plainLines(strings.Join(names, " │ "), width)
	}
	return out
}
