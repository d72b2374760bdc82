package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"plimsoll/themes"
)

// Leaf is a paragraph or a heading: as it is drawn, and as glamour draws it.
type Leaf struct{ Ours, Glamours []string }

// Leaves draws the leaves of a source. Glamour decodes escapes and entities once more, so the source must have none.
func Leaves(style themes.MarkdownStyle, source string, width int) []Leaf {
	r := New(style, width)
	doc, _ := r.parse([]byte(source), references{})
	p := &page{r: r, source: []byte(source), parsed: len(source)}
	var blocks []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
		switch n.(type) {
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
			if entering {
				blocks = append(blocks, n)
			}
			return ast.WalkSkipChildren, nil
		case *extast.Table:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	var leaves []Leaf
	for _, n := range blocks {
		var leaf Leaf
		switch n := n.(type) {
		case *ast.Heading:
			leaf.Ours = p.heading(n, width)
			leaf.Glamours = p.glamoured(n, p.r.prose(width))
			if len(leaf.Glamours) == 0 { // glamour shows no mark for a heading without a text
				leaf.Glamours = leaf.Ours
			}
		default:
			leaf.Ours = p.paragraph(n, width)
			para := ast.NewParagraph()
			adopt(para, n)
			leaf.Glamours = p.glamoured(para, p.r.prose(width))
		}
		leaves = append(leaves, leaf)
	}
	return leaves
}

// glamoured draws a block whose inline nodes are rewritten with glamour.
func (p *page) glamoured(n ast.Node, width int) []string {
	var lines []string
	for line := range strings.SplitSeq(p.glamour(n, width), "\n") {
		lines = fit(lines, clean(line), width)
	}
	return trimBlank(lines)
}
