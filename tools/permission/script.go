package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"plimsoll/conversation/plain"
	"plimsoll/tools/shell"
)

// A script is a parsed shell command. It is plain if it consists only of simple commands
// with literal words, joined by ; && || | or line ends, without redirections other than
// to /dev/null or between the standard streams. A rule with a wildcard allows only plain
// scripts. Deny rules check every simple command anywhere in a script, also inside
// substitutions, after wrappers such as sudo, and in bash -c. Which commands other
// programs run is not known. The words after a program's name (ssh host rm x) and a word
// with blanks may therefore each be a command, and a deny rule that matches one makes
// the script need approval.

// word is one word of a simple command. sure is false if the shell may change it:
// by an expansion, a glob or braces.
type word struct {
	text string
	sure bool
}

type script struct {
	text   string
	plain  bool
	calls  [][]word // the simple commands, in order, if plain
	nested [][]word // every simple command, also in substitutions, wrappers and shells
	inner  [][]word // words that may be a command which one of these runs
	opaque bool     // a part could not be parsed, so deny rules may miss a command
}

// shells and wrappers run commands that are given in their arguments.
var (
	shells   = []string{"sh", "bash", "zsh", "dash", "ksh", "ash"}
	wrappers = []string{"sudo", "doas", "env", "command", "builtin", "exec", "nohup", "time", "timeout", "nice", "ionice", "setsid",
		"stdbuf", "xargs", "find", "fd", "watch", "parallel", "busybox", "toybox", "chroot", "unshare", "nsenter", "strace", "ltrace",
		"su", "runuser", "pkexec", "setpriv", "flock", "taskset", "chrt", "script", "systemd-run", "fakeroot", "entr"}
)

// maxScriptDepth is how deep scripts inside scripts are parsed (bash -c "bash -c ...").
const maxScriptDepth = 5

func parseScript(text string, lang syntax.LangVariant) *script {
	s := &script{text: text}
	s.plain = s.read(text, lang, 0) && plain.ShownExactly(text)
	s.addGuesses(text, lang, 0)
	return s
}

// addGuesses adds to inner the words of text that may be a command. Most of them are not,
// so parse errors are ignored.
func (s *script) addGuesses(text string, lang syntax.LangVariant, depth int) {
	for stmt, err := range syntax.NewParser(syntax.Variant(lang)).StmtsSeq(strings.NewReader(text)) {
		if err != nil { // a shell runs the statements before a syntax error
			return
		}
		syntax.Walk(stmt, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CallExpr:
				call := literalWords(n)
				for i := range call {
					if call[i].sure && (i > 0 || depth > 0) {
						s.inner = append(s.inner, call[i:])
					}
				}
			case *syntax.Word:
				if text := literalWord(n).text; depth < maxScriptDepth && strings.ContainsAny(text, blanks+";&|<>()`") {
					s.addGuesses(text, lang, depth+1)
				}
			}
			return true
		})
	}
}

// read parses text, adds its commands to s, and reports whether text is plain.
func (s *script) read(text string, lang syntax.LangVariant, depth int) bool {
	file, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
	if err != nil || depth == maxScriptDepth {
		s.opaque = true
		return false
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			s.addNested(literalWords(call), lang, depth)
		}
		return true
	})
	plain := len(file.Stmts) > 0 && depth == 0
	for _, stmt := range file.Stmts {
		plain = plain && s.plainStatement(stmt)
	}
	return plain
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

// quietRedirect reports whether a redirection only discards a stream or joins two.
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

// addNested adds a simple command for deny rules, and the commands that it runs.
func (s *script) addNested(call []word, lang syntax.LangVariant, depth int) {
	if !call[0].sure {
		s.opaque = true
	}
	s.addInner(call, lang, depth)
	if !slices.Contains(wrappers, path.Base(call[0].text)) {
		return
	}
	for i := 1; i < len(call); i++ {
		s.addInner(call[i:], lang, depth)
		if slices.Contains(commandOptions, call[i-1].text) {
			s.readWords(call[i:i+1], lang, depth)
		}
	}
}

