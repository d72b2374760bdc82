package preset

import "plimsoll/conversation"

// From a profile to policies that an overlay can hold. Rules:
//
//   - Hints of tools are resolved here, when the overlay is made, and frozen in
//     it (D17): a view never changes because a configuration did.
//   - A hint can keep what the profile strips; it strips nothing that the profile
//     leaves alone (D17), so strip-requests never touches a result. Only the
//     policy strip has hints: omit removes whole pairs, and a profile without an
//     opinion on tool calls gets none from a hint.
//   - Results and arguments of an exempt tool stay, unless a hint says otherwise
//     of its side (JCL).

// Policies freezes a profile for a range in which the named tools occur; names
// may repeat. With a profile that summarises there are none: the summary
// replaces everything (S64).
func (r Rules) Policies(p Profile, tools []string) conversation.Policies {
	if p.Summarize {
		return conversation.Policies{}
	}
	out := conversation.Policies{Reasoning: p.Reasoning, ToolCalls: p.ToolCalls}
	if p.ToolCalls != conversation.ToolCallsStrip {
		return out
	}
	out.Request, out.Response = p.Request, p.Response
	out.Preview, out.MinChars = r.Mask.Preview, r.Mask.MinChars
	profile := conversation.ToolPolicy{Request: p.Request, Response: p.Response}
	for _, name := range tools {
		decided := r.Tools[name].decide(profile)
		if decided == profile {
			continue
		}
		if out.Tools == nil {
			out.Tools = map[string]conversation.ToolPolicy{}
		}
		out.Tools[name] = decided
	}
	return out
}

// decide says what of a tool's calls is stripped where the profile strips what
// it is given.
func (t ToolRule) decide(profile conversation.ToolPolicy) conversation.ToolPolicy {
	return conversation.ToolPolicy{
		Request:  profile.Request && t.strips(t.Request),
		Response: profile.Response && t.strips(t.Response),
	}
}

func (t ToolRule) strips(hint Hint) bool {
	return hint == HintStrip || hint == HintInherit && !t.Exempt
}

// SummaryProfile is the name of a profile that makes summaries: the default one,
// the built-in one, or else the first by name. It reports false without any.
func (r Rules) SummaryProfile() (name string, ok bool) {
	for _, name := range []string{r.DefaultProfile, ProfileHeavy} {
		if r.Profiles[name].Summarize {
			return name, true
		}
	}
	for n, p := range r.Profiles {
		if p.Summarize && (!ok || n < name) {
			name, ok = n, true
		}
	}
	return name, ok
}

// KeepsResults reports whether a tool's results are not masked by their age.
func (t ToolRule) KeepsResults() bool {
	return t.Exempt && t.Response != HintStrip || t.Response == HintKeep
}
