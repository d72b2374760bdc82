package preset_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

func strip(request, response bool) preset.Profile {
	return preset.Profile{
		Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: request, Response: response,
	}
}

// sides is every way one side of a call can be decided: what the profile says,
// what the hint says, whether the tool is exempt, and what comes of it.
var sides = []struct {
	profile bool
	hint    preset.Hint
	exempt  bool
	want    bool
}{
	{false, preset.HintInherit, false, false},
	{false, preset.HintKeep, false, false},
	{false, preset.HintStrip, false, false},
	{true, preset.HintInherit, false, true},
	{true, preset.HintKeep, false, false},
	{true, preset.HintStrip, false, true},
	{false, preset.HintInherit, true, false},
	{false, preset.HintKeep, true, false},
	{false, preset.HintStrip, true, false},
	{true, preset.HintInherit, true, false},
	{true, preset.HintKeep, true, false},
	{true, preset.HintStrip, true, true},
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
			r := preset.Rules{Tools: map[string]preset.ToolRule{
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

func TestDefaultProfileOfThePresets(t *testing.T) {
	t.Parallel()
	names := []string{"read_file", "create_file", "modify_file", "todo_write", "http_request"}
	want := conversation.Policies{
		Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true,
		Tools: map[string]conversation.ToolPolicy{"read_file": {Response: true}, "create_file": {Request: true}},
	}
	r := preset.RulesOf(preset.JP)
	if diff := cmp.Diff(want, r.Policies(r.Profiles["default"], names)); diff != "" {
		t.Errorf("jp, which exempts no tool, shows no preview and strips results of any size:\n%s", diff)
	}
	want.Preview, want.MinChars = 250, 800
	want.Tools["todo_write"] = conversation.ToolPolicy{}
	r = preset.RulesOf(preset.Plimsoll)
	if diff := cmp.Diff(want, r.Policies(r.Profiles["default"], names)); diff != "" {
		t.Errorf("plimsoll:\n%s", diff)
	}
}
