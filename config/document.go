// Parsing turns the bytes of a document into values with their paths. Rules:
//
//   - Every limit is checked before the parser runs: its stack and time grow with the nesting, and 100 kB of
//     open brackets cost it gigabytes.
//   - YAML features that a configuration does not need are refused: anchors, aliases, tags, explicit keys, directives and
//     several documents.

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

// maxDepth is how many brackets may be nested, and how many list dashes may be on one line.
const maxDepth = 32

// maxTokens is how many YAML tokens a file may have; the parser's time is quadratic in the length of a table.
const maxTokens = 8_000

// leaf is a value with its path: a scalar, a list or an empty table.
type leaf struct {
	path  []segment
	value any // nil, bool, string, []any, map[string]any, int64, uint64 or float64
	line  int
}

// segment is one key of a path, with its position in the file.
type segment struct {
	key  string
	line int
}

func (l leaf) keys() []string {
	out := make([]string, len(l.path))
	for i, s := range l.path {
		out[i] = s.key
	}
	return out
}

// text formats a scalar.
func (l leaf) text() string {
	if l.value == nil {
		return ""
	}
	return fmt.Sprint(l.value)
}

// kind names the type of the value, for messages.
func (l leaf) kind() string {
	switch l.value.(type) {
	case nil:
		return "nothing"
	case string:
		return "text"
	case bool:
		return "true or false"
	case float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a whole number"
}

// isEmpty reports whether the value is missing or an empty table.
func (l leaf) isEmpty() bool {
	_, table := l.value.(map[string]any)
	return table || l.value == nil
}

func tableOf(leaves []leaf) map[string]any {
	var values any = map[string]any{}
	for _, l := range leaves {
		values = withValueAt(values, l.path, l.value)
	}
	table, _ := values.(map[string]any) // an empty file is an empty value
	return table
}

// withValueAt returns a copy of the table into, with value at path.
func withValueAt(into any, path []segment, value any) any {
	old, isTable := into.(map[string]any)
	if len(path) == 0 {
		if _, empty := value.(map[string]any); empty && isTable {
			return into
		}
		return value
	}
	out := map[string]any{}
	maps.Copy(out, old)
	out[path[0].key] = withValueAt(out[path[0].key], path[1:], value)
	return out
}

// source is the text of a file, or of one KEY=VALUE setting.
type source struct {
	name       string
	lines      []string
	isOverride bool // a KEY=VALUE setting, whose problems have no line number
}

func (s *source) problem(line int, key, message, hint string) *Problem {
	p := &Problem{File: s.name, Line: line, Key: key, Message: message, Hint: hint}
	if s.isOverride {
		p.Line, line = 0, 1
	}
	p.Text = safeLine(s.lines, line-1)
	return p
}

// parseDocument parses one document. An empty file (or /dev/null) is valid and has no values.
func parseDocument(name string, data []byte) (*source, []leaf, Problems) {
	src, problem := checkText(name, data)
	if problem != nil {
		return nil, nil, Problems{problem}
	}
	leaves, problem := parseText(src, strings.Join(src.lines, "\n"), nil)
	if problem != nil {
		return nil, nil, Problems{problem}
	}
	return src, leaves, nil
}

// parseOverride parses one KEY=VALUE setting, of --cfg or of a conversation. The key is dotted ([Path]), the value YAML.
// Without a value it is the empty text.
func parseOverride(layer Layer, text string) (*source, []leaf, Problems) {
	src, problem := checkText(string(layer), []byte(strings.ReplaceAll(text, "\n", " ")))
	if problem != nil {
		problem.Line = 0
		return nil, nil, Problems{problem}
	}
	src.isOverride = true
	keys, rest, err := parseAssignment(text)
	if err != nil {
		hint := "write KEY=VALUE, such as --cfg compaction.trigger_ratio=0.7"
		return nil, nil, Problems{src.problem(0, "", err.Error(), hint)}
	}
	var path []segment
	for _, key := range keys {
		path = append(path, segment{key, 1})
	}
	leaves, problem := parseText(src, rest, path)
	switch {
	case problem != nil:
		return nil, nil, Problems{problem}
	case len(leaves) == 0:
		leaves = []leaf{{path: path, value: "", line: 1}}
	}
	return src, leaves, nil
}

// checkText checks size and encoding, and refuses control characters.
func checkText(name string, data []byte) (*source, *Problem) {
	if len(data) > MaxFileSize {
		return nil, &Problem{File: name, Message: fmt.Sprintf("larger than %s", Size(MaxFileSize)), Hint: "is this a configuration file?"}
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\ufeff"))
	src := &source{name: name, lines: strings.Split(text, "\n")}
	for i, line := range src.lines {
		if !utf8.ValidString(line) {
			src.lines[i] = strings.ToValidUTF8(line, "\uFFFD")
			return nil, src.problem(i+1, "", "not valid UTF-8", "save the file as UTF-8")
		}
		for _, r := range line {
			if r < ' ' && r != '\t' || r == 0x7f {
				return nil, src.problem(i+1, "", fmt.Sprintf("control character %U", r), "delete it")
			}
		}
	}
	return src, nil
}

// parseText parses YAML text into values, whose paths begin with path.
func parseText(src *source, text string, path []segment) (leaves []leaf, problem *Problem) {
	defer func() { // a panic of the parser is reported as a problem of the file
		if recover() != nil {
			leaves, problem = nil, src.problem(0, "", "cannot be read as YAML", "check brackets and quotes")
		}
	}()
	tokens := lexer.Tokenize(text)
	if p := checkTokens(src, tokens); p != nil {
		return nil, p
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, src.syntaxProblem(err)
	}
	docs := slices.DeleteFunc(file.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	switch len(docs) {
	case 0:
		return nil, nil
	case 1:
		return flatten(docs[0].Body, path), nil
	}
	return nil, src.problem(lineOf(docs[1].Body), "", "a second document starts here", "one file holds one document: delete the --- line")
}

// checkTokens limits the number and nesting of tokens, and refuses YAML features that a configuration does not use.
func checkTokens(src *source, tokens token.Tokens) *Problem {
	if len(tokens) > maxTokens {
		return src.problem(0, "", "holds more than a configuration can", "is this a configuration file?")
	}
	depth, line, dashes := 0, 0, 0
	for _, t := range tokens {
		at := t.Position
		if at.Line != line {
			line, dashes = at.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			dashes++
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.MappingKeyType, token.DirectiveType:
			return src.problem(line, "", quote(t.Value)+" has no meaning here", "write the value out; text that begins so needs quotes")
		}
		if depth > maxDepth || depth < -maxDepth || dashes > maxDepth {
			return src.problem(line, "", "nested too deeply", "")
		}
	}
	return nil
}

func (s *source) syntaxProblem(err error) *Problem {
	message, line := "cannot be read as YAML", 0
	// its Error method prints the tokens of the whole file, in quadratic time
	if syntax, ok := errors.AsType[*yaml.SyntaxError](err); ok {
		message = syntax.Message
		if syntax.Token != nil && syntax.Token.Position != nil {
			line = syntax.Token.Position.Line
		}
	}
	return s.problem(line, "", keyShaped().ReplaceAllString(printable(message), hidden), "")
}

// lineOf returns the line of a node, 0 if it is unknown.
func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

// flatten returns the values of a node and all below it; path leads to the node.
func flatten(n ast.Node, path []segment) []leaf {
	table, isTable := n.(*ast.MappingNode)
	if !isTable || len(table.Values) == 0 {
		l := leaf{path: path, value: valueOf(n)}
		if l.line = lineOf(n); len(path) > 0 && (l.line == 0 || l.value == nil) {
			l.line = path[len(path)-1].line
		}
		return []leaf{l}
	}
	var leaves []leaf
	for _, v := range table.Values {
		leaves = append(leaves, flatten(v.Value, append(slices.Clone(path), segment{v.Key.GetToken().Value, lineOf(v.Key)}))...)
	}
	return leaves
}

// valueOf converts a node to the Go types of leaf.value.
func valueOf(n ast.Node) any {
	switch n := n.(type) {
	case *ast.LiteralNode:
		return n.Value.Value
	case ast.ScalarNode:
		return n.GetValue()
	case *ast.SequenceNode:
		out := make([]any, len(n.Values))
		for i, item := range n.Values {
			out[i] = valueOf(item)
		}
		return out
	case *ast.MappingNode:
		out := map[string]any{}
		for _, v := range n.Values {
			out[v.Key.GetToken().Value] = valueOf(v.Value)
		}
		return out
	}
	return nil
}
