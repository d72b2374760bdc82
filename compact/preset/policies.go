package preset

import "plimsoll/conversation"

// A profile becomes the policies that an overlay stores. Rules:
//
//   - Tool hints are resolved when the overlay is made and stored in it (JP's RFD D17), so a changed configuration
//     never changes a view.
//   - A hint can keep what the profile strips. It never strips what the profile keeps (JP's RFD D17), so strip-requests
//     never changes a result. Hints apply only to the policy strip: omit removes calls together with their
//     results, and a profile without a tool call policy ignores hints.
//   - Results and arguments of an exempt tool stay, unless a hint for that side says strip (J-CLI).

// Policies resolves a profile for a range in which the named tools occur; names may repeat. A profile that summarises
// has none, because the summary replaces everything (JP's RFD 064).
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

// decide returns which sides of a tool's calls are stripped, given the sides that the profile strips.
func (t ToolRule) decide(profile conversation.ToolPolicy) conversation.ToolPolicy {
	return conversation.ToolPolicy{
		Request:  profile.Request && t.strips(t.Request),
		Response: profile.Response && t.strips(t.Response),
	}
}

func (t ToolRule) strips(hint Hint) bool {
	return hint == HintStrip || hint == HintInherit && !t.Exempt
}

// SummaryProfile returns the name of a profile that summarises: the default profile, the built-in one, or else the
// first by name. ok is false if no profile summarises.
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

// KeepsResults reports whether a tool's results are exempt from masking by age.
func (t ToolRule) KeepsResults() bool {
	return t.Exempt && t.Response != HintStrip || t.Response == HintKeep
}
