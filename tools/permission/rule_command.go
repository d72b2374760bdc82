package permission

import (
	"path"
	"slices"
	"strings"
)

// A pattern for commands:
//
//   - Without a wildcard it matches exactly this command, byte for byte.
//   - With * it is matched word by word: * matches characters within a word, and as
//     the last word any number of words. A plain script is allowed if such rules
//     cover each of its commands.

// blanks separate words; a shell reads all other white space as part of a word.
const blanks = " \t\n"

func fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(blanks, r) })
}

// exactly reports whether the pattern has no wildcard and equals text.
func (r rule) exactly(text string) bool {
	return !wildcard(r.pattern) && unescape(r.pattern, `*\`) == text
}

// deniesScript checks every simple command of a script. It returns maybe for words that are
// perhaps a command, and if some of the script could not be parsed.
func (r rule) deniesScript(s *script) verdict {
	if r.exactly(s.text) {
		return yes
	}
	worst := no
	if s.opaque {
		worst = maybe
	}
	pattern := fields(r.pattern)
	for _, call := range s.nested {
		worst = max(worst, matchCommand(pattern, call))
	}
	for _, call := range s.inner {
		worst = max(worst, min(maybe, matchCommand(pattern, call)))
	}
	return worst
}

// matchCommand compares a pattern with a simple command, also with the base name of its
// program: rm matches /bin/rm.
func matchCommand(pattern []string, call []word) verdict {
	v := matchWords(pattern, call)
	if v == no && call[0].sure {
		byName := append([]word{{text: path.Base(call[0].text), sure: true}}, call[1:]...)
		v = matchWords(pattern, byName)
	}
	return v
}

// allowScript reports whether rules cover the whole script of a call: one rule is its exact text, or the
// script is plain and a rule covers each of its commands. Rules of run_command cover command tools too.
func allowScript(rules []rule, t Effect) bool {
	s := t.script
	rules = slices.DeleteFunc(slices.Clone(rules), func(r rule) bool { return r.tool != runCommand && r.tool != t.Tool })
	if slices.ContainsFunc(rules, func(r rule) bool { return !r.hasPattern || r.exactly(s.text) }) {
		return true
	}
	for _, call := range s.calls {
		if !slices.ContainsFunc(rules, func(r rule) bool { return wildcard(r.pattern) && matchWords(fields(r.pattern), call) == yes }) {
			return false
		}
	}
	return s.plain && len(s.calls) > 0
}

// matchWords compares a pattern with a simple command. A word that is not sure may
// become any number of words.
func matchWords(pattern []string, call []word) verdict {
	result, differs := yes, no
	for i, p := range pattern {
		if p == "*" && i == len(pattern)-1 {
			return result
		}
		if i >= len(call) {
			return differs
		}
		if !call[i].sure {
			differs = maybe
		}
		switch {
		case matchStar(p, call[i].text):
		case !call[i].sure:
			result = maybe
		default:
			return differs
		}
	}
	if len(call) > len(pattern) {
		if slices.ContainsFunc(call[len(pattern):], func(w word) bool { return w.sure }) {
			return differs
		}
		return maybe
	}
	return result
}
