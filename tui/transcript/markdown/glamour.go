package markdown

import (
	"bytes"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"plimsoll/themes"
)

// Glamour draws only tables. A streaming reply draws its last paragraph many times, and without glamour that takes a
// seventh of the time.

// maxDrawers bounds the glamour renderers that are kept, one per width in use.
const maxDrawers = 64

// glamour draws a block whose inline nodes are rewritten. It removes n from its tree.
func (p *page) glamour(n ast.Node, width int) string {
	_ = ast.Walk(n, func(n ast.Node, _ bool) (ast.WalkStatus, error) { // the visitor returns no error
		if l, ok := n.(*ast.Link); ok {
			l.Destination = []byte("#") // glamour styles such a link and adds nothing
		}
		return ast.WalkContinue, nil
	})
	doc := ast.NewDocument()
	doc.AppendChild(doc, n)
	drawn := false
	defer func() {
		if !drawn { // a drawer that failed keeps blocks on its stack and cannot be used again
			delete(p.r.drawers, width)
		}
	}()
	var b bytes.Buffer
	if err := p.r.drawer(width).Render(&b, p.source, doc); err != nil {
		panic(err) // leaf shows the source instead
	}
	drawn = true
	return b.String()
}

func (r *Renderer) drawer(width int) renderer.Renderer {
	if d, ok := r.drawers[width]; ok {
		return d
	}
	if len(r.drawers) >= maxDrawers {
		clear(r.drawers)
	}
	wrap := true
	node := ansi.NewRenderer(ansi.Options{
		WordWrap: width, TableWrap: &wrap, InlineTableLinks: true, PreserveNewLines: true, Styles: glamourStyle(r.style),
	})
	d := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(node, 1000)))
	r.drawers[width] = d
	return d
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
