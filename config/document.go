// From bytes to the values of a document, each with its path. Rules:
//
//   - Every limit is checked before the parser runs: the parser's stack and time grow with the nesting, and 100 kB of
//     open brackets cost it gigabytes.
//   - What YAML has and a configuration does not need is refused: anchors, aliases, tags, explicit keys, directives and
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

// maxDepth bounds nested brackets, and dashes on one line.
const maxDepth = 32

// maxTokens bounds the words and signs of a file; a table costs the parser the square of its length.
const maxTokens = 8_000

// leaf is a value of a document that is no table, or an empty table.
type leaf struct {
	path      []segment
	value     any // as JSON has it; numbers are int64, uint64 or float64
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

// text is a scalar as text.
func (l leaf) text() string {
	if l.value == nil {
		return ""
	}
	return fmt.Sprint(l.value)
}

// kind names the kind of the value.
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

// isEmpty reports whether there is nothing to set: no value, or an empty table.
func (l leaf) isEmpty() bool {
	_, table := l.value.(map[string]any)
	return table || l.value == nil
}

// put is a table with a value at a path. What is there is copied.
func put(into any, path []segment, value any) any {
	old, isTable := into.(map[string]any)
	if len(path) == 0 {
		if _, empty := value.(map[string]any); empty && isTable {
			return into
		}
		return value
	}
	out := map[string]any{}
	maps.Copy(out, old)
	out[path[0].key] = put(out[path[0].key], path[1:], value)
	return out
}

// source is one text with its name: a file, or an override from the command line.
type source struct {
	name  string
	lines []string
	whole bool // an override: its problems name no line
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
	leaves, problem := parseText(src, strings.Join(src.lines, "\n"), nil)
	if problem != nil {
		return nil, nil, Problems{problem}
	}
	return src, leaves, nil
}

// parseOverride reads one KEY=VALUE, of --cfg or of a conversation. The key is dotted ([Path]), the value YAML; nothing
// after the = is the empty text.
func parseOverride(layer Layer, text string) (*source, []leaf, Problems) {
	src, problem := checkText(string(layer), []byte(strings.ReplaceAll(text, "\n", " ")))
	if problem != nil {
		problem.Line, problem.Column = 0, 0
		return nil, nil, Problems{problem}
	}
	src.whole = true
	keys, rest, err := cutPath(text)
	if err != nil {
		hint := "write KEY=VALUE, such as --cfg compaction.trigger_ratio=0.7"
		return nil, nil, Problems{src.problem(0, 0, "", err.Error(), hint)}
	}
	var path []segment
	for _, key := range keys {
		path = append(path, segment{key, 1, 1})
	}
	leaves, problem := parseText(src, rest, path)
	switch {
	case problem != nil:
		return nil, nil, Problems{problem}
	case len(leaves) == 0:
		leaves = []leaf{{path: path, value: "", line: 1, col: 1}}
	}
	return src, leaves, nil
}

// checkText applies the limits on bytes: size, encoding, characters that have no business in a text file.
func checkText(name string, data []byte) (*source, *Problem) {
	if len(data) > MaxFileSize {
		return nil, &Problem{File: name, Message: fmt.Sprintf("larger than %s", Size(MaxFileSize)), Hint: "is this a configuration file?"}
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\ufeff"))
	src := &source{name: name, lines: strings.Split(text, "\n")}
	for i, line := range src.lines {
		if !utf8.ValidString(line) {
			src.lines[i] = strings.ToValidUTF8(line, "\uFFFD")
			return nil, src.problem(i+1, 0, "", "not valid UTF-8", "save the file as UTF-8")
		}
		for _, r := range line {
			if r < ' ' && r != '\t' || r == 0x7f {
				return nil, src.problem(i+1, 0, "", fmt.Sprintf("control character %U", r), "delete it")
			}
		}
	}
	return src, nil
}

// parseText gives the values of a text, below a path.
func parseText(src *source, text string, path []segment) (leaves []leaf, problem *Problem) {
	defer func() { // a panic of the parser is a problem of the file, not the end of the program
		if recover() != nil {
			leaves, problem = nil, src.problem(0, 0, "", "cannot be read as YAML", "check brackets and quotes")
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
	line, col := place(docs[1].Body)
	return nil, src.problem(line, col, "", "a second document starts here", "one file holds one document: delete the --- line")
}

// checkTokens bounds what the parser recurses over, and refuses what has no meaning in a configuration.
func checkTokens(src *source, tokens token.Tokens) *Problem {
	if len(tokens) > maxTokens {
		return src.problem(0, 0, "", "holds more than a configuration can", "is this a configuration file?")
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
			return src.problem(line, at.Column, "", quote(t.Value)+" has no meaning here", "write the value out; text that begins so needs quotes")
		}
		if depth > maxDepth || depth < -maxDepth || dashes > maxDepth {
			return src.problem(line, at.Column, "", "nested too deeply", "")
		}
	}
	return nil
}

// syntaxProblem puts the parser's complaint into our form.
func (s *source) syntaxProblem(err error) *Problem {
	message, line, col := "cannot be read as YAML", 0, 0
	var syntax *yaml.SyntaxError // its Error method prints the tokens of the whole file, in quadratic time
	if errors.As(err, &syntax) {
		message = syntax.Message
		if syntax.Token != nil && syntax.Token.Position != nil {
			line, col = syntax.Token.Position.Line, syntax.Token.Position.Column
		}
	}
	return s.problem(line, col, "", keyShaped().ReplaceAllString(printable(message), hidden), "")
}

func place(n ast.Node) (line, col int) {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line, t.Position.Column
	}
	return 0, 0
}

// flatten gives the values of a node at a path.
func flatten(n ast.Node, path []segment) []leaf {
	table, isTable := n.(*ast.MappingNode)
	if !isTable || len(table.Values) == 0 {
		l := leaf{path: path, value: valueOf(n)}
		if l.line, l.col = place(n); len(path) > 0 && (l.line == 0 || l.value == nil) {
			l.line, l.col = path[len(path)-1].line, path[len(path)-1].col
		}
		return []leaf{l}
	}
	var leaves []leaf
	for _, v := range table.Values {
		line, col := place(v.Key)
		leaves = append(leaves, flatten(v.Value, append(slices.Clone(path), segment{v.Key.GetToken().Value, line, col}))...)
	}
	return leaves
}

// valueOf is a node as JSON has it.
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
