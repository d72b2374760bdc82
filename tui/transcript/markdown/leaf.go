package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"plimsoll/themes"
)

// A leaf is a paragraph, a heading or a table: a block that wraps. If drawing it fails, its source is shown.

// leaf calls draw, which returns the text of block n, and breaks it into lines. If draw panics, the source of n is
// shown.
func (p *page) leaf(n ast.Node, width int, draw func() string) (lines []string) {
	defer func() {
		if recover() != nil {
			lines = plainLines(joinLines(n.Lines(), p.source), width)
		}
	}()
	for line := range strings.SplitSeq(draw(), "\n") {
		lines = fit(lines, clean(line), width)
	}
	return trimBlank(lines)
}

// wrapped draws the inline content of n in a face.
func (p *page) wrapped(n ast.Node, face themes.Face, width int) []string {
	width = p.r.proseWidth(width)
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
	if len(lines) == 0 { // a heading without text shows its marks
		return []string{strings.Repeat("#", h.Level)}
	}
	return lines
}

// minColumn is the least readable width of a table column.
const minColumn = 8

// table renders a table as wide as its content, or row by row if its columns would be too narrow.
func (p *page) table(t *extast.Table, width int) []string {
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			p.inline(cell, false)
		}
	}
	natural, columns := p.natural(t)
	if columns*minColumn > width && natural > width {
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
	return p.leaf(t, width, func() string { return p.drawTable(t, width) })
}

// natural returns the width at which no cell of a table wraps, and the number of columns.
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
