package permission

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/grants"
)

// The allow rules in force are those of the configuration, which hold everywhere,
// and those that the user granted in this workspace. A granted rule that this
// version cannot read grants nothing.

// standing is a rule in force.
type standing struct {
	rule
	grant string // ID of the grant it comes from, "" for the configuration's
}

// inForce lists the allow rules. The lock is held.
func (p *Policy) inForce() []standing {
	var out []standing
	for _, r := range p.allow {
		out = append(out, standing{rule: r})
	}
	granted, _ := p.grants.In(p.workspace) // a file that cannot be read grants nothing; Rules tells why
	for _, g := range granted {
		if r, err := parseRule(g.Rule, p.names); err == nil {
			out = append(out, standing{rule: r, grant: g.ID})
		}
	}
	return out
}

// standing lists the allow rules in force.
func (p *Policy) standing() []standing {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.inForce()
}

// allowed reports whether rules let all of a call pass, and which did.
func allowed(rules []standing, t Effect) (by []standing, ok bool) {
	if t.access == AccessCommand {
		return allowScript(rules, t.script)
	}
	paths := t.paths
	if len(paths) == 0 {
		paths = []string{""}
	}
	for _, path := range paths {
		one := t
		if path != "" {
			one.paths = []string{path}
		}
		i := slices.IndexFunc(rules, func(r standing) bool { return r.allows(one) })
		if i < 0 {
			return nil, false
		}
		by = append(by, rules[i])
	}
	return by, true
}

// useTimes is when rules were last used in this run.
type useTimes struct {
	mu sync.Mutex // guards at
	at map[rule]time.Time
}

func (u *useTimes) note(r rule) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = map[rule]time.Time{}
	}
	u.at[r] = time.Now()
}

func (u *useTimes) last(r rule) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.at[r]
}

// note remembers that rules let a call run.
func (p *Policy) note(by []standing) {
	for _, r := range by {
		if r.grant == "" {
			p.used.note(r.rule)
		} else {
			p.grants.Note(r.grant)
		}
	}
}

// Rules lists the rules in force: what the user granted, then what the
// configuration allows and denies. An error says that the kept grants cannot be
// read; the other rules are listed all the same.
func (p *Policy) Rules() ([]conversation.Rule, error) {
	granted, err := p.grants.In(p.workspace)
	var out []conversation.Rule
	for _, g := range granted {
		out = append(out, p.describeGrant(g))
	}
	for _, r := range p.allow {
		out = append(out, p.describeConfigured("allow", r))
	}
	for _, r := range p.deny {
		out = append(out, p.describeConfigured("deny", r))
	}
	return out, err
}

func (p *Policy) describeGrant(g grants.Grant) conversation.Rule {
	out := conversation.Rule{
		ID: g.ID, Text: g.Rule, Origin: conversation.RuleOfThisRun, Workspace: g.Workspace, Granted: g.Granted, Used: g.Used,
	}
	if g.Kept {
		out.Origin, out.Where = conversation.RuleGranted, p.grants.Path()
	}
	r, err := parseRule(g.Rule, p.names)
	if err != nil {
		out.Means, out.Warning = "nothing", "this version cannot read it: "+err.Error()
		return out
	}
	d := r.describe()
	out.Means, out.Warning, out.Wide = d.means, d.warning, d.wide
	return out
}

func (p *Policy) describeConfigured(list string, r rule) conversation.Rule {
	d := r.describe()
	out := conversation.Rule{
		Text: r.String(), Deny: list == "deny", Means: d.means, Warning: d.warning, Wide: d.wide,
		Origin: conversation.RuleConfigured, Used: p.used.last(r),
	}
	if out.Deny {
		out.Warning, out.Wide = "", false
	}
	if p.where != nil {
		out.Where = p.where(list, r.String())
	}
	return out
}

// Revoke ends a granted rule. One of the configuration is the user's to remove:
// the error says where it stands.
func (p *Policy) Revoke(ctx context.Context, r conversation.Rule) error {
	if r.ID == "" {
		at := "your configuration"
		if r.Where != "" {
			at = r.Where
		}
		return fmt.Errorf("%s stands in %s: remove the line there", r.Text, at)
	}
	return p.grants.Revoke(ctx, r.ID)
}
