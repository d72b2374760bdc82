package permission

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// The rule offered for a call covers exactly this call: this command, this file, this
// address. The user may widen it or write another instead, and is told which other commands of the conversation a wider
// rule would have let through. Every rule is checked against the call
// that needs approval. If it does not cover the call, it is refused, so that the user does
// not grant something else by mistake.

// errNoOffer is returned when a grant would have no effect.
var errNoOffer = errors.New("nothing can be granted for this call: a deny rule cannot see through it, so it is always asked about")

// Ask stores a call that needs approval, for CheckRules, and returns the rules that can be granted for it, then wider ones, each
// wider than the one before; none if a grant would have no effect. past are the other commands of the conversation, for a
// command.
func (p *Policy) Ask(callID string, t Effect, past []string) (offers []conversation.Offer) {
	a := asked{effect: t, held: p.inForce()}
	for _, command := range past {
		a.past = append(a.past, readScript(command))
	}
	p.mu.Lock()
	if len(p.asked) >= maxAsked {
		clear(p.asked)
	}
	p.asked[callID] = a
	p.mu.Unlock()
	if denied, _ := p.denied(t); denied != no {
		return nil
	}
	for i, rules := range append([][]rule{exactRules(t)}, widerRules(t)...) {
		switch {
		case allowed(rules, t):
			offers = append(offers, a.offerOf(rules))
		case i == 0:
			return nil
		}
	}
	return offers
}

// CheckRules checks rules for a call that was passed to Ask and describes what they would allow, without granting them.
// It may be called while the user types: it reads no file and uses the other rules that were in force when Ask was called.
// The error says what is wrong with the rules, or that they do not cover the call.
func (p *Policy) CheckRules(callID string, rules []string) (conversation.Offer, error) {
	p.mu.RLock()
	a, waits := p.asked[callID]
	p.mu.RUnlock()
	if !waits {
		return conversation.Offer{}, errors.New("this call does not wait for an answer any more")
	}
	return p.offerFor(a, rules)
}

// Grant puts rules that cover a call into force; without rules, the offered ones. With kept
// they also hold in later runs.
func (p *Policy) Grant(ctx context.Context, t Effect, rules []string, kept bool) error {
	if len(rules) == 0 {
		rules = asked{}.offerOf(exactRules(t)).Rules
	}
	offer, err := p.offerFor(asked{effect: t, held: p.inForce()}, rules)
	if err != nil {
		return err
	}
	if err := p.grants.Add(ctx, offer.Rules, p.workspace, kept); err != nil {
		return fmt.Errorf("allowed while the program runs only: %w", err)
	}
	return nil
}

