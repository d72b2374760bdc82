package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A text is cut into pieces: top-level blocks, but an item of a top-level list is a piece of its own. A piece never
// changes once the next one has begun, with one exception: a paragraph after a definition list may turn out to be a
// term of it. Pieces are laid out one by one, by the same code whether the text is complete or not.

// place is what a piece must know of the list that it is an item of; the zero value is that of a block.
type place struct {
	marker byte // '-', '*', '+', '.', ')'; 0 if not an item
	number int
}

// piece is a part of the source and what became of it.
type piece struct {
	start, end int // in the source
	place      place
	tight      bool       // follows the piece before it without an empty line
	nodes      []ast.Node // not yet laid out
	labels     []string   // references it may use, normalised
	refKey     string     // what those labels stood for when it was laid out
	lines      []string
	at, count  int // where they are in the lines of the stream
}

// first is what the first piece of a text goes on with that was cut from a longer one.
type first struct {
	place place
	tight bool
}

// references are the link reference definitions in force, by normalised label.
type references map[string]parser.Reference

func (r references) add(refs []parser.Reference) (added bool) {
	for _, ref := range refs {
		label := util.ToLinkReference(ref.Label())
		if _, known := r[label]; !known { // the first definition wins
			r[label] = ref
			added = true
		}
	}
	return added
}

// key tells what labels stand for.
func (r references) key(labels []string) string {
	var b strings.Builder
	for _, l := range labels {
		if ref, ok := r[l]; ok {
			b.WriteString(l)
			b.WriteByte(0)
			b.Write(ref.Destination())
			b.WriteByte(0)
			b.Write(ref.Title())
			b.WriteByte(0)
		}
	}
	return b.String()
}

// parse parses source with the references known so far and returns those it adds as well.
func (r *Renderer) parse(source []byte, known references) (ast.Node, references) {
	pc := parser.NewContext()
	for _, ref := range known {
		pc.AddReference(ref)
	}
	doc := r.parser.Parse(text.NewReader(source), parser.WithContext(pc))
	all := references{}
	all.add(pc.References())
	return doc, all
}

// split cuts a parsed source into pieces. A text that was cut within a list goes on counting.
func split(doc ast.Node, source []byte, begin first) []piece {
	var out []piece
	before := -1 // where the node of the last piece begins
	add := func(n ast.Node, at place) {
		start := lineStart(source, n.Pos())
		if len(out) > 0 && (start <= before || afterDefinition(n, source, start)) {
			last := &out[len(out)-1]
			last.nodes = append(last.nodes, n)
			before = max(before, start)
			return
		}
		before = start
		out = append(out, piece{start: start, place: at, nodes: []ast.Node{n}})
		out[0].start = 0 // definitions may stand before it
	}
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		switch l := n.(type) {
		case *ast.LinkReferenceDefinition:
		case *ast.List:
			at := place{l.Marker, l.Start}
			goesOn := len(out) == 0 && begin.place.marker == l.Marker
			if goesOn {
				at = begin.place
			}
			inList := false
			for item := l.FirstChild(); item != nil; item = item.NextSibling() {
				before := len(out)
				add(item, at)
				if len(out) > before {
					out[before].tight = inList && !blankBefore(source, out[before].start) || goesOn && !inList && begin.tight
				}
				inList = true
				at.number++
			}
		default:
			add(n, place{})
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

// afterDefinition reports whether n is what is left of a paragraph that began with link reference definitions. Its
// text must not be parsed without them: "2. x" goes on with a paragraph, but does begin a list.
func afterDefinition(n ast.Node, source []byte, start int) bool {
	_, ok := n.PreviousSibling().(*ast.LinkReferenceDefinition)
	return ok && !blankBefore(source, start)
}

// reopens reports whether what follows a piece may still become part of it.
func (p *piece) reopens() bool {
	_, ok := p.nodes[len(p.nodes)-1].(*extast.DefinitionList)
	return ok
}

// lineStart is the beginning of the line that pos is on.
func lineStart(source []byte, pos int) int {
	return bytes.LastIndexByte(source[:max(0, min(pos, len(source)))], '\n') + 1
}

// blankBefore reports whether the line before the one that begins at start is blank.
func blankBefore(source []byte, start int) bool {
	if start == 0 {
		return true
	}
	return len(bytes.TrimSpace(source[lineStart(source, start-1):start-1])) == 0
}

// labelsOf lists what stands in brackets in a text, normalised, sorted, each once.
func labelsOf(source []byte) []string {
	if bytes.IndexByte(source, '[') < 0 {
		return nil
	}
	var out []string
	open := -1
	for i := 0; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
		case '[':
			open = i
		case ']':
			if open >= 0 {
				out = append(out, util.ToLinkReference(source[open+1:i]))
				open = -1
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// layOut renders a piece of a page. Only one that can no longer change is kept: a line that is not complete may for
// a moment make something else of the lines before it.
func (p *page) layOut(pc *piece, source []byte, refs references, settled bool) {
	pc.labels = labelsOf(source[pc.start:pc.end])
	pc.refKey = refs.key(pc.labels)
	key := keyOf('b', []int{p.r.width, int(pc.place.marker), pc.place.number}, source[pc.start:pc.end], []byte(pc.refKey), kinds(pc.nodes))
	lines, ok := p.r.kept.get(key)
	if !ok {
		p.begin = pc.start
		for _, n := range pc.nodes {
			block := p.node(n, pc.place)
			if len(lines) > 0 && len(block) > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, block...)
		}
		lines = p.r.fitted(lines)
		if settled {
			p.r.kept.put(key, lines)
		}
	}
	pc.lines, pc.nodes = lines, nil
}

// kinds tells what blocks the parser made of a piece. The same text is not always the same blocks: a line that might
// underline a heading makes a table of what would be a paragraph without it.
func kinds(nodes []ast.Node) []byte {
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
	return out
}

func (p *page) node(n ast.Node, at place) []string {
	if at.marker != 0 {
		if _, ok := n.(*ast.ListItem); ok {
			return p.item(n, at.marker, at.number, p.r.width, 0)
		}
	}
	return p.block(n, p.r.width, 0)
}

// fitted is the last guard of the width.
func (r *Renderer) fitted(lines []string) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		out = fit(out, l, r.width)
	}
	return out
}
