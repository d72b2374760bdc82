package permission

import (
	"slices"
	"strings"

	"plimsoll/conversation"
)

// What is offered for a call is a rule for exactly this call: this command, this file,
// this address. The user may write a wider one in its place.

// offer is what could be granted for a call, the zero value for nothing.
func (p *Policy) offer(t Effect) conversation.Offer {
	p.mu.RLock()
	denied, _ := p.denied(t)
	p.mu.RUnlock()
	rules := exactRules(t)
	if _, ok := allowed(asActive(rules), t); denied != no || !ok { // what is offered always covers the call
		return conversation.Offer{}
	}
	return offerOf(rules)
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

// exactRules cover this call and no other. A reading request may come as any reading
// method.
func exactRules(t Effect) []rule {
	switch {
	case t.access == AccessCommand:
		return []rule{{t.Tool, escapeStar(t.script.text), true}}
	case len(t.paths) > 0:
		return fileRules(t)
	case t.access == AccessRequest:
		method, u := t.Request.Method, t.Request.URL
		if t.Request.ReadOnly() {
			method = "GET"
		}
		return []rule{{"http_request", method + " " + u.Scheme + "://" + escapeStar(u.Host) + escapeStar(requestPath(u)), true}}
	}
	return []rule{{tool: t.Tool}}
}

// fileRules cover a file, by its name and by where its links lead.
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
		rules = append(rules, rule{tool, pattern, true})
	}
	return rules
}
