package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
	"plimsoll/tools"
)

func appWith(t *testing.T, file string, set ...string) *app {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) { return dir, name == "HOME" }
	a := newApp(console.Env{Dir: dir, Lookup: lookup}, setup.Flags{Config: path, Set: set})
	if err := a.Settings.Configure(); err != nil {
		t.Fatal(err)
	}
	return a
}

// rulesIn returns the rules of a configuration file and overrides.
func rulesIn(t *testing.T, file string, set ...string) preset.Rules {
	t.Helper()
	a := appWith(t, file, set...)
	return a.Settings.Cfg().Rules()
}

func TestProfilesOfTheUserBecomeRules(t *testing.T) {
	t.Parallel()
	got := rulesIn(t, `
compaction:
  summary: {model: openai/all, instructions: be short, max_tokens: 9000, review: true, when: by-hand}
  profiles:
    light: {tool_calls: omit}
    lean: {tool_calls: strip-responses}
    fat: {tool_calls: {request: true, response: false}, reasoning: strip}
    sum: {summary: summarize}
    mine: {summary: {model: groq/mine, instructions: be long, max_tokens: 7, mode: raw-union}}
`)
	all := preset.SummaryRules{
		Model: "openai/all", Instructions: "be short", MaxTokens: 9000, Mode: preset.ModeSeparate, Input: preset.InputAuto,
		Retries: 1, Timeout: time.Minute, Review: true, When: preset.SummaryByHand,
	}
	mine := all
	mine.Model, mine.Instructions, mine.MaxTokens, mine.Mode = "groq/mine", "be long", 7, preset.ModeRawUnion
	want := map[string]preset.Profile{
		"default": {Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true},
		"heavy":   {Summarize: true, Summary: all},
		"light":   {ToolCalls: conversation.ToolCallsOmit},
		"lean":    {ToolCalls: conversation.ToolCallsStrip, Response: true},
		"fat":     {Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true},
		"sum":     {Summarize: true, Summary: all},
		"mine":    {Summarize: true, Summary: mine},
	}
	if diff := cmp.Diff(want, got.Profiles); diff != "" {
		t.Error(diff)
	}
}

func TestToolSettingsChangeTheRulesOfTools(t *testing.T) {
	t.Parallel()
	got := rulesIn(t, `
tools:
  read_file: {compaction: {response: keep}}
  create_file: {identifiers: [path], approval: ask}
  grep_files: {identifiers: []}
  todo_read: {exempt: false}
  list_files: {exempt: true}
  find_files: {exempt: true, compaction: {response: strip}}
  run_command: {enabled: false}
  mine: {compaction: {request: strip}, identifiers: [a, b], exempt: true}
  plain: {enabled: true, exempt: false, identifiers: []}
`).Tools
	want := preset.DefaultTools()
	change := func(name string, by func(*preset.ToolRule)) {
		rule := want[name]
		by(&rule)
		want[name] = rule
	}
	change("read_file", func(r *preset.ToolRule) { r.Response = preset.HintKeep })
	change("create_file", func(r *preset.ToolRule) { r.Identifiers = []string{"path"} })
	change("grep_files", func(r *preset.ToolRule) { r.Identifiers = []string{} })
	// Settings of a tool do not mask the results of an exempt tool.
	change("list_files", func(r *preset.ToolRule) { r.Request, r.Response, r.Exempt = "", "", true })
	change("find_files", func(r *preset.ToolRule) { r.Request, r.Response, r.Exempt = "", preset.HintStrip, true })
	change("todo_read", func(r *preset.ToolRule) { r.Exempt = false })
	want["mine"] = preset.ToolRule{Request: preset.HintStrip, Identifiers: []string{"a", "b"}, Exempt: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// RFD 064 has no exempt tools, but the user's setting for one is used.
	jp := rulesIn(t, "tools: {todo_read: {exempt: true}}", "compaction.preset=jp").Tools
	if !jp["todo_read"].Exempt || jp["todo_write"].Exempt {
		t.Errorf("exempt under jp: %+v, %+v", jp["todo_read"], jp["todo_write"])
	}
}

func TestIdentifiersAreParametersOfTheTools(t *testing.T) {
	t.Parallel()
	box, err := tools.New(tools.Options{Workspace: t.TempDir(), Environ: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	checked := 0
	for _, spec := range box.Specs() {
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal([]byte(spec.Parameters), &schema); err != nil {
			t.Fatal(err)
		}
		for _, name := range preset.DefaultTools()[spec.Name].Identifiers {
			checked++
			if _, ok := schema.Properties[name]; !ok {
				t.Errorf("%s has no parameter %s", spec.Name, name)
			}
		}
	}
	if checked == 0 {
		t.Error("no tool has identifiers")
	}
}
