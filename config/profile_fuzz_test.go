package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"plimsoll/config"
)

// FuzzProfile loads any text in place of a profile. The result must be a profile that JP's RFD 064 defines, or problems that name
// a line of the file, and never a panic.
func FuzzProfile(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{reasoning: strip}", "{tool_calls: strip}", "{tool_calls: strip-responses}", "{tool_calls: strip-requests}", "{tool_calls: omit}",
		"{tool_calls: {policy: strip, request: true, response: false}}", "{tool_calls: {request: false}}", "{tool_calls: {}}", "{tool_calls: [strip]}",
		"{summary: summarize}", "{summary: {policy: summarize, model: a/b, instructions: \"x\\ny\", max_tokens: 20000, mode: raw-union}}",
		"{summary: {max_tokens: -1}}", "{summary: {policy: none}}", "{summary: true, reasoning: 1, tool_calls: 2.5}", "{summary: }", "{reasoning: ''}",
		"\n      reasoning: strip\n      tool_calls:\n        policy: omit\n", "\n      summary:\n        instructions: |\n          keep\n          names\n",
		"&a {summary: &s summarize}\n    q: *a", "\n      <<: {reasoning: strip}\n", "{tool_calls: strip, tool_calls: omit}", "summarize", "[", "{\"a\": ", "*x", "!t {}",
		"{summary: {max_tokens: 1e99}}\n  default_profile: q", "{reasoning: \x00}", "{\xff: 1}", "{tool_calls: stripe}", "\n\t  reasoning: strip", "{? [a]: b}", "|\n x", "---",
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, profile string) {
		if len(profile) > 4096 {
			return // FuzzLoad tests large files
		}
		text := "compaction:\n  profiles:\n    p: " + profile + "\n"
		path := write(t, dir, "config.yaml", text)
		l, err := config.Load(config.LoadOptions{File: path})
		if err != nil {
			checkLines(t, err, path, text)
			return
		}
		for _, name := range l.Config.Compaction.ProfileNames() {
			p, ok := l.Config.Compaction.Profile(name)
			if !ok {
				t.Fatalf("%s is listed and not there", name)
			}
			checkProfile(t, p)
		}
	})
}

// checkLines checks that every problem names the file and an existing line.
func checkLines(t *testing.T, err error, path, text string) {
	t.Helper()
	var problems config.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("the error is %T", err)
	}
	lines := 1 + strings.Count(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	for _, p := range problems {
		if p.File != path || p.Message == "" {
			t.Fatalf("incomplete: %+v", p)
		}
		if strings.HasSuffix(p.Message, "more problems") {
			continue
		}
		if p.Line < 1 || p.Line > lines {
			t.Fatalf("line %d of %d in\n%q\n%v", p.Line, lines, text, p)
		}
	}
}

// checkProfile checks that a profile has only values that JP's RFD 064 defines.
func checkProfile(t *testing.T, p config.Profile) {
	t.Helper()
	if !slices.Contains([]string{"", "strip"}, p.Reasoning) {
		t.Fatalf("reasoning: %q", p.Reasoning)
	}
	if c := p.ToolCalls; c != nil && c.Policy != "strip" && c.Policy != "omit" {
		t.Fatalf("tool_calls: %+v", c)
	}
	if s := p.Summary; s != nil && (s.Policy != "summarize" || s.MaxTokens < 0 || !slices.Contains([]string{"", "bands", "cumulative", "raw-union"}, s.Mode)) {
		t.Fatalf("summary: %+v", s)
	}
}
