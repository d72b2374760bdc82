package permission

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"plimsoll/conversation"
)

// A rule is a tool's name, or a name with a pattern: run_command(go test *),
// modify_file(docs/**), http_request(GET https://example.com/*).
//
//   - For commands, see rule_command.go.
//   - For files it is a glob on the path in the workspace; without a slash, on the
//     name in any folder (./NAME is the file at the top). It covers a guarded file
//     (sensitive.go) only if it names, without a wildcard, the part of the path that
//     makes it guarded: docs/** does not cover docs/.env, docs/.env does.
//     edit(PATTERN) covers all tools that change files.
//   - For requests it is an optional method, scheme and host (* within a label),
//     and a path in which * matches anything. GET covers HEAD and OPTIONS.
//   - For the network, see host.go.
//   - mcp__SERVER covers all tools of a server, mcp__SERVER__TOOL one; neither takes a pattern.
//
// A backslash before * makes it literal.

const (
	editRule   = "edit" // a name that stands for all tools that change files
	runCommand = "run_command"
)

// Tool is a tool that rules can name.
type Tool struct {
	Name   string
	Access Access // of its calls; decides which patterns its rules may have
}

func toolNames(tools []Tool) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return names
}

type rule struct {
	tool       string
	calls      Access // of the tool
	pattern    string
	hasPattern bool
}

// parseRule parses a rule about one of tools.
func parseRule(text string, tools []Tool) (rule, error) {
	r := rule{tool: strings.Trim(text, blanks)}
	if name, rest, ok := strings.Cut(r.tool, "("); ok {
		pattern, closed := strings.CutSuffix(rest, ")")
		if !closed {
			return rule{}, fmt.Errorf("%q ends without a closing parenthesis; write it as TOOL(PATTERN)", text)
		}
		r = rule{tool: strings.Trim(name, blanks), pattern: strings.Trim(pattern, blanks), hasPattern: true}
		if r.pattern == "" {
			return rule{}, fmt.Errorf("%q has an empty pattern; write %s for all calls", text, r.tool)
		}
	}
	if strings.HasPrefix(r.tool, conversation.ServerPrefix) { // servers need not be started to be named
		r.calls = AccessServer
		return r, r.check()
	}
	tools = append(slices.Clip(tools), Tool{editRule, AccessEdit})
	for _, t := range tools {
		if t.Name == r.tool {
			r.calls = t.Access
			return r, r.check()
		}
	}
	return rule{}, NoTool(r.tool, tools)
}

// NoTool returns the error for an unknown tool name.
func NoTool(name string, tools []Tool) error {
	return fmt.Errorf("there is no tool %q; the tools are %s", name, strings.Join(toolNames(tools), ", "))
}

// check returns an error for a pattern that cannot match calls of the tool.
func (r rule) check() error {
	if !r.hasPattern {
		return nil
	}
	switch r.calls {
	case AccessCommand:
		return nil
	case AccessRequest:
		_, err := parseURLPattern(r.pattern)
		return err
	case AccessNetwork:
		_, err := ParseHost(r.pattern)
		return err
	case AccessRead, AccessEdit:
		if !doublestar.ValidatePattern(r.pattern) {
			return fmt.Errorf("%q is no valid pattern for paths", r.pattern)
		}
		return nil
	}
	return fmt.Errorf("%s takes no pattern; write it alone", r.tool)
}

// String returns the rule as it is written in the configuration.
func (r rule) String() string {
	if !r.hasPattern {
		return r.tool
	}
	return r.tool + "(" + r.pattern + ")"
}

// about reports whether the rule names the tool of a call. A pattern of run_command names every command.
func (r rule) about(t Effect) bool {
	return r.tool == t.Tool || r.tool != "" && r.tool == t.server || r.tool == editRule && t.access == AccessEdit ||
		r.tool == runCommand && r.hasPattern && t.access == AccessCommand || r.calls == AccessNetwork && t.access == AccessRequest
}

// allows reports whether the rule covers all of a call on files or of a request. A
// guarded file needs a rule with a pattern.
func (r rule) allows(t Effect) bool {
	if !r.about(t) || r.calls == AccessNetwork && t.access == AccessRequest && !t.Request.ReadOnly() {
		return false
	}
	if !r.hasPattern {
		return !t.guarded()
	}
	if r.calls == AccessNetwork {
		p, err := ParseHost(r.pattern)
		return err == nil && p.covers(t.host, t.host.usual())
	}
	switch t.access {
	case AccessRead, AccessEdit:
		return r.paths(t.paths) == len(t.paths) && r.names(t.sensitive())
	case AccessRequest:
		p, err := parseURLPattern(r.pattern)
		return err == nil && p.matches(t.Request)
	}
	return false // allowScript checks commands with all rules together
}

// denies reports whether the rule, as a deny rule, covers a call.
func (r rule) denies(t Effect) verdict {
	if !r.about(t) {
		return no
	}
	if !r.hasPattern {
		return yes
	}
	if r.calls == AccessNetwork {
		p, err := ParseHost(r.pattern)
		return when(err == nil && p.covers(t.host, true))
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

// names reports whether the pattern contains each of these parts of a path without
// a wildcard.
func (r rule) names(parts []string) bool {
	named := strings.Split(folded(r.pattern), "/")
	for _, part := range parts {
		if !slices.ContainsFunc(named, func(n string) bool { return n == escapeGlob(part) || n == part }) {
			return false
		}
	}
	return true
}
