package preset_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/preset"
)

// rows gives the hints of some tools as the table of D17 writes them.
func rows(rules map[string]preset.ToolRule, names ...string) map[string][2]preset.Keep {
	out := map[string][2]preset.Keep{}
	for _, name := range names {
		if rule, ok := rules[name]; ok {
			out[name] = [2]preset.Keep{rule.Request, rule.Response}
		}
	}
	return out
}

func TestD17HintTable(t *testing.T) {
	t.Parallel()
	const keep, strip = preset.KeepWhole, preset.KeepStrip
	want := map[string][2]preset.Keep{ // request, response
		"fs_read_file":   {keep, strip},
		"fs_grep_files":  {keep, strip},
		"cargo_check":    {keep, strip},
		"cargo_test":     {keep, strip},
		"fs_create_file": {strip, keep},
		"fs_modify_file": {strip, strip},
		"git_commit":     {strip, keep},
	}
	if diff := cmp.Diff(want, rows(preset.DefaultTools(), slices.Collect(maps.Keys(want))...)); diff != "" {
		t.Error(diff)
	}
}

func TestHintsOfOurTools(t *testing.T) {
	t.Parallel()
	const keep, strip = preset.KeepWhole, preset.KeepStrip
	want := map[string][2]preset.Keep{
		"read_file": {keep, strip}, "list_files": {keep, strip}, "find_files": {keep, strip}, "grep_files": {keep, strip},
		"run_command": {keep, strip}, "recall": {keep, strip}, "search_history": {keep, strip},
		"create_file": {strip, keep}, "modify_file": {strip, strip},
	}
	got := preset.DefaultTools()
	if diff := cmp.Diff(want, rows(got, slices.Collect(maps.Keys(want))...)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"http_request", "compact", "unknown", ""} {
		if rule, ok := got[name]; ok {
			t.Errorf("%q has a rule: %+v", name, rule)
		}
	}
}

func TestToolsOfStateAndInstructionsAreExempt(t *testing.T) {
	t.Parallel()
	var got []string
	for name, rule := range preset.DefaultTools() {
		if rule.Exempt {
			got = append(got, name)
		}
		if rule.Exempt && (rule.Request != preset.KeepInherit || rule.Response != preset.KeepInherit) {
			t.Errorf("%s is exempt and has hints: %+v", name, rule)
		}
	}
	slices.Sort(got)
	want := []string{"Ask", "LoadSkill", "Task", "TodoRead", "TodoWrite", "ask_user", "load_skill", "task", "todo_read", "todo_write"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestIdentifiersTellReadingCallsApart(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	for name, rule := range preset.DefaultTools() {
		if len(rule.Identifiers) > 0 {
			got[name] = rule.Identifiers
		}
	}
	want := map[string][]string{
		"read_file":  {"path", "offset", "limit"},
		"list_files": {"path", "depth", "include_ignored"},
		"find_files": {"pattern", "path", "limit", "include_ignored"},
		"grep_files": {"pattern", "path", "glob", "ignore_case", "context", "limit", "include_ignored"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
