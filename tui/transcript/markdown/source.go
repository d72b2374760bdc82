package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
	"plimsoll/themes"
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
	var all []Code
	_ = ast.Walk(r.parse(source), func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
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

// flush begins a line of an unwrapped text that is not indented by what it stands in. No other line holds it.
const flush = "\r"

// Unwrapped is a text as Render shows it, but without looks and with no line broken; code, with its tabs, and quotes
// stand without what sets them off.
func (r *Renderer) Unwrapped(source string) string {
	const wide = 1 << 30
	style := r.style
	style.Surface, style.Syntax = "", themes.Syntax{}
	u := New(style, wide)
	u.unwrapped, u.marks.quote = true, ""
	text := ansi.Strip(strings.Join(u.Render(source), "\n"))
	return strings.ReplaceAll(text, flush, "")
}

// flushed are lines that are not indented.
func flushed(lines []string) []string {
	for i, l := range lines {
		lines[i] = flush + l
	}
	return lines
}
