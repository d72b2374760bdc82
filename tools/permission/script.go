package permission

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"plimsoll/conversation/plain"
	"plimsoll/tools/shell"
)

// A script is a shell command as the permissions see it: parsed, never guessed
// at by its text. It is plain if it is nothing but simple commands with literal
// words, joined by ; && || | or line ends, without redirections other than to
// /dev/null or between the standard streams; only plain scripts can be allowed
// by a pattern. For deny rules every simple command anywhere in it counts, also
// inside substitutions. What a program may run in turn is not known: the words behind
// its name (sudo rm x) and a text with blanks (bash -c 'rm x') may each be a command.

// word is one word of a simple command. sure is false if the shell may make
// something else of it: an expansion, a glob, braces.
type word struct {
	text string
	sure bool
}

type script struct {
	text   string
	plain  bool
	calls  [][]word // the simple commands, in order, if plain
	nested [][]word // every simple command found anywhere
	inner  [][]word // what may be a command that one of these runs
	opaque bool     // some command could not be read: deny rules may not see all
}

// maxScriptDepth bounds texts inside texts (bash -c "bash -c ...").
const maxScriptDepth = 5

func parseScript(text string, lang syntax.LangVariant) *script {
	s := &script{text: text}
	file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
	if err != nil {
		s.opaque = true
		return s
	}
	s.plain = len(file.Stmts) > 0 && plain.Faithful(text)
	for _, stmt := range file.Stmts {
		s.plain = s.plain && s.plainStatement(stmt)
		s.addCommands(stmt, lang, 0)
	}
	return s
}

// addCommands notes the commands of a statement, and what may be one in its words.
func (s *script) addCommands(stmt *syntax.Stmt, lang syntax.LangVariant, depth int) {
	syntax.Walk(stmt, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			call := literalWords(n)
			if depth == 0 && len(call) > 0 {
				s.nested = append(s.nested, call)
				s.opaque = s.opaque || !call[0].sure
				call = call[1:]
			}
			for i := range call {
				if call[i].sure {
					s.inner = append(s.inner, call[i:])
				}
			}
		case *syntax.Word:
			text := literalWord(n).text
			if depth < maxScriptDepth && strings.ContainsAny(text, blanks+";&|") {
				for inner, err := range syntax.NewParser(syntax.Variant(lang)).StmtsSeq(strings.NewReader(text)) {
					if err == nil { // what stands before a mistake is run
						s.addCommands(inner, lang, depth+1)
					}
				}
			}
		}
		return true
	})
}

func (s *script) plainStatement(stmt *syntax.Stmt) bool {
	if stmt.Negated || stmt.Background || stmt.Coprocess || stmt.Disown || stmt.Cmd == nil {
		return false
	}
	for _, r := range stmt.Redirs {
		if !quietRedirect(r) {
			return false
		}
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		return s.plainStatement(cmd.X) && s.plainStatement(cmd.Y)
	case *syntax.CallExpr:
		call := literalWords(cmd)
		if len(cmd.Assigns) > 0 || len(call) == 0 || slices.ContainsFunc(call, func(w word) bool { return !w.sure }) {
			return false
		}
		s.calls = append(s.calls, call)
		return true
	}
	return false
}

// quietRedirect reports whether a redirection only drops or joins streams.
func quietRedirect(r *syntax.Redirect) bool {
	if r.Word == nil || r.N != nil && r.N.Value != "1" && r.N.Value != "2" && r.N.Value != "0" {
		return false
	}
	target := literalWord(r.Word)
	switch r.Op {
	case syntax.DplOut:
		return target.sure && (target.text == "1" || target.text == "2")
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrIn:
		return target.sure && target.text == "/dev/null"
	}
	return false
}

// literalWords are the words of a command.
func literalWords(call *syntax.CallExpr) []word {
	out := make([]word, len(call.Args))
	for i, w := range call.Args {
		out[i] = literalWord(w)
	}
	return out
}

// literalWord is the value of a word, sure if it holds nothing but text.
func literalWord(w *syntax.Word) word {
	out := word{sure: true}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			out.sure = out.sure && !expands(part.Value)
			b.WriteString(unescape(part.Value, ""))
		case *syntax.SglQuoted:
			out.sure = out.sure && !part.Dollar
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					out.sure = false
					continue
				}
				b.WriteString(unescape(lit.Value, "$`\"\\"))
			}
			out.sure = out.sure && !part.Dollar
		default:
			out.sure = false
		}
	}
	out.text = b.String()
	return out
}

// expands reports whether unquoted text holds something the shell expands. bash
// expands a tilde also in a=~ and a=b:~.
func expands(lit string) bool {
	if strings.HasPrefix(lit, "~") || strings.Contains(lit, "=~") || strings.Contains(lit, ":~") {
		return true
	}
	for i := 0; i < len(lit); i++ {
		switch lit[i] {
		case '\\':
			i++
		case '*', '?', '[', '{', '}':
			return true
		}
	}
	return false
}

// unescape takes out backslashes as the shell does: all of them outside quotes
// (only == ""), before the characters of only inside double quotes.
func unescape(lit, only string) string {
	if !strings.Contains(lit, `\`) {
		return lit
	}
	var b strings.Builder
	for i := 0; i < len(lit); i++ {
		if lit[i] == '\\' && i+1 < len(lit) && (only == "" || lit[i+1] == '\n' || strings.IndexByte(only, lit[i+1]) >= 0) {
			i++
			if lit[i] == '\n' {
				continue
			}
		}
		b.WriteByte(lit[i])
	}
	return b.String()
}

// readScript parses a command in the language of the shell that will run it.
// cmd of Windows has no parser here: its commands are always asked about.
func readScript(command string) *script {
	switch shell := strings.ToLower(filepath.Base(shell.Command()[0])); {
	case strings.HasPrefix(shell, "bash"):
		return parseScript(command, syntax.LangBash)
	case strings.HasPrefix(shell, "sh"):
		return parseScript(command, syntax.LangPOSIX)
	}
	return &script{text: command, opaque: true}
}
