package permission

import (
	"context"
	"fmt"

	"plimsoll/conversation"
	"plimsoll/tools/grants"
)

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
	r, err := parseRule(g.Rule, p.tools)
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
