// Where a rule goes in the text. Rules:
//
//   - The parser says where things stand; the text itself is only added to. An empty [] gives way to lines below the key.
//   - Several ways are offered, the most natural first. The caller loads each and takes the first that means the right
//     thing, so that no way has to know all of YAML.

package config

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// page is the text of a file with the offsets of its lines, counted as the parser counts them.
type page struct {
	data   []byte
	starts []int  // offset of the first byte of each line
	ending string // of a new line
	rules  []string
}

// edit puts text at an offset, in place of some bytes.
type edit struct {
	at, drop int
	text     string
}

// insertions gives texts that may hold the rules, the most natural first.
func insertions(name string, data []byte, rules []string) [][]byte {
	text, problem := checkText(name, data)
	if problem != nil {
		return nil
	}
	body, problems := parseTree(newSource(name, text), text)
	if len(problems) > 0 {
		return nil
	}
	p := newPage(data, quoteAll(rules))
	var out [][]byte
	for _, edits := range p.into(nil, body, []string{"permissions", "allow"}) {
		out = append(out, p.apply(edits))
	}
	return out
}

func newPage(data []byte, rules []string) *page {
	p := &page{data: data, ending: "\n", rules: rules}
	if bytes.Contains(data, []byte("\r\n")) {
		p.ending = "\r\n"
	}
	first := len(data) - len(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	p.starts = append(p.starts, first)
	for i, c := range data {
		if c == '\n' || c == '\r' && !bytes.HasPrefix(data[i+1:], []byte("\n")) {
			p.starts = append(p.starts, i+1)
		}
	}
	return p
}

// into gives the ways to put the rules under the keys left, below the value of a key (nil at the root).
func (p *page) into(key *ast.MappingValueNode, value ast.Node, left []string) [][]edit {
	switch n := value.(type) {
	case *ast.AnchorNode:
		return p.into(key, n.Value, left)
	case *ast.MappingNode:
		return p.intoTable(key, n, n.Values, left)
	case *ast.MappingValueNode:
		return p.intoTable(key, n, []*ast.MappingValueNode{n}, left)
	case *ast.SequenceNode:
		return p.intoList(key, n)
	case nil:
		return [][]edit{p.atEnd(p.block(left, 0))}
	case *ast.NullNode:
		if key == nil {
			return nil
		}
		if t := n.GetToken(); t.Type != token.ImplicitNullType {
			return [][]edit{{{at: p.offset(t.Position), drop: len(t.Value), text: flowOf(left, p.rules)}}}
		}
		return [][]edit{p.below(key, p.block(left, column(key)+2))}
	}
	return nil
}

// intoTable goes on below the next key, or adds it.
func (p *page) intoTable(key *ast.MappingValueNode, table ast.Node, values []*ast.MappingValueNode, left []string) [][]edit {
	if len(left) == 0 {
		return nil
	}
	for _, v := range values {
		if v.Key.GetToken().Value == left[0] && !v.Key.IsMergeKey() {
			return p.into(v, v.Value, left[1:])
		}
	}
	if m, ok := table.(*ast.MappingNode); ok && m.IsFlowStyle {
		text := strings.TrimSuffix(strings.TrimPrefix(flowOf(left, p.rules), "{"), "}")
		at := p.offset(m.Start.Position) + 1
		if len(values) > 0 {
			text += p.comma(at)
		}
		return [][]edit{{{at: at, text: text}}}
	}
	if len(values) == 0 {
		return nil
	}
	lines := p.block(left, column(values[0]))
	if key == nil {
		return [][]edit{p.atEnd(lines), p.before(values[0], lines)}
	}
	return [][]edit{p.below(key, lines), p.before(values[0], lines)}
}

// intoList adds the rules to the list.
func (p *page) intoList(key *ast.MappingValueNode, n *ast.SequenceNode) [][]edit {
	if !n.IsFlowStyle {
		lines := p.block(nil, n.Start.Position.Column-1)
		var ways [][]edit
		if len(n.Values) > 0 {
			ways = append(ways, p.insert(n.Values[len(n.Values)-1].GetToken().Position.Line, lines))
		}
		return append(ways, p.below(key, lines))
	}
	open, shut := p.offset(n.Start.Position), p.offset(n.End.Position)
	inside := strings.Join(p.rules, ", ")
	if len(n.Values) > 0 {
		return [][]edit{{{at: shut, text: ", " + inside}}, {{at: open + 1, text: inside + p.comma(open+1)}}}
	}
	head := bytes.TrimRight(p.data[:open], " ")
	emptied := edit{at: len(head), drop: shut + 1 - len(head)}
	return [][]edit{
		append([]edit{emptied}, p.insert(n.End.Position.Line, p.block(nil, column(key)+2))...),
		{{at: open + 1, text: inside}},
	}
}

// block writes the keys left and the rules below them as lines, indented by a number of spaces.
func (p *page) block(left []string, indent int) []string {
	var lines []string
	for _, key := range left {
		lines = append(lines, strings.Repeat(" ", indent)+key+":")
		indent += 2
	}
	for _, rule := range p.rules {
		lines = append(lines, strings.Repeat(" ", indent)+"- "+rule)
	}
	return lines
}

// flowOf writes the keys left and the rules on one line.
func flowOf(left, rules []string) string {
	text := "[" + strings.Join(rules, ", ") + "]"
	for _, key := range slices.Backward(left) {
		text = "{" + key + ": " + text + "}"
	}
	return text
}

func (p *page) below(key *ast.MappingValueNode, lines []string) []edit {
	return p.insert(key.Key.GetToken().Position.Line, lines)
}

func (p *page) before(first *ast.MappingValueNode, lines []string) []edit {
	return p.insert(first.Key.GetToken().Position.Line-1, lines)
}

// atEnd adds lines at the end of the text, after an empty one when there is something before.
func (p *page) atEnd(lines []string) []edit {
	if len(bytes.TrimSpace(p.data)) > 0 {
		lines = append([]string{""}, lines...)
	}
	return p.insert(len(p.starts), lines)
}

// insert adds lines after a line, 0 for the top. A last line without an ending gets one, and leaves the new last line
// without.
func (p *page) insert(after int, lines []string) []edit {
	text := strings.Join(lines, p.ending)
	switch {
	case after <= 0:
		return []edit{{at: p.starts[0], text: text + p.ending}}
	case after < len(p.starts):
		return []edit{{at: p.starts[after], text: text + p.ending}}
	case p.starts[len(p.starts)-1] == len(p.data):
		return []edit{{at: len(p.data), text: text + p.ending}}
	}
	return []edit{{at: len(p.data), text: p.ending + text}}
}

// offset gives the byte at a place the parser names.
func (p *page) offset(at *token.Position) int {
	if at.Line < 1 || at.Line > len(p.starts) {
		return len(p.data)
	}
	offset := p.starts[at.Line-1]
	for range at.Column - 1 {
		_, size := utf8.DecodeRune(p.data[offset:])
		offset += size
	}
	return offset
}

// comma separates an inserted item from the text that follows it.
func (p *page) comma(at int) string {
	if at < len(p.data) && strings.IndexByte(" \r\n", p.data[at]) >= 0 {
		return ","
	}
	return ", "
}

// apply gives the text with the edits, which do not overlap, made. An edit that lies outside leaves the text as it is.
func (p *page) apply(edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b edit) int { return b.at - a.at })
	out := slices.Clone(p.data)
	for _, e := range edits {
		if e.at < 0 || e.drop < 0 || e.at+e.drop > len(out) {
			return p.data
		}
		out = slices.Replace(out, e.at, e.at+e.drop, []byte(e.text)...)
	}
	return out
}

// column gives the spaces before a key.
func column(key *ast.MappingValueNode) int { return key.Key.GetToken().Position.Column - 1 }