// offerFor parses rules and describes them; they must cover a call together with those in force.
func (p *Policy) offerFor(a asked, texts []string) (conversation.Offer, error) {
	if denied, _ := p.denied(a.effect); denied != no {
		return conversation.Offer{}, errNoOffer
	}
	var rules []rule
	for _, text := range texts {
		r, err := parseRule(text, p.tools)
		if err != nil {
			return conversation.Offer{}, err
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return conversation.Offer{}, errors.New("no rule is given")
	}
	if !allowed(slices.Concat(a.held, rules), a.effect) {
		return conversation.Offer{}, fmt.Errorf("this does not cover the call that is asked about: %s", a.effect.Title)
	}
	return a.offerOf(rules), nil
}

// offerOf describes rules for a call.
func (a asked) offerOf(rules []rule) conversation.Offer {
	var o conversation.Offer
	var means []string
	for _, r := range rules {
		o.Rules = append(o.Rules, r.String())
		meaning, warning := r.describe()
		means = append(means, meaning)
		if warning != "" {
			o.Warning = warning
		}
	}
	o.Meaning = strings.Join(slices.Compact(means), "; ")
	if o.Warning != "" && len(a.past) > 0 {
		o.Warning = "wide: " + a.wouldHaveAllowed(rules)
	}
	return o
}

// wouldHaveAllowed says which of the other commands of the conversation rules cover, the newest first.
func (a asked) wouldHaveAllowed(rules []rule) string {
	var covered []string
	for _, s := range slices.Backward(a.past) {
		if allowScript(rules, Effect{Tool: a.effect.Tool, access: AccessCommand, script: s}) {
			covered = append(covered, conversation.OneLine(s.text, 60))
		}
	}
	text := fmt.Sprintf("it would have allowed %d of the %s of this conversation", len(covered), numbers.Count(len(a.past), "other command"))
	if len(covered) == 0 {
		return text
	}
	slices.Sort(covered)
	covered = slices.Compact(covered)
	return text + ", among them: " + strings.Join(covered[:min(len(covered), 3)], " · ")
}

// widerRules returns steps of rules that allow more than a call: commands with other last words, other files of a folder, other
// addresses of a host, other tools of a server. Not all of them need to cover the call.
func widerRules(t Effect) (steps [][]rule) {
	switch {
	case t.access == AccessCommand && t.script.plain:
		longest := 0
		for _, call := range t.script.calls {
			longest = max(longest, len(call))
		}
		for less := range longest {
			var rules []rule
			for _, call := range t.script.calls {
				var words []string
				for _, w := range call[:max(1, len(call)-less)] {
					words = append(words, escapeStar(w.text))
				}
				if r := (rule{t.Tool, t.access, strings.Join(append(words, "*"), " "), true}); !slices.Contains(rules, r) {
					rules = append(rules, r)
				}
			}
			steps = append(steps, rules)
		}
	case len(t.paths) == 1:
		for _, exact := range fileRules(t) {
			for dir := path.Dir(t.paths[0]); dir != "." && dir != "/"; dir = path.Dir(dir) {
				steps = append(steps, []rule{{exact.tool, t.access, escapeGlob(dir) + "/**", true}})
			}
			steps = append(steps, []rule{{exact.tool, t.access, "**", true}})
		}
	case t.access == AccessRequest:
		for _, exact := range exactRules(t) {
			method, rest, _ := strings.Cut(exact.pattern, "://")
			host, _, _ := strings.Cut(rest, "/")
			steps = append(steps, []rule{{exact.tool, t.access, method + "://" + host + "/*", true}})
		}
	case t.access == AccessServer:
		steps = append(steps, []rule{{tool: t.server, calls: t.access}})
	}
	return steps
}

// exactRules returns rules that cover only this call. For a GET, HEAD or OPTIONS request
// they cover all three methods.
func exactRules(t Effect) []rule {
	switch {
	case t.access == AccessCommand:
		return []rule{{t.Tool, t.access, escapeStar(t.script.text), true}}
	case len(t.paths) > 0:
		return fileRules(t)
	case t.access == AccessNetwork:
		return []rule{{Network, t.access, t.host.pattern(), true}}
	case t.access == AccessRequest:
		method, u := t.Request.Method, t.Request.URL
		if t.Request.ReadOnly() {
			method = "GET"
		}
		return []rule{{"http_request", t.access, method + " " + u.Scheme + "://" + escapeStar(u.Host) + escapeStar(requestPath(u)), true}}
	}
	return []rule{{tool: t.Tool, calls: t.access}}
}

// fileRules returns rules that cover a file, by its name and by the target of its links.
func fileRules(t Effect) []rule {
	tool := t.Tool
	if t.access == AccessEdit {
		tool = editRule
	}
	var rules []rule
	for _, p := range t.paths {
		pattern := escapeGlob(p)
		if !strings.Contains(p, "/") && p != "." {
			pattern = "./" + pattern
		}
		rules = append(rules, rule{tool, t.access, pattern, true})
	}
	return rules
}

// describe returns in words what a rule allows, and a warning if the rule covers more than
// one call.
func (r rule) describe() (means, warning string) {
	const wide = "wide: it lets more run than this call"
	command, request := r.calls == AccessCommand, r.calls == AccessRequest
	switch {
	case r.calls == AccessServer && strings.Count(r.tool, "__") == 1:
		return "every tool of the server " + strings.TrimPrefix(r.tool, conversation.ServerPrefix), wide
	case !r.hasPattern:
		return "every call of " + r.tool, wide
	case command && !wildcard(r.pattern):
		return "exactly this command", ""
	case command:
		return "commands of the form " + r.pattern, wide
	case r.calls == AccessNetwork && strings.HasPrefix(r.pattern, "*."):
		return "all hosts below " + r.pattern[2:], wide
	case r.calls == AccessNetwork:
		return "connections of commands to this host, and reading from it with http_request", ""
	case request && r.oneAddress():
		return "exactly this address and method, whatever is sent", ""
	case request:
		return "requests of the form " + r.pattern, wide
	case unescaped(r.pattern, "*?[{"):
		return "files of the form " + r.pattern + ", but none that holds secrets or configures programs", wide
	case !strings.Contains(r.pattern, "/") && r.pattern != ".":
		return "files named " + r.pattern + " in any folder", wide
	}
	return "exactly this file", ""
}

// oneAddress reports whether a rule for requests names a method and a whole address.
func (r rule) oneAddress() bool {
	u, err := parseURLPattern(r.pattern) // a pattern without a path has the path *
	return err == nil && u.method != "" && !wildcard(u.method+u.scheme+u.host+u.path)
}

// Rules lists the rules in force: what the user granted, then what the configuration
// allows and denies. An error says that the kept grants cannot be read; the other rules
// are returned with it.
func (p *Policy) Rules(context.Context) ([]conversation.Rule, error) {
	granted, err := p.grants.In(p.workspace)
	p.mu.RLock()
	out := slices.Clone(p.outside)
	p.mu.RUnlock()
	for _, g := range granted {
		rule := conversation.Rule{
			ID: g.ID, Text: g.Rule, Origin: conversation.RuleOfThisRun, Workspace: g.Workspace, Granted: g.Granted,
			Meaning: "nothing: this version cannot read it",
		}
		if g.Kept {
			rule.Origin, rule.Location = conversation.RuleGranted, p.grants.Path()
		}
		if r, err := parseRule(g.Rule, p.tools); err == nil {
			rule.Meaning, rule.Warning = r.describe()
		}
		out = append(out, rule)
	}
	configured := func(list string, rules []rule) {
		for _, r := range rules {
			rule := conversation.Rule{Text: r.String(), Deny: list == "deny", Origin: conversation.RuleConfigured}
			rule.Meaning, rule.Warning = r.describe()
			if rule.Deny {
				rule.Warning = ""
			}
			if p.where != nil {
				rule.Location = p.where(list, r.String())
			}
			out = append(out, rule)
		}
	}
	configured("allow", p.allow)
	configured("deny", p.deny)
	return out, err
}

// Revoke ends a granted rule. A rule of the configuration is an error, which says in which
// file and line the user can remove it.
func (p *Policy) Revoke(ctx context.Context, r conversation.Rule) error {
	if r.ID == "" {
		return fmt.Errorf("%s stands in your configuration %s: remove the line there", r.Text, r.Location)
	}
	p.mu.Lock()
	n := len(p.outside)
	p.outside = slices.DeleteFunc(p.outside, func(o conversation.Rule) bool { return o.ID == r.ID })
	found := len(p.outside) < n
	p.mu.Unlock()
	if found {
		return nil
	}
	return p.grants.Revoke(ctx, r.ID)
}
