package markdown

import (
	"strings"
	"unicode/utf8"

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

// CodeAt is a place in a line of code: how many bytes, cells and columns are before it.
type CodeAt struct{ bytes, cells, column int }

// Skip is the first place, from at on, with so many cells before it.
func (at CodeAt) Skip(line string, cells int) CodeAt {
	for at.cells < cells && at.bytes < len(line) {
		cluster, n := ansi.FirstGraphemeCluster(line[at.bytes:], ansi.GraphemeWidth)
		runes := utf8.RuneCountInString(cluster)
		if cluster == "\t" {
			n = tabStop - at.column%tabStop
			runes = n
		}
		at = CodeAt{at.bytes + len(cluster), at.cells + n, at.column + runes}
	}
	return at
}

// CutCode is what of a line of code begins in the cells [from, to), with its tabs. No cell before at is looked at.
func CutCode(line string, at CodeAt, from, to int) string {
	begin := at.Skip(line, from)
	return line[begin.bytes:begin.Skip(line, to).bytes]
}
