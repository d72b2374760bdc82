package permission

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"plimsoll/tools/words"
)

// A rule is a tool's name, or a name with a pattern: run_command(go test *),
// modify_file(docs/**), http_request(GET https://example.com/*).
//
//   - Of commands: rule_command.go.
//   - Of files it is a glob on the path in the workspace; without a slash, on the
//     name in any folder (./NAME is the one at the top). What is guarded (effect.go)
//     it covers only if it names, without a wildcard, what makes it so: docs/** does
//     not cover docs/.env, docs/.env does. edit(PATTERN) is short for create_file and
//     modify_file.
//   - Of requests it is an optional method, scheme and host (* within a label),
//     and a path in which * stands for anything. GET covers HEAD and OPTIONS.
//
// A backslash takes the meaning of * away.

// editRule is a name that stands for all tools that change files.
const editRule = "edit"

var editTools = []string{"create_file", "modify_file"}

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
	names = append(slices.Clip(names), editRule)
	if slices.Contains(names, r.tool) {
		return r, r.check()
	}
	return rule{}, NoTool(r.tool, names)
}

// NoTool is the error of a name that no tool has.
func NoTool(name string, names []string) error {
	if near := words.Nearest(name, names, 1); len(near) > 0 {
		return fmt.Errorf("there is no tool %q; did you mean %q?", name, near[0])
	}
	return fmt.Errorf("there is no tool %q; the tools are %s", name, strings.Join(names, ", "))
}

// check refuses patterns that could never match.
func (r rule) check() error {
	if !r.hasPattern {
		return nil
	}
	switch r.tool {
	case "run_command":
		return r.checkCommand()
	case "http_request":
		_, err := parseURLPattern(r.pattern)
		return err
	case "read_file", "list_files", "find_files", "grep_files", "create_file", "modify_file", editRule:
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

// about reports whether the rule speaks of a tool.
func (r rule) about(tool string) bool {
	return r.tool == tool || r.tool == editRule && slices.Contains(editTools, tool)
}

// allows reports whether the rule lets all of a call pass. What is guarded
// needs a rule with a pattern.
func (r rule) allows(t Effect) bool {
	if !r.about(t.Tool) {
		return false
	}
	if !r.hasPattern {
		return !t.guarded()
	}
	switch t.access {
	case AccessRead, AccessEdit:
		return r.paths(t.paths) == len(t.paths) && r.names(t.sensitive())
	case AccessRequest:
		p, err := parseURLPattern(r.pattern)
		return err == nil && p.matches(t.Request)
	}
	return false // commands are judged by all rules together
}

// denies reports whether the rule stops a call.
func (r rule) denies(t Effect) verdict {
	if !r.about(t.Tool) {
		return no
	}
	if !r.hasPattern {
		return yes
	}
	switch t.access {
	case AccessRead, AccessEdit:
		return when(r.paths(t.paths) > 0)
	case AccessCommand:
		return r.deniesScript(t.script)
	case AccessRequest:
		p, err := parseURLPattern(r.pattern)
		return when(err == nil && (p.matches(t.Request) || p.matches(t.Request.decoded())))
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

// names reports whether the pattern names each of these parts of a path without a
// wildcard.
func (r rule) names(parts []string) bool {
	named := strings.Split(folded(r.pattern), "/")
	for _, part := range parts {
		if !slices.ContainsFunc(named, func(n string) bool { return n == escapeGlob(part) || n == part }) {
			return false
		}
	}
	return true
}
