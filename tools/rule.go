package tools

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A rule is a tool's name, or a name with a pattern: run_command(go test *),
// modify_file(docs/**), http_request(GET https://example.com/*).
//
//   - Of commands the pattern is compared word by word; * stands for characters
//     within a word, and as the last word for any words, or none.
//   - Of files it is a glob on the path in the workspace; without a slash, on the
//     name in any folder (./NAME is the one at the top).
//   - Of requests it is an optional method, scheme and host (* within a label),
//     and a path in which * stands for anything. GET covers HEAD and OPTIONS.
//
// A backslash takes the meaning of * away.

type rule struct {
	tool       string
	pattern    string
	hasPattern bool
}

// parseRule reads a rule about one of the tools named.
func parseRule(text string, names []string) (rule, error) {
	r := rule{tool: strings.TrimSpace(text)}
	if name, rest, ok := strings.Cut(r.tool, "("); ok {
		pattern, closed := strings.CutSuffix(rest, ")")
		if !closed {
			return rule{}, fmt.Errorf("%q ends without a closing parenthesis; write it as TOOL(PATTERN)", text)
		}
		r = rule{tool: strings.TrimSpace(name), pattern: strings.TrimSpace(pattern), hasPattern: true}
		if r.pattern == "" {
			return rule{}, fmt.Errorf("%q has an empty pattern; write %s for all calls", text, r.tool)
		}
	}
	for _, n := range names {
		if n == r.tool {
			return r, r.check()
		}
	}
	if near := nearest(r.tool, names, 1); len(near) > 0 {
		return rule{}, fmt.Errorf("there is no tool %q; did you mean %q?", r.tool, near[0])
	}
	return rule{}, fmt.Errorf("there is no tool %q; the tools are %s", r.tool, strings.Join(names, ", "))
}

// check refuses patterns that could never match.
func (r rule) check() error {
	if !r.hasPattern {
		return nil
	}
	switch r.tool {
	case "run_command":
		return nil
	case "http_request":
		_, err := parseURLPattern(r.pattern)
		return err
	case "read_file", "list_files", "find_files", "grep_files", "create_file", "modify_file":
		if !doublestar.ValidatePattern(r.pattern) {
			return fmt.Errorf("%q is no valid pattern for paths", r.pattern)
		}
		return nil
	}
	return fmt.Errorf("%s takes no pattern; write it alone", r.tool)
}

// String is the rule as it stands in the configuration.
func (r rule) String() string {
	if !r.hasPattern {
		return r.tool
	}
	return r.tool + "(" + r.pattern + ")"
}

// allows reports whether the rule lets all of a call pass. What is guarded
// needs a rule with a pattern.
func (r rule) allows(t touch) bool {
	if r.tool != t.tool {
		return false
	}
	if !r.hasPattern {
		return !t.guarded()
	}
	switch t.access {
	case accessRead, accessEdit:
		return r.paths(t.paths) == len(t.paths)
	case accessRequest:
		p, err := parseURLPattern(r.pattern)
		return err == nil && p.matches(t.request)
	}
	return false // commands are judged by all rules together
}

// denies reports whether the rule stops a call.
func (r rule) denies(t touch) verdict {
	if r.tool != t.tool {
		return no
	}
	if !r.hasPattern {
		return yes
	}
	switch t.access {
	case accessRead, accessEdit:
		return when(r.paths(t.paths) > 0)
	case accessCommand:
		return r.deniesScript(t.script)
	case accessRequest:
		p, err := parseURLPattern(r.pattern)
		return when(err == nil && p.matches(t.request))
	}
	return no
}

// paths counts the paths that the pattern matches.
func (r rule) paths(paths []string) int {
	pattern := strings.TrimPrefix(r.pattern, "./")
	n := 0
	for _, p := range paths {
		if doublestar.MatchUnvalidated(pattern, p) ||
			!strings.Contains(r.pattern, "/") && doublestar.MatchUnvalidated(pattern, path.Base(p)) {
			n++
		}
	}
	return n
}

// verdict is the answer to a question that may have no certain one.
type verdict int

const (
	no verdict = iota
	maybe
	yes
)

func when(b bool) verdict {
	if b {
		return yes
	}
	return no
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
	pattern := strings.Fields(r.pattern)
	for _, call := range s.nested {
		v := matchWords(pattern, call)
		if v == no && call[0].sure {
			byName := append([]word{{path.Base(call[0].text), true}}, call[1:]...)
			v = matchWords(pattern, byName)
		}
		worst = max(worst, v)
	}
	return worst
}

// exactly reports whether the pattern, having no wildcard, is this very text.
func (r rule) exactly(text string) bool {
	return !wildcard(r.pattern) && unescapeStar(r.pattern) == text
}

// wildcard reports whether a pattern holds a * that is not escaped.
func wildcard(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '*':
			return true
		}
	}
	return false
}

// allowScript reports whether rules let a whole script pass: one of them is its
// exact text, or it is plain and each of its commands matches one.
func allowScript(rules []rule, s *script) bool {
	for _, r := range rules {
		if r.tool == "run_command" && (!r.hasPattern || r.exactly(s.text)) {
			return true
		}
	}
	if !s.plain || len(s.calls) == 0 {
		return false
	}
	for _, call := range s.calls {
		matched := false
		for _, r := range rules {
			if r.tool == "run_command" && matchWords(strings.Fields(r.pattern), asWritten(call)) == yes {
				matched = true
				break
			}
		}
		if !matched {
			return false
		}
	}
	return true
}

// asWritten takes globs for their text: in a plain script they can only become
// file names, which the patterns of allow rules cannot foresee either.
func asWritten(call []word) []word {
	out := make([]word, len(call))
	for i, w := range call {
		out[i] = word{w.text, true}
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

// matchStar matches text against a pattern in which * is any run of characters
// and a backslash takes the next character literally.
func matchStar(pattern, text string) bool {
	star, mark := -1, 0
	p, t := 0, 0
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			star, mark = p, t
			p++
			continue
		}
		if n := literalAt(pattern, p); n > 0 && pattern[p+n-1] == text[t] {
			p += n
			t++
			continue
		}
		if star < 0 {
			return false
		}
		mark++
		p, t = star+1, mark
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// literalAt is the length of the literal at p: 2 if escaped, 0 at the end.
func literalAt(pattern string, p int) int {
	switch {
	case p >= len(pattern):
		return 0
	case pattern[p] == '\\' && p+1 < len(pattern):
		return 2
	}
	return 1
}

var starEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`)

func escapeStar(text string) string { return starEscapes.Replace(text) }

func unescapeStar(pattern string) string { return unescape(pattern, `*\`) }
