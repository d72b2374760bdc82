package config

import (
	"cmp"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// Compaction holds when and how the view of a conversation is reduced. The preset provides the values of all other
// keys here; a key set explicitly wins over the preset ([Loaded.Explicit] reports which keys were set).
type Compaction struct {
	preset.Values
	Profiles map[string]Profile `yaml:"profiles" name:"NAME" names:"word" doc:"Named sets of policies for manual compaction; default, heavy and light are built in and can be redefined."`
}

// Rules returns the compaction rules of this configuration: those of the preset with the user's settings applied.
func (c Config) Rules() preset.Rules {
	r := preset.Rules{Values: c.Compaction.Values, Profiles: map[string]preset.Profile{}, Tools: preset.RulesOf(c.Compaction.Preset).Tools}
	for _, name := range c.Compaction.ProfileNames() {
		p, _ := c.Compaction.Profile(name) // every listed name exists
		r.Profiles[name] = p.policies(r.Summary)
	}
	for name, t := range c.Tools {
		rule, isKnown := r.Tools[name]
		if t.Exempt != nil && *t.Exempt {
			rule.Request, rule.Response = "", "" // the user's setting wins over the preset's hints
		}
		rule.Request = cmp.Or(preset.Hint(t.Compaction.Request), rule.Request)
		rule.Response = cmp.Or(preset.Hint(t.Compaction.Response), rule.Response)
		if t.Exempt != nil {
			rule.Exempt = *t.Exempt
		}
		if t.Identifiers != nil {
			rule.Identifiers = slices.Clone(t.Identifiers)
		}
		if isKnown || rule.Request != "" || rule.Response != "" || rule.Exempt || len(rule.Identifiers) > 0 {
			r.Tools[name] = rule
		}
	}
	return r
}

// policies converts the profile. Summary settings that it leaves empty are taken from defaults.
func (p Profile) policies(defaults preset.SummaryRules) preset.Profile {
	out := preset.Profile{Reasoning: conversation.ReasoningPolicy(p.Reasoning)}
	if c := p.ToolCalls; c != nil {
		out.ToolCalls, out.Request, out.Response = conversation.ToolCallPolicy(c.Policy), c.Request, c.Response
	}
	if s := p.Summary; s != nil {
		defaults.Model = cmp.Or(s.Model, defaults.Model)
		defaults.Instructions = cmp.Or(s.Instructions, defaults.Instructions)
		defaults.MaxTokens = cmp.Or(s.MaxTokens, defaults.MaxTokens)
		defaults.Mode = cmp.Or(preset.SummaryMode(s.Mode), defaults.Mode)
		out.Summarize, out.Summary = true, defaults
	}
	return out
}
