package compact_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// strip is the profile that strips what it is told.
func strip(request, response bool) compact.Profile {
	return compact.Profile{
		Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: request, Response: response,
	}
}

// sides is every way one side of a call can be decided: what the profile says,
// what the hint says, whether the tool is exempt, and what comes of it.
var sides = []struct {
	profile bool
	hint    compact.Keep
	exempt  bool
	want    bool
}{
	{false, compact.KeepInherit, false, false},
	{false, compact.KeepWhole, false, false},
	{false, compact.KeepStrip, false, false},
	{true, compact.KeepInherit, false, true},
	{true, compact.KeepWhole, false, false},
	{true, compact.KeepStrip, false, true},
	{false, compact.KeepInherit, true, false},
	{false, compact.KeepWhole, true, false},
	{false, compact.KeepStrip, true, false},
	{true, compact.KeepInherit, true, false},
	{true, compact.KeepWhole, true, false},
	{true, compact.KeepStrip, true, true},
}

func TestHintsKeepWhatTheProfileStrips(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, request := range sides {
		for _, response := range sides {
			if request.exempt != response.exempt {
				continue
			}
			tried++
			r := compact.Rules{Tools: map[string]compact.ToolRule{
				"tool": {Request: request.hint, Response: response.hint, Exempt: request.exempt},
			}}
			want := conversation.Policies{
				Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip,
				Request: request.profile, Response: response.profile,
			}
			if request.want != request.profile || response.want != response.profile {
				want.Tools = map[string]conversation.ToolPolicy{"tool": {Request: request.want, Response: response.want}}
			}
			got := r.Policies(strip(request.profile, response.profile), []string{"tool", "other", "tool", ""})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("request %+v, response %+v:\n%s", request, response, diff)
			}
		}
	}
	if tried != 72 {
		t.Errorf("%d combinations were tried, want 72", tried)
	}
}

func TestHintsMatterOnlyUnderStrip(t *testing.T) {
	t.Parallel()
	r := compact.PresetRules(preset.Plimsoll)
	r.Tools["always"] = compact.ToolRule{Request: compact.KeepStrip, Response: compact.KeepStrip}
	names := []string{"always", "read_file", "todo_read"}
	for what, c := range map[string]struct {
		profile compact.Profile
		want    conversation.Policies
	}{
		"omit": {
			compact.Profile{ToolCalls: conversation.ToolCallsOmit, Request: true, Response: true},
			conversation.Policies{ToolCalls: conversation.ToolCallsOmit},
		},
		"no opinion on tool calls": {
			compact.Profile{Reasoning: conversation.ReasoningStrip, Request: true, Response: true},
			conversation.Policies{Reasoning: conversation.ReasoningStrip},
		},
		"a summary": {
			compact.Profile{Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Response: true, Summarize: true},
			conversation.Policies{},
		},
		"nothing": {},
	} {
		if diff := cmp.Diff(c.want, r.Policies(c.profile, names)); diff != "" {
			t.Errorf("%s:\n%s", what, diff)
		}
	}
}

func TestDefaultProfileOfThePresets(t *testing.T) {
	t.Parallel()
	names := []string{"read_file", "create_file", "modify_file", "todo_write", "http_request"}
	want := conversation.Policies{
		Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true,
		Tools: map[string]conversation.ToolPolicy{"read_file": {Response: true}, "create_file": {Request: true}},
	}
	r := compact.PresetRules(preset.JP)
	if diff := cmp.Diff(want, r.Policies(r.Profiles["default"], names)); diff != "" {
		t.Errorf("jp, which exempts no tool, shows no preview and strips results of any size:\n%s", diff)
	}
	want.Preview, want.MinChars = 250, 800
	want.Tools["todo_write"] = conversation.ToolPolicy{}
	r = compact.PresetRules(preset.Plimsoll)
	if diff := cmp.Diff(want, r.Policies(r.Profiles["default"], names)); diff != "" {
		t.Errorf("plimsoll:\n%s", diff)
	}
}

func TestPoliciesNameOnlyToolsThatOccur(t *testing.T) {
	t.Parallel()
	r := compact.PresetRules(preset.Plimsoll)
	if got := r.Policies(r.Profiles["default"], nil); got.Tools != nil {
		t.Errorf("without tools there are decisions: %v", got.Tools)
	}
}
