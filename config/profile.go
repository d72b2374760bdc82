// Profiles are named sets of policies (JP's RFD 064). Rules:
//
//   - default, heavy and light are built in; a profile of the same name in the file replaces one completely.
//   - tool_calls is a word or a table; a table without request or response strips both, like the word strip.
//   - summary is the word summarize or a table; fields that are not set come from compaction.summary.

package config

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// Profile is one named set of policies. A nil or empty policy changes nothing.
type Profile struct {
	Reasoning string          `yaml:"reasoning" enum:",strip" doc:"strip leaves the model's reasoning out; empty = unchanged."`
	ToolCalls *ToolCalls      `yaml:"tool_calls" doc:"strip, strip-responses, strip-requests or omit; or a table with policy, request and response. Unset = unchanged."`
	Summary   *ProfileSummary `yaml:"summary" doc:"summarize, or a table: the range is replaced by a summary and the other two policies do not matter. Unset = no summary."`
}

// ToolCalls is the policy for tool calls. Request and Response only matter for the policy strip.
type ToolCalls struct {
	Policy   string `yaml:"policy" enum:"strip,omit" doc:"strip = keep the call, shorten arguments and results; omit = remove the pair."`
	Request  bool   `yaml:"request" doc:"Whether strip reduces the arguments."`
	Response bool   `yaml:"response" doc:"Whether strip reduces the results."`
}

// ProfileSummary is the summary policy of a profile. Empty fields inherit from [Compaction.Summary].
type ProfileSummary struct {
	Policy       string `yaml:"policy" enum:"summarize" doc:"summarize is the only policy."`
	Model        string `yaml:"model" doc:"Model that writes the summary; empty = compaction.summary.model."`
	Instructions string `yaml:"instructions" doc:"Instructions for it; empty = compaction.summary.instructions."`
	MaxTokens    int    `yaml:"max_tokens" doc:"Longest summary in tokens; 0 = compaction.summary.max_tokens."`
	Mode         string `yaml:"mode" enum:",bands,cumulative,raw-union" doc:"How summaries add up; empty = compaction.summary.mode."`
}

// BuiltinProfiles returns the built-in profiles, as JP's RFD 064 defines them.
func BuiltinProfiles() map[string]Profile {
	return map[string]Profile{
		"default": {Reasoning: "strip", ToolCalls: &ToolCalls{Policy: "strip", Request: true, Response: true}},
		"heavy":   {Summary: &ProfileSummary{Policy: "summarize"}},
		"light":   {Reasoning: "strip"},
	}
}

// Profile returns the profile of a name: the configured one, else the built-in one. It reports false if there is neither.
func (c Compaction) Profile(name string) (Profile, bool) {
	p, ok := c.allProfiles()[name]
	return p, ok
}

// ProfileNames lists the configured and built-in profiles, sorted.
func (c Compaction) ProfileNames() []string { return sortedKeys(c.allProfiles()) }

func (c Compaction) allProfiles() map[string]Profile {
	all := BuiltinProfiles()
	maps.Copy(all, c.Profiles)
	return all
}

// shorthand is a table that may also be written as one word.
type shorthand interface {
	// setDefaults sets the fields that the table may leave out.
	setDefaults()
	// fromWord sets all fields from the word; the error lists the known words.
	fromWord(word string) error
}

func (t *ToolCalls) setDefaults() { *t = ToolCalls{Policy: "strip", Request: true, Response: true} }

var toolCallWords = []string{"strip", "strip-responses", "strip-requests", "omit"}

func (t *ToolCalls) fromWord(word string) error {
	*t = ToolCalls{Policy: "strip", Request: word != "strip-responses", Response: word != "strip-requests"}
	if word == "omit" {
		*t = ToolCalls{Policy: "omit"}
	}
	return checkWord(word, toolCallWords)
}

func (s *ProfileSummary) setDefaults() { *s = ProfileSummary{Policy: "summarize"} }

func (s *ProfileSummary) fromWord(word string) error {
	s.setDefaults()
	return checkWord(word, []string{"summarize"})
}

// Compaction holds when and how the view of a conversation is reduced. The preset provides the values of all other
// keys here; a key set explicitly wins over the preset ([Loaded.Explicit] reports which keys were set).
type Compaction struct {
	preset.Values
	Profiles map[string]Profile `yaml:"profiles" name:"NAME" names:"word" doc:"Named sets of policies for manual compaction; default, heavy and light are built in and can be redefined."`
}

// Rules returns the compaction rules of this configuration: those of the preset with the user's settings applied.
func (c Config) Rules() preset.Rules {
	r := preset.Rules{Values: c.Compaction.Values, Profiles: map[string]preset.Profile{}, Tools: preset.RulesOf(c.Compaction.Preset).Tools}
	for name, p := range c.Compaction.allProfiles() {
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
