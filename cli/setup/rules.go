package setup

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"plimsoll/compact/preset"
	"plimsoll/config"
	"plimsoll/conversation"
)

// From the configuration to the rules of compaction, and back. Rules:
//
//   - Every load of the configuration goes through loadConfig, so that presets
//     have filled their keys wherever one is read.
//   - What a preset, a built-in profile or a tool holds by itself stands in
//     package compact; the configuration only changes it.

// Read reads and checks the configuration for a workspace, presets filled
// in; set are the overrides in order.
func (s *Settings) Read(workspace string, set []string) (config.Loaded, error) {
	return s.read(workspace, nil, set, nil)
}

func (s *Settings) read(workspace string, recorded, set, changed []string) (config.Loaded, error) {
	return config.Load(config.LoadOptions{
		Env: s.Console.Lookup, File: s.Flags.Config, Workspace: workspace, Recorded: recorded, Set: set, Changed: changed, Preset: PresetValues,
		Trust: func(hash string) bool {
			return s.TrustOf(workspace) == Trust{Workspace: workspace, Hash: hash, Trusted: true}
		},
	})
}

// PresetValues are the keys of compaction that a preset fills.
func PresetValues(name string) (config.Compaction, bool) {
	p := preset.Name(name)
	if !slices.Contains(preset.All(), p) {
		return config.Compaction{}, false
	}
	r := preset.RulesOf(p)
	return config.Compaction{
		Enabled:        r.Enabled,
		Preset:         name,
		DefaultProfile: r.DefaultProfile,
		KeepLast:       r.KeepLast,
		TriggerRatio:   r.TriggerRatio,
		HardRatio:      r.HardRatio,
		ProtectedRatio: r.ProtectedRatio,
		TokenThreshold: r.TokenThreshold,
		Auto:           config.Auto(r.Auto),
		Evict: config.Evict{
			Target: config.Share(r.Evict.Target), Cold: config.Share(r.Evict.Cold),
			Index: config.Share(r.Evict.Index), Words: config.Share(r.Evict.Words),
		},
		Planner: config.Planner(r.Planner),
		Mask:    config.Mask(r.Mask),
		Micro:   config.Micro(r.Micro),
		Dedupe:  config.Dedupe(r.Dedupe),
		Summary: config.Summary{
			Model: r.Summary.Model, Instructions: r.Summary.Instructions, MaxTokens: r.Summary.MaxTokens,
			Mode: string(r.Summary.Mode), Input: string(r.Summary.Input), Retries: r.Summary.Retries,
			Timeout: time.Duration(r.Summary.TimeoutSecs) * time.Second, Review: r.Summary.Review,
			When: string(r.Summary.When),
		},
	}, true
}

// RulesOf are the rules of compaction that a configuration asks for. They share
// no maps and lists with it.
func RulesOf(c config.Config) preset.Rules {
	co := c.Compaction
	name := preset.Name(co.Preset)
	return preset.Rules{
		Preset:         name,
		Enabled:        co.Enabled,
		DefaultProfile: co.DefaultProfile,
		KeepLast:       co.KeepLast,
		TriggerRatio:   co.TriggerRatio,
		HardRatio:      co.HardRatio,
		ProtectedRatio: co.ProtectedRatio,
		TokenThreshold: co.TokenThreshold,
		Auto:           preset.AutoRules(co.Auto),
		Evict:          evictRules(co.Evict),
		Planner:        preset.PlannerRules(co.Planner),
		Mask:           preset.MaskRules(co.Mask),
		Micro:          preset.MicroRules(co.Micro),
		Dedupe:         dedupeParams(co.Dedupe),
		Summary:        summaryRules(co.Summary),
		Profiles:       profiles(co),
		Tools:          toolRules(preset.RulesOf(name).Tools, c.Tools),
	}
}

func evictRules(e config.Evict) preset.EvictRules {
	return preset.EvictRules{Target: float64(e.Target), Cold: float64(e.Cold), Index: float64(e.Index), Words: float64(e.Words)}
}

func dedupeParams(d config.Dedupe) preset.DedupeParams {
	out := preset.DedupeParams(d)
	out.ExcludedTools = slices.Clone(d.ExcludedTools)
	out.ToolIdentifierFields = maps.Clone(d.ToolIdentifierFields)
	for tool, fields := range out.ToolIdentifierFields {
		out.ToolIdentifierFields[tool] = slices.Clone(fields)
	}
	return out
}

func summaryRules(s config.Summary) preset.SummaryRules {
	return preset.SummaryRules{
		Model: s.Model, Instructions: s.Instructions, MaxTokens: s.MaxTokens, Mode: preset.SummaryMode(s.Mode),
		Input: preset.SummaryInput(s.Input), Retries: s.Retries, TimeoutSecs: WholeSeconds(s.Timeout), Review: s.Review,
		When: preset.SummaryWhen(s.When),
	}
}

// WholeSeconds rounds up, so that no limit becomes none.
func WholeSeconds(d time.Duration) int {
	n := int(d / time.Second)
	if d%time.Second > 0 {
		n++
	}
	return n
}

// profiles are all profiles by name, with the summaries complete.
func profiles(co config.Compaction) map[string]preset.Profile {
	out := map[string]preset.Profile{}
	for _, name := range co.ProfileNames() {
		p, _ := co.Profile(name) // the names are those of the profiles
		out[name] = profile(p, co.Summary)
	}
	return out
}

// profile is one profile; what its summary leaves open is as for all summaries.
func profile(p config.Profile, all config.Summary) preset.Profile {
	out := preset.Profile{Reasoning: conversation.ReasoningPolicy(p.Reasoning)}
	if c := p.ToolCalls; c != nil {
		out.ToolCalls, out.Request, out.Response = conversation.ToolCallPolicy(c.Policy), c.Request, c.Response
	}
	if s := p.Summary; s != nil {
		all.Model = cmp.Or(s.Model, all.Model)
		all.Instructions = cmp.Or(s.Instructions, all.Instructions)
		all.MaxTokens = cmp.Or(s.MaxTokens, all.MaxTokens)
		all.Mode = cmp.Or(s.Mode, all.Mode)
		out.Summarize, out.Summary = true, summaryRules(all)
	}
	return out
}

// toolRules lays the user's settings of tools over what is known about them,
// which it changes.
func toolRules(known map[string]preset.ToolRule, set map[string]config.Tool) map[string]preset.ToolRule {
	for name, t := range set {
		rule, had := known[name]
		if t.Exempt != nil && *t.Exempt {
			rule.Request, rule.Response = "", "" // what the user says outweighs what is known
		}
		rule.Request = cmp.Or(preset.Keep(t.Compaction.Request), rule.Request)
		rule.Response = cmp.Or(preset.Keep(t.Compaction.Response), rule.Response)
		if t.Exempt != nil {
			rule.Exempt = *t.Exempt
		}
		if t.Identifiers != nil {
			rule.Identifiers = append([]string(nil), t.Identifiers...) // nil for none
		}
		if had || rule.Request != "" || rule.Response != "" || rule.Exempt || len(rule.Identifiers) > 0 {
			known[name] = rule
		}
	}
	return known
}

// PresetNames lists the presets.
func PresetNames() []string {
	var names []string
	for _, p := range preset.All() {
		names = append(names, string(p))
	}
	return names
}
