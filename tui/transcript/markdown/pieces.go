package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// A text is split into pieces: its top-level blocks, except that each item of a top-level list is a piece of its own. A
// piece never changes once the next one has begun. Pieces are laid out one by one, by the same code for complete and
// streaming texts. Link references are not resolved, because a definition that arrives later would change earlier
// pieces.

// place is the position of a piece in its list; the zero value means that it is not a list item.
type place struct {
	marker byte // '-', '*', '+', '.', ')'; 0 if not an item
	number int
}

// piece is a part of the source.
type piece struct {
	start, end int // in the source
	place      place
	tight      bool       // no empty line before it
	nodes      []ast.Node // not yet laid out
}

// first is the state with which the first piece of a partial text continues the text before it.
type first struct {
	place place
	tight bool
}

func (r *Renderer) parse(source []byte) ast.Node { return r.parser.Parse(text.NewReader(source)) }

// split splits a parsed source into pieces. A partial text that begins within a list continues its numbers.
func split(doc ast.Node, source []byte, begin first) []piece {
	var out []piece
	before := -1 // where the node of the last piece begins
	add := func(n ast.Node, at place) {
		start := lineStart(source, n.Pos())
		if len(out) > 0 && start <= before {
			last := &out[len(out)-1]
			last.nodes = append(last.nodes, n)
			return
		}
		before = start
		out = append(out, piece{start: start, place: at, nodes: []ast.Node{n}})
		out[0].start = 0 // blank lines may precede it
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		l, ok := n.(*ast.List)
		if !ok {
			add(n, place{})
			continue
		}
		at := place{l.Marker, l.Start}
		continues := len(out) == 0 && begin.place.marker == l.Marker
		if continues {
			at = begin.place
		}
		inList := false
		for item := l.FirstChild(); item != nil; item = item.NextSibling() {
			before := len(out)
			add(item, at)
			if len(out) > before {
				out[before].tight = inList && !blankBefore(source, out[before].start) || continues && !inList && begin.tight
			}
			inList = true
			at.number++
		}
	}
	for i := range out {
		out[i].end = len(source)
		if i+1 < len(out) {
			out[i].end = out[i+1].start
		}
	}
	return out
}

// lineStart is the index at which the line of pos begins.
func lineStart(source []byte, pos int) int {
	return bytes.LastIndexByte(source[:max(0, min(pos, len(source)))], '\n') + 1
}

// blankBefore reports whether the line before the one that begins at start is blank.
func blankBefore(source []byte, start int) bool {
	return start == 0 || len(bytes.TrimSpace(source[lineStart(source, start-1):start-1])) == 0
}

// layOut renders a piece of a page. Only a settled piece is cached, one that can no longer change: an incomplete last
// line can temporarily change how the lines before it are parsed.
func (p *page) layOut(pc *piece, source []byte, settled bool) []string {
	key := cacheKey{p.r.width, pc.place, kinds(pc.nodes), string(source[pc.start:pc.end])}
	lines, ok := p.r.cache.lines[key]
	if ok {
		return lines
	}
	p.begin = pc.start
	for _, n := range pc.nodes {
		var block []string
		if _, isItem := n.(*ast.ListItem); isItem && pc.place.marker != 0 {
			block = p.item(n, pc.place.marker, pc.place.number, p.r.width, 0)
		} else {
			block = p.block(n, p.r.width, 0)
		}
		if len(lines) > 0 && len(block) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, block...)
	}
	out := make([]string, 0, len(lines))
	for _, l := range lines { // some may still be too wide
		out = fit(out, l, p.r.width)
	}
	if settled {
		p.r.cache.put(key, out)
	}
	return out
}

// kinds lists the kinds of blocks that the parser made of a piece. They depend on more than the piece's own text: a
// following line that might underline a heading can turn a paragraph into a table.
func kinds(nodes []ast.Node) string {
	var out []byte
	for _, n := range nodes {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
			if n.Type() != ast.TypeBlock {
				return ast.WalkSkipChildren, nil
			}
			if entering {
				out = append(out, byte(n.Kind()))
			} else {
				out = append(out, 0)
			}
			return ast.WalkContinue, nil
		})
	}
	return string(out)
}
