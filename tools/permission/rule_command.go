package permission

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// What a pattern for commands says:
//
//   - Without a wildcard it is exactly this command, byte for byte, or exactly one
//     of the commands of a plain script, where that means the same: not behind a
//     pipe, as another input is another command, nothing that changes the shell for
//     the commands behind it (cd, export), and nothing behind such a command.
//   - With * it is wide: word by word, * stands for characters within a word, and
//     as the last word for any words, or none.
//   - With ... as its last word it allows nothing; \... is the word itself.

const (
	dots        = "..."
	literalDots = `\...` // at the end of a pattern: the word ... itself
)

// blanks separate words; to a shell, all other white space is part of one.
const blanks = " \t\n"

func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(blanks, r) })
}

// idle reports whether the pattern ends in ... and so allows nothing.
func (r rule) idle() bool {
	words := fields(r.pattern)
	return r.tool == "run_command" && len(words) > 0 && words[len(words)-1] == dots
}

const idleReason = "a command that ends in ... allows nothing; write the exact command, or * for any arguments"

// Idle says of the allow rules of a configuration that allow nothing why.
func Idle(allow []string) []string {
	var notes []string
	for _, text := range allow {
		if r, err := parseRule(text, []Tool{{"run_command", AccessCommand}}); err == nil && r.idle() {
			notes = append(notes, fmt.Sprintf("permissions.allow: %s grants nothing: %s", text, idleReason))
		}
	}
	return notes
}

// literal is the command that a pattern without a wildcard stands for.
func (r rule) literal() string {
	text := unescapeStar(r.pattern)
	if before, ok := strings.CutSuffix(text, literalDots); ok {
		return before + dots
	}
	return text
}

// exactCommand is the pattern that stands for one command only.
func exactCommand(text string) string {
	text = escapeStar(text)
	if text == dots || strings.HasSuffix(text, " "+dots) {
		text = strings.TrimSuffix(text, dots) + literalDots
	}
	return text
}

// exactly reports whether the pattern, having no wildcard, is this very text.
func (r rule) exactly(text string) bool {
	return !wildcard(r.pattern) && r.literal() == text
}

// deniesScript looks at every simple command of a script.
func (r rule) deniesScript(s *script) verdict {
	worst := no
	if s.opaque {
		worst = maybe
	}
	if r.exactly(s.text) {
		return yes
	}
	pattern := fields(r.pattern)
	for _, call := range s.nested {
		v := matchWords(pattern, call)
		if v == no && call[0].sure {
			byName := append([]word{{text: path.Base(call[0].text), sure: true}}, call[1:]...)
			v = matchWords(pattern, byName)
		}
		worst = max(worst, v)
	}
	return worst
}

// allowScript reports whether rules let a whole script pass, and which did: one of
// them is its exact text, or it is plain and each of its commands is covered by
// one.
func allowScript(rules []activeRule, s *script) (by []activeRule, ok bool) {
	for _, r := range rules {
		if r.tool == "run_command" && (!r.hasPattern || r.exactly(s.text)) {
			return []activeRule{r}, true
		}
	}
	if !s.plain {
		return nil, false
	}
	changed := false // an earlier command may have changed the shell
	for _, call := range s.calls {
		i := slices.IndexFunc(rules, func(r activeRule) bool {
			return r.tool == "run_command" && (r.coversWidely(call) || !changed && r.coversExactly(call))
		})
		if i < 0 {
			return nil, false
		}
		by = append(by, rules[i])
		changed = changed || call.changesShell()
	}
	return by, len(by) > 0
}

// coversExactly reports whether the pattern is one command of a plain script.
func (r rule) coversExactly(call simple) bool {
	if wildcard(r.pattern) || call.piped || call.changesShell() {
		return false
	}
	same := readScript(r.literal())
	return same.plain && len(same.calls) == 1 && slices.Equal(same.calls[0].words, call.words)
}

// coversWidely reports whether a pattern with a * covers one command.
func (r rule) coversWidely(call simple) bool {
	return wildcard(r.pattern) && matchWords(fields(r.pattern), asWritten(call.words)) == yes
}

func (c simple) changesShell() bool { return slices.Contains(stateful, c.words[0].text) }

// stateful are builtins of shells that change what commands behind them do.
var stateful = []string{"cd", "pushd", "popd", "export", "readonly", "declare", "typeset", "local", "unset", "set", "shopt", "alias",
	"unalias", "source", ".", "eval", "exec", "trap", "hash", "enable", "builtin", "command", "ulimit", "umask", "read", "mapfile",
	"readarray", "printf", "getopts", "let", "bind", "complete", "compopt", "coproc", "disown", "fg", "bg", "suspend"}

// asWritten takes globs for their text: in a plain script they can only become
// file names, which the patterns of allow rules cannot foresee either.
func asWritten(call []word) []word {
	out := make([]word, len(call))
	for i, w := range call {
		out[i] = word{text: w.text, sure: true}
	}
	return out
}

// matchWords compares a pattern with a simple command. An unsure word may be
// anything.
func matchWords(pattern []string, call []word) verdict {
	result := yes
	for i, p := range pattern {
		if p == "*" && i == len(pattern)-1 {
			return result
		}
		if i >= len(call) {
			return no
		}
		switch {
		case matchStar(p, call[i].text):
		case !call[i].sure:
			result = maybe
		default:
			return no
		}
	}
	if len(call) > len(pattern) {
		return no
	}
	return result
}