// commandOptions are options of wrappers whose value is a whole command in one
// word: su -c 'rm x', env -S 'rm x'.
var commandOptions = []string{"-c", "-S", "--command", "--split-string"}

// addInner adds one simple command and, if it is a shell, the script that it runs.
func (s *script) addInner(call []word, lang syntax.LangVariant, depth int) {
	program := path.Base(call[0].text)
	s.nested = append(s.nested, call)
	switch {
	case program == "eval":
		s.readWords(withoutOptions(call[1:]), lang, depth)
	case program == "trap":
		args := withoutOptions(call[1:])
		s.readWords(args[:min(len(args), 1)], lang, depth)
	case slices.Contains(shells, program):
		text, input := shellText(call[1:])
		s.opaque = s.opaque || input
		s.readWords(text, lang, depth)
	}
}

// withoutOptions returns the words after the leading options (eval -- 'rm x').
func withoutOptions(args []word) []word {
	for len(args) > 0 && args[0].sure && strings.HasPrefix(args[0].text, "-") {
		args = args[1:]
	}
	return args
}

// readWords parses the script that words make and adds its commands.
func (s *script) readWords(script []word, lang syntax.LangVariant, depth int) {
	var text []string
	for _, w := range script {
		if !w.sure {
			s.opaque = true
			return
		}
		text = append(text, w.text)
	}
	if len(text) > 0 {
		s.read(strings.Join(text, " "), lang, depth+1)
	}
}

// shellText returns the word of a shell's arguments that it runs as a script: the first
// word after the options if -c is among them, in any spelling (-lc, -ce, -c -e). text is
// empty if the shell runs a file; input is true if it reads commands from its input.
func shellText(args []word) (text []word, input bool) {
	command := false
	for i, w := range args {
		flag := strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--")
		switch {
		case !w.sure:
			return args[i : i+1], false
		case flag || strings.HasPrefix(w.text, "+"):
			command = command || flag && strings.Contains(w.text, "c")
			input = input || flag && strings.Contains(w.text, "s")
		case strings.HasPrefix(w.text, "--"):
		case i > 0 && takesOption(args[i-1].text):
		case command:
			return args[i : i+1], false
		default:
			return nil, input || strings.HasPrefix(w.text, "/dev/") || strings.HasPrefix(w.text, "/proc/")
		}
	}
	return nil, true
}

// takesOption reports whether the word after a shell's option is the option's value.
func takesOption(option string) bool {
	if strings.HasPrefix(option, "--") {
		return option == "--rcfile" || option == "--init-file"
	}
	sign := strings.HasPrefix(option, "-") || strings.HasPrefix(option, "+")
	return sign && (strings.HasSuffix(option, "o") || strings.HasSuffix(option, "O"))
}

// literalWords returns the words of a command.
func literalWords(call *syntax.CallExpr) []word {
	out := make([]word, len(call.Args))
	for i, w := range call.Args {
		out[i] = literalWord(w)
	}
	return out
}

// literalWord returns the value of a word; it is sure if all of its parts are literal text.
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

// expands reports whether the shell expands something in unquoted text. bash also
// expands a tilde in a=~ and a=b:~.
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

// unescape removes backslashes as the shell does: all of them outside quotes (only is
// ""); inside double quotes those before the characters of only.
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
// Other shells have no parser here: their commands always need approval.
func readScript(command string) *script {
	switch shell := strings.ToLower(filepath.Base(shell.Command()[0])); {
	case strings.HasPrefix(shell, "bash"):
		return parseScript(command, syntax.LangBash)
	case strings.HasPrefix(shell, "sh"):
		return parseScript(command, syntax.LangPOSIX)
	}
	return &script{text: command, opaque: true}
}
