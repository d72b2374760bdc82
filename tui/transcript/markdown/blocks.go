package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"plimsoll/conversation/plain"
	"plimsoll/themes"
)

// Containers (lists, quotes) indent their content by the width of their mark. If that leaves less than minText cells they
// do not indent, and deeper than maxDepth the source is shown.

const (
	minText  = 8
	maxDepth = 24
)

func (p *page) block(n ast.Node, width, depth int) []string {
	if depth > maxDepth {
		return p.raw(n, width)
	}
	switch n := n.(type) {
	case *ast.Heading:
		return p.heading(n, width)
	case *ast.ThematicBreak:
		return []string{paint(p.r.marks.rule, strings.Repeat("─", min(p.r.proseWidth(width), MaxProseWidth)))}
	case *ast.FencedCodeBlock:
		return p.fence(n, width)
	case *ast.CodeBlock:
		return p.code("", joinLines(n.Lines(), p.source), width)
	case *ast.HTMLBlock:
		return p.html(n, width)
	case *ast.Blockquote:
		return p.quote(n, width, depth)
	case *ast.List:
		return p.list(n, width, depth)
	case *extast.Table:
		return p.table(n, width)
	}
	p.inline(n, false)
	return p.wrapped(n, themes.Face{}, width)
}

// children lays out the blocks in a container, with a blank line between two blocks if the source has one.
func (p *page) children(n ast.Node, width, depth int) []string {
	var out []string
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling() // laying out may remove c from its parent
		blank := p.gapBefore(c)
		lines := p.block(c, width, depth+1)
		if len(out) > 0 && len(lines) > 0 && blank {
			out = append(out, "")
		}
		out = append(out, lines...)
		c = next
	}
	return out
}

// gapBefore reports whether the line before a block is blank, except for the marks of quotes. It reads the source, because
// the parser treats the beginning of a text as a blank line, and the text may be a part of a longer one.
func (p *page) gapBefore(n ast.Node) bool {
	start := lineStart(p.source, n.Pos())
	return start > p.begin && len(bytes.Trim(p.source[lineStart(p.source, start-1):start-1], "> \t")) == 0
}

// inside lays out a container's children after its mark.
func (p *page) inside(n ast.Node, first, rest string, width, depth int) []string {
	indent := ansi.StringWidth(rest)
	if width-indent < minText {
		lines := p.children(n, width, depth)
		if mark := clean(first); mark != "" {
			return append(fit(nil, mark, width), lines...)
		}
		return lines
	}
	return prefixed(p.children(n, width-indent, depth), first, rest)
}

func (p *page) quote(n ast.Node, width, depth int) []string {
	lines := p.inside(n, p.r.marks.quote, p.r.marks.quote, width, depth)
	if p.r.unwrapped {
		return notIndented(lines)
	}
	return lines
}

func (p *page) list(l *ast.List, width, depth int) []string {
	var out []string
	number := l.Start
	for c := l.FirstChild(); c != nil; {
		next := c.NextSibling()
		if len(out) > 0 && p.gapBefore(c) {
			out = append(out, "")
		}
		out = append(out, p.item(c, l.Marker, number, width, depth)...)
		number++
		c = next
	}
	return out
}

// item lays out one item of a list; marker is the kind of list, number is shown in an ordered list.
func (p *page) item(n ast.Node, marker byte, number, width, depth int) []string {
	m := p.r.marks
	mark := m.bullet
	if marker == '.' || marker == ')' {
		mark = paint(m.number, strconv.Itoa(number)+string(marker)) + " "
	}
	if first := n.FirstChild(); first != nil {
		if box, ok := first.FirstChild().(*extast.TaskCheckBox); ok {
			mark = m.unticked
			if box.IsChecked {
				mark = m.ticked
			}
		}
	}
	return p.inside(n, mark, strings.Repeat(" ", ansi.StringWidth(mark)), width, depth)
}

func (p *page) html(n *ast.HTMLBlock, width int) []string {
	source := joinLines(n.Lines(), p.source)
	if n.HasClosure() {
		source += string(restoreDelimiters(n.ClosureLine.Value(p.source)))
	}
	lines := trimBlank(plainLines(plain.Text(source), p.r.proseWidth(width)))
	for i, l := range lines {
		lines[i] = paint(p.r.marks.html, l)
	}
	return lines
}

// raw shows the source of a block from where the block begins, without the marks of its containers on the first line.
func (p *page) raw(n ast.Node, width int) []string {
	start, stop := n.Pos(), 0
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
		if !entering || n.Type() != ast.TypeBlock || n.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		lines := n.Lines()
		if start < 0 {
			start = lines.At(0).Start
		}
		stop = max(stop, lines.At(lines.Len()-1).Stop)
		return ast.WalkContinue, nil
	})
	if start < 0 || start >= stop {
		return nil
	}
	indent := strings.Repeat(" ", start-lineStart(p.source, start))
	source := strings.ReplaceAll(string(restoreDelimiters(p.source[start:stop])), "\n"+indent, "\n")
	return trimBlank(plainLines(source, p.r.proseWidth(width)))
}
