// From bytes to the values of a document, each with its path. Rules:
//
//   - Every limit is checked before the parser runs: the parser's stack and time grow with the nesting, and 100 kB of
//     open brackets cost it gigabytes.
//   - Anchors, aliases and merge keys work; what they stand for is bounded.
//   - What YAML has and a configuration does not need is refused in words: tags, several documents, keys that are no text.

package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxFileSize is the largest configuration file that is read, in bytes.
const MaxFileSize = 64 << 10

// maxDepth bounds nested brackets, and indicators such as - and ? on one line.
const maxDepth = 32

// maxTokens bounds the words and signs of a file; a table costs the parser the square of its length.
const maxTokens = 8_000

// maxSteps bounds the values that one document may stand for, aliases counted as often as they are used.
const maxSteps = 20_000

type kind int

const (
	nullNode kind = iota
	textNode
	boolNode
	intNode
	floatNode
	listNode
	tableNode
)

func (k kind) String() string {
	return [...]string{"nothing", "text", "true or false", "a whole number", "a number", "a list", "a table"}[k]
}

// leaf is a value of a document that is no table, or an empty one.
type leaf struct {
	path      []segment
	kind      kind
	text      string // as it is written
	value     any    // of a scalar
	items     []leaf // of a list; one that is a table has its value
	line, col int
}

// segment is a key on the way to a value, with its place.
type segment struct {
	key       string
	line, col int
}

// keys is the path in words.
func (l leaf) keys() []string {
	out := make([]string, len(l.path))
	for i, s := range l.path {
		out[i] = s.key
	}
	return out
}

// json is the value as JSON has it.
func (l leaf) json() any {
	switch {
	case l.kind == tableNode && l.value == nil:
		return map[string]any{}
	case l.kind != listNode:
		return l.value
	}
	out := make([]any, len(l.items))
	for i, item := range l.items {
		out[i] = item.json()
	}
	return out
}

// put is a table with a value at a path. What is there is copied.
func put(into any, path []segment, l leaf) any {
	old, isTable := into.(map[string]any)
	if len(path) == 0 {
		if isTable && l.kind == tableNode {
			return into
		}
		return l.json()
	}
	out := map[string]any{}
	if isTable {
		maps.Copy(out, old)
	}
	out[path[0].key] = put(out[path[0].key], path[1:], l)
	return out
}

// source is one text with its name: a file, or an override from the command line.
type source struct {
	name  string
	lines []string
	whole bool // an override: there are no lines to speak of
}

func (s *source) problem(line, col int, key, message, hint string) *Problem {
	p := &Problem{File: s.name, Line: line, Column: col, Key: key, Message: message, Hint: hint}
	if s.whole {
		p.Line, p.Column, line = 0, 0, 1
	}
	p.Text = safeLine(s.lines, line-1)
	return p
}

// parseDocument reads one document. An emptied file and /dev/null are configurations that change nothing.
func parseDocument(name string, data []byte) (*source, []leaf, Problems) {
	src, problem := checkText(name, data)
	if problem != nil {
		return nil, nil, Problems{problem}
	}
	leaves, problems := parseText(src, strings.Join(src.lines, "\n"), nil)
	return src, leaves, problems
}

// parseOverride reads one KEY=VALUE, of --cfg or of a conversation. The key is dotted ([Path]), the value YAML; nothing after
// the = is the empty text.
func parseOverride(layer Layer, text string) (*source, []leaf, Problems) {
	src, problem := checkText(string(layer), []byte(strings.ReplaceAll(text, "\n", " ")))
	if problem != nil {
		problem.Line, problem.Column = 0, 0
		return nil, nil, Problems{problem}
	}
	src.whole = true
	keys, rest, err := cutPath(text)
	if err != nil {
		return src, nil, Problems{src.problem(0, 0, "", err.Error(), "write KEY=VALUE, such as --cfg compaction.trigger_ratio=0.7")}
	}
	var path []segment
	for _, key := range keys {
		path = append(path, segment{key, 1, 1})
	}
	leaves, problems := parseText(src, rest, path)
	if len(leaves) == 0 && len(problems) == 0 {
		leaves = []leaf{{path: path, kind: textNode, value: "", line: 1, col: 1}}
	}
	return src, leaves, problems
}

