package permission

import (
	"path"
	"slices"
	"strings"
)

// What a pattern for commands says:
//
//   - Without a wildcard it is exactly this command, byte for byte.
//   - With * it is wide: word by word, * stands for characters within a word, and
//     as the last word for any words, or none. A plain script passes if such rules
//     cover each of its commands.

// blanks separate words; to a shell, all other white space is part of one.
const blanks = " \t\n"

func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(blanks, r) })
}

// exactly reports whether the pattern, having no wildcard, is this very text.
func (r rule) exactly(text string) bool {
	return !wildcard(r.pattern) && unescapeStar(r.pattern) == text
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
	for _, call := range s.calls {
		i := slices.IndexFunc(rules, func(r activeRule) bool {
			return r.tool == "run_command" && wildcard(r.pattern) && matchWords(fields(r.pattern), call) == yes
		})
		if i < 0 {
			return nil, false
		}
		by = append(by, rules[i])
	}
	return by, len(by) > 0
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
