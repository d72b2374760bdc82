package config

import (
	"cmp"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// Compaction is how and when the model's view of a conversation is reduced. A preset fills the keys below it; a key set
// explicitly wins over the preset ([Loaded.Explicit] tells which keys were set).
type Compaction struct {
	preset.Values
	Profiles map[string]Profile `yaml:"profiles" name:"NAME" names:"word" doc:"Named sets of policies for manual compaction; default, heavy and light are built in and can be redefined."`
}

// Rules are the rules of compaction that the configuration asks for.
func (c Config) Rules() preset.Rules {
	r := preset.Rules{Values: c.Compaction.Values, Profiles: map[string]preset.Profile{}, Tools: preset.RulesOf(c.Compaction.Preset).Tools}
	for _, name := range c.Compaction.ProfileNames() {
		p, _ := c.Compaction.Profile(name) // the names are those of the profiles
		r.Profiles[name] = p.policies(r.Summary)
	}
	for name, t := range c.Tools {
		rule, had := r.Tools[name]
		if t.Exempt != nil && *t.Exempt {
			rule.Request, rule.Response = "", "" // what the user says outweighs what is known
		}
		rule.Request = cmp.Or(preset.Keep(t.Compaction.Request), rule.Request)
		rule.Response = cmp.Or(preset.Keep(t.Compaction.Response), rule.Response)
		if t.Exempt != nil {
			rule.Exempt = *t.Exempt
		}
		if t.Identifiers != nil {
			rule.Identifiers = slices.Clone(t.Identifiers)
		}
		if had || rule.Request != "" || rule.Response != "" || rule.Exempt || len(rule.Identifiers) > 0 {
			r.Tools[name] = rule
		}
	}
	return r
}

// policies are the profile; what its summary leaves open is as for all summaries.
func (p Profile) policies(all preset.SummaryRules) preset.Profile {
	out := preset.Profile{Reasoning: conversation.ReasoningPolicy(p.Reasoning)}
	if c := p.ToolCalls; c != nil {
		out.ToolCalls, out.Request, out.Response = conversation.ToolCallPolicy(c.Policy), c.Request, c.Response
	}
	if s := p.Summary; s != nil {
		all.Model = cmp.Or(s.Model, all.Model)
		all.Instructions = cmp.Or(s.Instructions, all.Instructions)
		all.MaxTokens = cmp.Or(s.MaxTokens, all.MaxTokens)
		all.Mode = cmp.Or(preset.SummaryMode(s.Mode), all.Mode)
		out.Summarize, out.Summary = true, all
	}
	return out
}
