// From bytes to a tree of positioned nodes. Rules:
//
//   - Every limit is checked before the parser runs: the parser's stack and time grow with the nesting, and 100 kB of
//     open brackets cost it gigabytes.
//   - Anchors, aliases and merge keys work; an alias shares the node it names, so that nothing grows by repetition.
//   - What YAML has and a configuration does not need is refused in words: tags, several documents, keys that are no text.

package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxFileSize is the largest configuration file that is read, in bytes.
const MaxFileSize = 256 << 10

// maxDepth bounds nested brackets, and indicators such as - and ? on one line.
const maxDepth = 32

// maxTokens bounds the words and signs of a file; a table costs the parser the square of its length.
const maxTokens = 20_000

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

// node is one value of the document. Scalars keep the text they were written with and the value it means.
type node struct {
	kind      kind
	text      string
	value     any
	items     []*node
	entries   []entry
	line, col int
}

// entry is one key of a table, with the place of the key.
type entry struct {
	key       string
	value     *node
	line, col int
}

// source is one text with its name: a file, or an override from the command line.
type source struct {
	name  string
	lines []string
	whole bool // an override: there are no lines to speak of
}

func newSource(name string, text string) *source {
	return &source{name: name, lines: strings.Split(text, "\n")}
}

func (s *source) problem(line, col int, key, message, hint string) *Problem {
	p := &Problem{File: s.name, Line: line, Column: col, Key: key, Message: message, Hint: hint}
	if s.whole {
		p.Line, p.Column, p.Text = 0, 0, safeLine(s.lines, 0)
	} else {
		p.Text = safeLine(s.lines, line-1)
	}
	return p
}

// add appends a problem. Past what anybody reads only the count matters, and no time goes into the text.
func (s *source) add(to *Problems, line, col int, key, message, hint string) {
	if len(*to) > maxProblems {
		*to = append(*to, &Problem{File: s.name})
		return
	}
	*to = append(*to, s.problem(line, col, key, message, hint))
}

// parseDocument reads one document. The node is nil when there is nothing, or nothing but comments: an emptied file and
// /dev/null are configurations that change nothing.
func parseDocument(name string, data []byte) (*source, *node, Problems) {
	text, problem := checkText(name, data)
	if problem != nil {
		return nil, nil, Problems{problem}
	}
	src := newSource(name, text)
	root, problems := parseText(src, text)
	return src, root, problems
}

// byteOrderMark is what some editors put at the beginning of a file.
const byteOrderMark = "\ufeff"

// plainEnds is a text with the line ends that the parser knows.
func plainEnds(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// checkText applies the limits on bytes: size, encoding, characters that have no business in a text file.
func checkText(name string, data []byte) (string, *Problem) {
	if len(data) > MaxFileSize {
		return "", &Problem{
			File: name, Message: fmt.Sprintf("larger than %s", Size(MaxFileSize)),
			Hint: "is this a configuration file?",
		}
	}
	text := plainEnds(strings.TrimPrefix(string(data), byteOrderMark))
	for i, r := range text {
		bad := r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD")
		if !bad && (r >= ' ' && r != 0x7f || r == '\n' || r == '\t') {
			continue
		}
		src := newSource(name, strings.ToValidUTF8(text, "\uFFFD"))
		line := 1 + strings.Count(text[:i], "\n")
		col := 1 + utf8.RuneCountInString(text[strings.LastIndexByte(text[:i], '\n')+1:i])
		if bad {
			return "", src.problem(line, col, "", "not valid UTF-8", "save the file as UTF-8")
		}
		return "", src.problem(line, col, "", fmt.Sprintf("control character %U", r), "delete it")
	}
	return text, nil
}

// parseText runs the YAML parser and turns its tree into ours.
func parseText(src *source, text string) (root *node, problems Problems) {
	body, problems := parseTree(src, text)
	if body == nil || len(problems) > 0 {
		return nil, problems
	}
	defer src.recovered(&problems)
	b := builder{src: src, anchors: map[string]*node{}}
	root = b.build(body, 0)
	return root, b.problems
}

// parseTree gives the parser's own tree, or nil when there is nothing but comments.
func parseTree(src *source, text string) (body ast.Node, problems Problems) {
	defer src.recovered(&problems)
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
	var docs []*ast.DocumentNode
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.DirectiveType {
			docs = append(docs, doc)
		}
	}
	if len(docs) == 0 {
		return nil, nil
	}
	if len(docs) > 1 {
		line, col := place(docs[1].Body)
		return nil, Problems{src.problem(line, col, "", "a second document starts here", "one file holds one document: delete the --- line")}
	}
	return docs[0].Body, nil
}

// recovered makes a panic of the parser a problem of the file, not the end of the program. It is deferred.
func (s *source) recovered(problems *Problems) {
	if recover() != nil {
		*problems = Problems{s.problem(0, 0, "", "cannot be read as YAML", "check brackets and quotes")}
	}
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
	case strings.Contains(message, "reserved character"):
		hint = "put the value in quotes"
	}
	return s.problem(line, col, "", keyShaped().ReplaceAllString(printable(message), hidden), hint)
}

func place(n ast.Node) (line, col int) {
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return 0, 0
	}
	return t.Position.Line, t.Position.Column
}
