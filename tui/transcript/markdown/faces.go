package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"plimsoll/themes"
)

// styled writes inline nodes with their styles. A nested node adds its style to that of the node around it, with two
// exceptions: code and links have the same style everywhere, combined only with that of their block.
type styled struct {
	strings.Builder
	p     *page
	block themes.Face
}

// children writes the children of n; around is the face of the inline nodes around n.
func (w *styled) children(n ast.Node, around themes.Face) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, around)
	}
}

func (w *styled) node(n ast.Node, around themes.Face) {
	style := &w.p.r.style
	switch n := n.(type) {
	case *ast.Text:
		text := string(n.Segment.Value(w.p.source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			text += "\n"
		}
		w.put(around, text)
	case *ast.Emphasis:
		face := style.Emphasis
		if n.Level > 1 {
			face = style.Strong
		}
		w.children(n, face.With(around))
	case *extast.Strikethrough:
		w.put(style.Struck.With(around), w.p.plainText(n))
	case *ast.CodeSpan:
		w.put(style.Code, style.CodeMark+w.p.plainText(n)+style.CodeMark)
	case *ast.Link:
		if target := string(n.Destination); target != "" {
			w.WriteString(ansi.SetHyperlink(target))
			defer w.WriteString(endLink)
		}
		w.children(n, style.Link)
	}
}

func (w *styled) put(f themes.Face, text string) {
	if text == "" {
		return
	}
	begin := w.p.r.face(w.block.With(f))
	w.WriteString(begin)
	w.WriteString(text)
	if begin != "" {
		w.WriteString(reset)
	}
}

// face returns the escape sequence (SGR) that begins text in a face.
func (r *Renderer) face(f themes.Face) string {
	begin, ok := r.faces[f]
	if !ok {
		if s := sgr(f); len(s) > 0 {
			begin = s.String()
		}
		r.faces[f] = begin
	}
	return begin
}