// checkText applies the limits on bytes: size, encoding, characters that have no business in a text file.
func checkText(name string, data []byte) (*source, *Problem) {
	if len(data) > MaxFileSize {
		return nil, &Problem{File: name, Message: fmt.Sprintf("larger than %s", Size(MaxFileSize)), Hint: "is this a configuration file?"}
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\ufeff"))
	src := &source{name: name, lines: strings.Split(text, "\n")}
	for i, line := range src.lines {
		col := 0
		for at, r := range line {
			col++
			if r == utf8.RuneError && !strings.HasPrefix(line[at:], "\uFFFD") {
				src.lines[i] = strings.ToValidUTF8(line, "\uFFFD")
				return nil, src.problem(i+1, col, "", "not valid UTF-8", "save the file as UTF-8")
			}
			if r < ' ' && r != '\t' || r == 0x7f {
				return nil, src.problem(i+1, col, "", fmt.Sprintf("control character %U", r), "delete it")
			}
		}
	}
	return src, nil
}

// parseText gives the values of a text, below a path.
func parseText(src *source, text string, path []segment) (leaves []leaf, problems Problems) {
	defer func() { // a panic of the parser is a problem of the file, not the end of the program
		if recover() != nil {
			leaves, problems = nil, Problems{src.problem(0, 0, "", "cannot be read as YAML", "check brackets and quotes")}
		}
	}()
	tokens := lexer.Tokenize(text)
	if len(tokens) > maxTokens {
		return nil, Problems{src.problem(0, 0, "", "holds more than a configuration can", "is this a configuration file?")}
	}
	if p := checkNesting(src, tokens); p != nil {
		return nil, Problems{p}
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, Problems{src.syntaxProblem(err)}
	}
	docs := slices.DeleteFunc(file.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil || d.Body.Type() == ast.DirectiveType })
	switch len(docs) {
	case 0:
		return nil, nil
	case 1:
		f := flattener{src: src, anchors: map[string]ast.Node{}}
		f.flatten(docs[0].Body, path)
		return f.leaves, f.problems
	}
	line, col := place(docs[1].Body)
	return nil, Problems{src.problem(line, col, "", "a second document starts here", "one file holds one document: delete the --- line")}
}

// checkNesting bounds what the parser recurses over: brackets inside brackets, and `- - -` and the like on one line.
func checkNesting(src *source, tokens token.Tokens) *Problem {
	depth, line, inLine := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, inLine = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType, token.TagType, token.AnchorType, token.DirectiveType:
			inLine++
		}
		if depth > maxDepth || depth < -maxDepth || inLine > maxDepth {
			return src.problem(line, t.Position.Column, "", "nested too deeply", "")
		}
	}
	return nil
}

// syntaxProblem puts the parser's complaint into our form, with a hint where the mistake is a common one.
func (s *source) syntaxProblem(err error) *Problem {
	message, line, col := "cannot be read as YAML", 0, 0
	var syntax *yaml.SyntaxError // its Error method prints the tokens of the whole file, in quadratic time
	if errors.As(err, &syntax) {
		message = syntax.Message
		if syntax.Token != nil && syntax.Token.Position != nil {
			line, col = syntax.Token.Position.Line, syntax.Token.Position.Column
		}
	}
	hint := ""
	switch {
	case line > 0 && line <= len(s.lines) && strings.HasPrefix(strings.TrimLeft(s.lines[line-1], " "), "\t"):
		message, hint = "a tab in the indentation", "YAML indents with spaces: replace the tab"
	case strings.Contains(message, "mapping value is not allowed"):
		hint = "a value that contains a colon and a space needs quotes"
	}
	return s.problem(line, col, "", keyShaped().ReplaceAllString(printable(message), hidden), hint)
}

func place(n ast.Node) (line, col int) {
	if n == nil {
		return 0, 0
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return 0, 0
	}
	return t.Position.Line, t.Position.Column
}

// flattener takes the parser's tree apart. A place it cannot read becomes a problem.
type flattener struct {
	src          *source
	anchors      map[string]ast.Node
	leaves       []leaf
	problems     Problems
	depth, steps int
}

func (f *flattener) fail(n ast.Node, message, hint string) {
	line, col := place(n)
	f.problems = append(f.problems, f.src.problem(line, col, "", message, hint))
}

// step counts a value, and reports whether the document may stand for it.
func (f *flattener) step(n ast.Node) bool {
	if f.steps++; f.steps == maxSteps+1 {
		f.fail(n, "aliases make this file stand for too much", "")
	}
	return f.steps <= maxSteps
}

// flatten adds the values of a node at a path.
func (f *flattener) flatten(n ast.Node, path []segment) {
	f.depth++
	defer func() { f.depth-- }()
	if f.depth > 4*maxDepth {
		f.fail(n, "nested too deeply", "")
		return
	}
	if !f.step(n) {
		return
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		f.table(n, n.Values, path, map[string]int{})
	case *ast.MappingValueNode:
		f.table(n, []*ast.MappingValueNode{n}, path, map[string]int{})
	case *ast.AnchorNode:
		f.flatten(n.Value, path)
		f.anchors[n.Name.GetToken().Value] = n.Value // not before: an alias inside its own anchor finds none
	case *ast.AliasNode:
		if to := f.aliased(n); to != nil {
			f.flatten(to, path)
		}
	case *ast.TagNode:
		f.fail(n, "YAML tags have no meaning here", "delete "+quote(n.Start.Value))
	case *ast.SequenceNode:
		l := f.scalar(n, path)
		l.kind = listNode
		for _, item := range n.Values {
			below := flattener{src: f.src, anchors: f.anchors, problems: f.problems, depth: f.depth, steps: f.steps}
			below.flatten(item, nil)
			f.problems, f.steps = below.problems, below.steps
			l.items = append(l.items, below.item(l))
		}
		f.leaves = append(f.leaves, l)
	default:
		f.leaves = append(f.leaves, f.scalar(n, path))
	}
}

