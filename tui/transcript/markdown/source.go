package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
	"plimsoll/themes"
)

// Code is a code block of a text: sanitised, without the > and the indentation of the quotes and lists around it.
type Code struct {
	Language string   // as it was written, "" for none
	Lines    []string // with their tabs
}

// Text is the code as one text.
func (c Code) Text() string { return strings.Join(c.Lines, "\n") }

// CodeOf returns the non-blank code blocks of a text, in order.
func (r *Renderer) CodeOf(text string) []Code {
	source := new(delimiterLimiter).appendTo(nil, plain.Text(text))
	var all []Code
	_ = ast.Walk(r.parse(source), func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
		c := Code{}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			c.Language = string(restoreDelimiters(n.Language(source)))
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

// flush begins each line of an unwrapped text that gets no indentation of the list or quote around it. It occurs nowhere else.
const flush = "\r"

// Unwrapped returns a text as Render shows it, but without styles and line breaks; code keeps its tabs, and code and
// quotes have no marks or indentation.
func (r *Renderer) Unwrapped(source string) string {
	const wide = 1 << 30
	style := r.style
	style.Surface, style.Syntax = "", themes.Syntax{}
	u := New(style, wide)
	u.unwrapped, u.marks.quote = true, ""
	text := ansi.Strip(strings.Join(u.Render(source), "\n"))
	return strings.ReplaceAll(text, flush, "")
}

// notIndented marks lines that containers must not indent.
func notIndented(lines []string) []string {
	for i, l := range lines {
		lines[i] = flush + l
	}
	return lines
}
