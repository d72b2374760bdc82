package permission

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"plimsoll/tools/harmless"
)

// What a pattern for commands says:
//
//   - Without a wildcard it is exactly this command, byte for byte, or exactly one
//     of the commands of a plain script, where that means the same: not behind a
//     pipe, as another input is another command, and nothing that changes the shell
//     for the commands behind it (cd, export).
//   - With ... as its last word (go test ...) it is the command that begins with the
//     words before it, with arguments that are known to be harmless (package
//     harmless): none of them runs a program, writes elsewhere, reads what is outside
//     the workspace or holds secrets, or reaches another host. There is such a list
//     for some well-known commands only. \... is the word itself.
//   - With * it is wide: word by word, * stands for characters within a word, and
//     as the last word for any words, or none.

const (
	harmlessMark  = "..."
	literalDots   = `\...` // at the end of a pattern: the word ... itself
	patternFields = 2      // a pattern that ends in ... names at least a program
)

// blanks separate words; to a shell, all other white space is part of one.
const blanks = " \t\n"

func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(blanks, r) })
}

// harmless reports whether the pattern stands for harmless arguments.
func (r rule) harmless() bool {
	fields := fields(r.pattern)
	return r.tool == "run_command" && len(fields) > 0 && fields[len(fields)-1] == harmlessMark
}

// prefix is the words before the dots.
func (r rule) prefix() []string {
	fields := fields(r.pattern)
	return fields[:len(fields)-1]
}

// checkCommand refuses a pattern for harmless arguments of a command of which
// none are known.
func (r rule) checkCommand() error {
	if !r.harmless() {
		return nil
	}
	prefix := r.prefix()
	if wildcard(r.pattern) {
		return fmt.Errorf("%q mixes * and ...; write one of them", r.pattern)
	}
	if len(prefix)+1 < patternFields || harmless.Find(prefix) == nil {
		return noList(strings.Join(prefix, " "))
	}
	return nil
}

// noList is the error of a pattern for harmless arguments of a command of which none are known.
type noList string

// Error says what to write in its place.
func (command noList) Error() string {
	return fmt.Sprintf("no harmless arguments are known of %q; write the exact command, or * for any arguments", string(command))
}

// Idle says of the allow rules of a configuration that grant nothing why: a list that an earlier version had may be gone.
func Idle(allow []string) []string {
	var notes []string
	for _, text := range allow {
		if _, err := parseRule(text, []Tool{{"run_command", AccessCommand}}); errors.As(err, new(noList)) {
			notes = append(notes, fmt.Sprintf("permissions.allow: %s grants nothing: %v", text, err))
		}
	}
	return notes
}

// literal is the command that a pattern without a wildcard stands for.
func (r rule) literal() string {
	text := unescapeStar(r.pattern)
	if before, ok := strings.CutSuffix(text, literalDots); ok {
		return before + harmlessMark
	}
	return text
}

// exactCommand is the pattern that stands for one command only.
func exactCommand(text string) string {
	text = escapeStar(text)
	if text == harmlessMark || strings.HasSuffix(text, " "+harmlessMark) {
		text = strings.TrimSuffix(text, harmlessMark) + literalDots
	}
	return text
}

// exactly reports whether the pattern, having no wildcard, is this very text.
func (r rule) exactly(text string) bool {
	return !wildcard(r.pattern) && !r.harmless() && r.literal() == text
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
	elsewhere := false // in a folder that no rule lets it go to: what is harmless there may run
	for _, call := range s.calls {
		if call.enters && !slices.ContainsFunc(rules, func(r activeRule) bool { return r.coversWidely(call) }) {
			elsewhere = true
			continue
		}
		i := slices.IndexFunc(rules, func(r activeRule) bool {
			return r.coversWidely(call) && !elsewhere || r.tool == "run_command" && r.coversCall(call)
		})
		if i < 0 {
			return nil, false
		}
		by = append(by, rules[i])
	}
	return by, len(by) > 0
}

// coversCall reports whether the pattern covers one command of a plain script.
func (r rule) coversCall(call simple) bool {
	switch {
	case r.harmless():
		prefix := r.prefix()
		return call.harmless && harmless.Find(prefix) != nil && len(call.words) >= len(prefix) &&
			slices.EqualFunc(prefix, call.words[:len(prefix)], func(p string, w word) bool { return w.sure && w.text == p })
	case wildcard(r.pattern), call.inside, call.piped && !call.harmless, slices.Contains(stateful, call.words[0].text):
		return false
	}
	same := readScript(r.literal())
	return same.plain && len(same.calls) == 1 && slices.Equal(same.calls[0].words, call.words)
}

// coversWidely reports whether a pattern with a * covers one command.
func (r rule) coversWidely(call simple) bool {
	return r.tool == "run_command" && wildcard(r.pattern) && matchWords(fields(r.pattern), asWritten(call.words)) == yes
}

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