// item is what was read as one value: a table has all of it.
func (f *flattener) item(list leaf) leaf {
	if len(f.leaves) == 1 && len(f.leaves[0].path) == 0 {
		return f.leaves[0]
	}
	out := leaf{kind: tableNode, value: map[string]any{}, line: list.line, col: list.col}
	for _, l := range f.leaves {
		out.value = put(out.value, l.path, l)
	}
	return out
}

func (f *flattener) aliased(n *ast.AliasNode) ast.Node {
	name := ""
	if n.Value != nil && n.Value.GetToken() != nil {
		name = n.Value.GetToken().Value
	}
	to, ok := f.anchors[name]
	if !ok {
		f.fail(n, fmt.Sprintf("no anchor is named %s", quote(name)), "")
	}
	return to
}

// scalar is a value that is no table.
func (f *flattener) scalar(n ast.Node, path []segment) leaf {
	out := leaf{path: path}
	if out.line, out.col = place(n); (out.line == 0 || n.Type() == ast.NullType) && len(path) > 0 {
		out.line, out.col = path[len(path)-1].line, path[len(path)-1].col
	}
	if n == nil {
		return out
	}
	if t := n.GetToken(); t != nil {
		out.text = t.Value
	}
	switch n := n.(type) {
	case *ast.BoolNode:
		out.kind, out.value = boolNode, n.Value
	case *ast.IntegerNode:
		out.kind, out.value = intNode, n.Value
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.kind, out.value = floatNode, n.(ast.ScalarNode).GetValue()
	case *ast.StringNode:
		out.kind, out.text, out.value = textNode, n.Value, n.Value
	case *ast.LiteralNode:
		out.kind, out.text, out.value = textNode, n.Value.Value, n.Value.Value
	case *ast.NullNode, *ast.SequenceNode, *ast.MappingNode:
	default:
		f.fail(n, "not understood here", "")
	}
	return out
}

// table adds the values of a mapping, but of keys seen before. Keys that stand twice are a problem; keys from a merge (<<)
// give way to the table's own.
func (f *flattener) table(n ast.Node, values []*ast.MappingValueNode, path []segment, seen map[string]int) {
	if len(values) == 0 && len(seen) == 0 {
		l := f.scalar(n, path)
		l.kind = tableNode
		f.leaves = append(f.leaves, l)
	}
	merged := len(seen) > 0
	for _, v := range values {
		line, col := place(v.Key)
		key, ok := f.key(v.Key)
		first, twice := seen[key]
		switch {
		case v.Key.IsMergeKey() || !ok || twice && merged || f.steps > maxSteps:
		case twice:
			f.fail(v.Key, fmt.Sprintf("%s is there twice, first on line %d", quote(key), first), "delete one of the two")
		default:
			seen[key] = line
			f.flatten(v.Value, append(slices.Clone(path), segment{key, line, col}))
		}
	}
	for _, v := range values {
		if v.Key.IsMergeKey() {
			seen["<<"] = 0 // whatever it brings is merged
			f.merge(v.Value, path, seen)
		}
	}
}

// merge adds the entries that `<<: *name` or `<<: [*a, *b]` brings; of several, the first wins.
func (f *flattener) merge(n ast.Node, path []segment, seen map[string]int) {
	if !f.step(n) {
		return
	}
	switch n := n.(type) {
	case *ast.AliasNode:
		if to := f.aliased(n); to != nil {
			f.merge(to, path, seen)
		}
	case *ast.AnchorNode:
		f.merge(n.Value, path, seen)
		f.anchors[n.Name.GetToken().Value] = n.Value
	case *ast.SequenceNode:
		for _, item := range n.Values {
			f.merge(item, path, seen)
		}
	case *ast.MappingNode:
		f.table(n, n.Values, path, seen)
	case *ast.MappingValueNode:
		f.table(n, []*ast.MappingValueNode{n}, path, seen)
	default:
		f.fail(n, "<< takes a table", "")
	}
}

// key reads a key as text: `5: x` has the key "5". Keys that are lists or tables mean nothing here.
func (f *flattener) key(n ast.MapKeyNode) (string, bool) {
	var inner ast.Node = n
	if explicit, ok := n.(*ast.MappingKeyNode); ok {
		inner = explicit.Value
	}
	switch inner.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return f.scalar(inner, nil).text, true
	case *ast.MergeKeyNode:
		return "", true
	}
	f.fail(n, "a key must be text", "")
	return "", false
}
