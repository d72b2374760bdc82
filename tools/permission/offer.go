package permission

import (
	"path"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/harmless"
)

// What is offered for a call are rules from narrow to wide. The first is exactly
// this call: this command, this file, this address.

// maxFolders bounds how many folders above a file are offered.
const maxFolders = 4

// offers are what could be granted for a call.
func (p *Policy) offers(t Effect) []conversation.Offer {
	p.mu.RLock()
	denied, _ := p.denied(t)
	p.mu.RUnlock()
	if denied != no {
		return nil
	}
	var out []conversation.Offer
	for _, rules := range candidates(t) {
		if _, ok := allowed(asActive(rules), t); ok { // what is offered always covers the call
			out = append(out, offerOf(rules))
		}
	}
	return out
}

func asActive(rules []rule) []activeRule {
	out := make([]activeRule, len(rules))
	for i, r := range rules {
		out[i].rule = r
	}
	return out
}

func offerOf(rules []rule) conversation.Offer {
	var o conversation.Offer
	var means, warnings []string
	add := func(list *[]string, text string) {
		if text != "" && !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	for _, r := range rules {
		d := r.describe()
		o.Rules = append(o.Rules, r.String())
		o.Wide = o.Wide || d.wide
		add(&means, d.means)
		add(&warnings, d.warning)
	}
	o.Means, o.Warning = strings.Join(means, "; "), strings.Join(warnings, "; ")
	return o
}

// candidates are sets of rules that cover a call, narrowest first.
func candidates(t Effect) [][]rule {
	with := func(pattern string) []rule { return []rule{{t.Tool, pattern, true}} }
	switch {
	case t.access == AccessCommand:
		sets := [][]rule{with(exactCommand(t.script.text))}
		if rules := harmlessRules(t.script); len(rules) > 0 {
			sets = append(sets, rules)
		}
		return sets
	case len(t.paths) > 0:
		return fileRules(t)
	case t.access == AccessRequest:
		return requestRules(t.Request)
	}
	return [][]rule{{{tool: t.Tool}}}
}

// harmlessRules cover each command of a script with its harmless arguments; none
// if one of them has no such arguments.
func harmlessRules(s *script) []rule {
	if !s.plain {
		return nil
	}
	var rules []rule
	for _, call := range s.calls {
		if call.enters {
			continue
		}
		entry := harmless.Find(texts(call.words))
		if !call.harmless || entry == nil {
			return nil
		}
		r := rule{"run_command", entry.Name + " " + harmlessMark, true}
		if !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	return rules
}

func texts(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.text
	}
	return out
}

// fileRules cover a file, then the folders above it. Of what is guarded or
// reached by a link only the file itself is offered.
func fileRules(t Effect) [][]rule {
	tool := t.Tool
	if t.access == AccessEdit {
		tool = editRule
	}
	var exact []rule
	for _, p := range t.paths {
		if pattern := escapeGlob(p); strings.Contains(p, "/") || p == "." {
			exact = append(exact, rule{tool, pattern, true})
		} else {
			exact = append(exact, rule{tool, "./" + pattern, true})
		}
	}
	sets := [][]rule{exact}
	if t.guarded() || len(t.paths) > 1 {
		return sets
	}
	dir := path.Dir(t.paths[0])
	for n := 0; dir != "." && n < maxFolders; n++ {
		sets = append(sets, []rule{{tool, escapeGlob(dir) + "/**", true}})
		dir = path.Dir(dir)
	}
	return append(sets, []rule{{tool, "**", true}})
}

// requestRules cover a request to its address, then to its host. What reads may
// come as any reading method.
func requestRules(r *Request) [][]rule {
	method := r.Method
	if r.ReadOnly() {
		method = "GET"
	}
	host := method + " " + r.URL.Scheme + "://" + escapeStar(r.URL.Host)
	return [][]rule{
		{{"http_request", host + escapeStar(requestPath(r.URL)), true}},
		{{"http_request", host + "/*", true}},
	}
}
