package markdown

import (
	"bytes"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"plimsoll/themes"
)

// The library Glamour draws only tables. This package draws the rest itself, in a seventh of the time: while a reply streams,
// its last paragraph is drawn many times.

// maxTableRenderers is the largest number of Glamour renderers that are kept, one for each width in use.
const maxTableRenderers = 64

// drawTable draws the table n as text. It rewrites the links in n, and removes n from its tree.
func (p *page) drawTable(n ast.Node, width int) string {
	_ = ast.Walk(n, func(n ast.Node, _ bool) (ast.WalkStatus, error) { // the visitor returns no error
		if l, ok := n.(*ast.Link); ok {
			l.Destination = []byte("#") // glamour styles such a link and adds nothing
		}
		return ast.WalkContinue, nil
	})
	doc := ast.NewDocument()
	doc.AppendChild(doc, n)
	done := false
	defer func() {
		if !done { // a renderer that failed keeps blocks on its stack and cannot be used again
			delete(p.r.tables, width)
		}
	}()
	var b bytes.Buffer
	if err := p.r.tableRenderer(width).Render(&b, p.source, doc); err != nil {
		panic(err) // the method leaf recovers, and shows the source instead
	}
	done = true
	return b.String()
}

func (r *Renderer) tableRenderer(width int) renderer.Renderer {
	if t, ok := r.tables[width]; ok {
		return t
	}
	if len(r.tables) >= maxTableRenderers {
		clear(r.tables)
	}
	wrap := true
	node := ansi.NewRenderer(ansi.Options{
		WordWrap: width, TableWrap: &wrap, InlineTableLinks: true, PreserveNewLines: true, Styles: glamourStyle(r.style),
	})
	t := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(node, 1000)))
	r.tables[width] = t
	return t
}

func glamourStyle(s themes.MarkdownStyle) ansi.StyleConfig {
	code := primitive(s.Code)
	code.Prefix, code.Suffix = s.CodeMark, s.CodeMark
	return ansi.StyleConfig{
		Strong: primitive(s.Strong), Emph: primitive(s.Emphasis), Strikethrough: primitive(s.Struck),
		Link: primitive(s.Link), LinkText: primitive(s.Link),
		Code: ansi.StyleBlock{StylePrimitive: code},
	}
}

func primitive(f themes.Face) ansi.StylePrimitive {
	var p ansi.StylePrimitive
	if f.Colour != "" {
		p.Color = &f.Colour
	}
	for _, set := range []struct {
		on bool
		to **bool
	}{{f.Bold, &p.Bold}, {f.Italic, &p.Italic}, {f.Underline, &p.Underline}, {f.Struck, &p.CrossedOut}} {
		if set.on {
			*set.to = &set.on
		}
	}
	return p
}
