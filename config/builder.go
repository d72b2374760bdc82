package config

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
)

// builder turns the parser's tree into ours. A place it cannot read becomes a problem and a null.
type builder struct {
	src      *source
	anchors  map[string]*node
	merged   int // entries copied by merges so far
	problems Problems
}

// maxMerged bounds the entries that merge keys copy in one file: merges of merges multiply.
const maxMerged = 10_000

func (b *builder) fail(n ast.Node, message, hint string) *node {
	line, col := place(n)
	b.src.add(&b.problems, line, col, "", message, hint)
	return &node{line: line, col: col}
}

func (b *builder) build(n ast.Node, depth int) *node {
	if depth > 4*maxDepth {
		return b.fail(n, "nested too deeply", "")
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.table(n, n.Values, depth)
	case *ast.MappingValueNode:
		return b.table(n, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		line, col := place(n)
		list := &node{kind: listNode, line: line, col: col}
		for _, item := range n.Values {
			list.items = append(list.items, b.build(item, depth+1))
		}
		return list
	case *ast.AnchorNode:
		value := b.build(n.Value, depth+1)
		b.anchors[n.Name.GetToken().Value] = value
		return value
	case *ast.AliasNode:
		return b.alias(n)
	case *ast.TagNode:
		return b.fail(n, "YAML tags have no meaning here", "delete "+quote(n.Start.Value))
	case nil:
		return &node{}
	}
	return b.scalar(n)
}

// alias gives the node an anchor names. An alias inside its own anchor finds none, so there are no cycles.
func (b *builder) alias(n *ast.AliasNode) *node {
	name := ""
	if n.Value != nil && n.Value.GetToken() != nil {
		name = n.Value.GetToken().Value
	}
	if value, ok := b.anchors[name]; ok {
		return value
	}
	return b.fail(n, fmt.Sprintf("no anchor is named %s", quote(name)), "")
}

func (b *builder) scalar(n ast.Node) *node {
	line, col := place(n)
	out := &node{line: line, col: col}
	if t := n.GetToken(); t != nil {
		out.text = t.Value
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return out
	case *ast.BoolNode:
		out.kind, out.value = boolNode, n.Value
	case *ast.IntegerNode:
		out.kind, out.value = intNode, n.Value
	case *ast.FloatNode:
		out.kind, out.value = floatNode, n.Value
	case *ast.InfinityNode:
		out.kind, out.value = floatNode, n.Value
	case *ast.NanNode:
		out.kind, out.value = floatNode, n.GetValue()
	case *ast.StringNode:
		out.kind, out.text, out.value = textNode, n.Value, n.Value
	case *ast.LiteralNode:
		out.kind, out.text, out.value = textNode, n.Value.Value, n.Value.Value
	default:
		return b.fail(n, "not understood here", "")
	}
	return out
}

// table reads a mapping. Keys that stand twice are a problem; keys from a merge (<<) give way to the table's own.
func (b *builder) table(n ast.Node, values []*ast.MappingValueNode, depth int) *node {
	line, col := place(n)
	out := &node{kind: tableNode, line: line, col: col}
	seen := map[string]int{}
	var merged []entry
	for _, v := range values {
		keyLine, keyCol := place(v.Key)
		if v.Key.IsMergeKey() {
			merged = append(merged, b.merge(v, depth)...)
			continue
		}
		key, ok := b.key(v.Key)
		if !ok {
			continue
		}
		if first, twice := seen[key]; twice {
			b.fail(v.Key, fmt.Sprintf("%s is there twice, first on line %d", quote(key), first), "delete one of the two")
			continue
		}
		seen[key] = keyLine
		out.entries = append(out.entries, entry{key: key, value: b.build(v.Value, depth+1), line: keyLine, col: keyCol})
	}
	for _, e := range merged {
		if _, own := seen[e.key]; !own {
			seen[e.key] = e.line
			out.entries = append(out.entries, e)
		}
	}
	if len(out.entries) > 0 {
		out.line, out.col = out.entries[0].line, out.entries[0].col
	}
	return out
}

// key reads a key as text: `5: x` has the key "5". Keys that are lists or tables mean nothing here.
func (b *builder) key(n ast.MapKeyNode) (string, bool) {
	var inner ast.Node = n
	if explicit, ok := n.(*ast.MappingKeyNode); ok {
		inner = explicit.Value
	}
	switch inner.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return b.scalar(inner).text, true
	}
	b.fail(n, "a key must be text", "")
	return "", false
}

// merge gives the entries that `<<: *name` or `<<: [*a, *b]` adds; of several, the first wins.
func (b *builder) merge(v *ast.MappingValueNode, depth int) []entry {
	from := b.build(v.Value, depth+1)
	tables := from.items
	if from.kind != listNode {
		tables = []*node{from}
	}
	var out []entry
	for _, t := range tables {
		if t.kind != tableNode {
			b.fail(v.Key, "<< takes a table", "")
			return nil
		}
		if b.merged += len(t.entries); b.merged > maxMerged {
			b.fail(v.Key, "too much is merged by <<", "")
			return nil
		}
		out = append(out, t.entries...)
	}
	return out
}
