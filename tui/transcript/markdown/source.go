package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
)

// Code is a code block as it stands in a text: made safe, without the marks of what it stands in.
type Code struct {
	Language string   // as it was written, "" for none
	Lines    []string // with their tabs
}

// Text is the code as one text.
func (c Code) Text() string { return strings.Join(c.Lines, "\n") }

// CodeOf is the code blocks of a text that show something, in order.
func (r *Renderer) CodeOf(text string) []Code {
	var g guard
	source := g.pass(nil, plain.Text(text))
	doc, _ := r.parse(source, nil)
	var all []Code
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
		c := Code{}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			c.Language = string(unguard(n.Language(source)))
		case *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if code := strings.TrimRight(joinLines(n.Lines(), source), "\n"); entering && strings.TrimSpace(code) != "" {
			c.Lines = strings.Split(code, "\n")
			all = append(all, c)
		}
		return ast.WalkSkipChildren, nil
	})
	return all
}

// ShownCode is a line of code as it is shown where there is room: with blanks for its tabs, and none at its end.
func ShownCode(line string) string { return strings.TrimRight(expandTabs(line), " ") }

// CutCode is what of a line of code begins in the cells [from, to), with its tabs.
func CutCode(line string, from, to int) string {
	var b strings.Builder
	for cell, col := 0, 0; line != ""; {
		cluster, cells := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		runes := len([]rune(cluster))
		if cluster == "\t" {
			cells = tabStop - col%tabStop
			runes = cells
		}
		if cell >= from && cell < to {
			b.WriteString(cluster)
		}
		cell, col, line = cell+cells, col+runes, line[len(cluster):]
	}
	return b.String()
}
