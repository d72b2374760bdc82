package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/compact/preset"
	"plimsoll/config"

	"github.com/google/go-cmp/cmp"
)

// write writes a file into a folder of the test and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func env(pairs ...string) config.Env {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// load loads a configuration and fails the test on an error.
func load(t *testing.T, o config.LoadOptions) config.Loaded {
	t.Helper()
	l, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func parse(t *testing.T, text string) config.Config {
	t.Helper()
	return load(t, config.LoadOptions{File: write(t, t.TempDir(), "c.yaml", text)}).Config
}

func TestLaterLayersWinKeyByKey(t *testing.T) {
	t.Parallel()
	home, ws := t.TempDir(), t.TempDir()
	write(t, home, "plimsoll/config.yaml", `
model: a/user
compaction:
  keep_last: 5
  mask: {preview: 99}
  profiles: {mine: {}}
ui: {theme: dark}
tools: {a: {approval: ask, identifiers: [x, y]}, b: {enabled: false}}
providers: {x: {body: {a: 1, deep: {b: [1, {c: yes}], d: 0.5}}}}
`)
	write(t, ws, ".plimsoll.yaml", "model: b/workspace\ncompaction: {preset: truncate, mask: {stride: 7}}\ntools: {a: {identifiers: [z]}, c: {exempt: true}}\n")
	set := []string{"compaction.keep_last=9", "compaction.auto.enabled=true", "ui.theme=light", "ui.theme=nord", "providers.x.body.deep.d=0.25"}
	l := load(t, config.LoadOptions{
		Env: env("XDG_CONFIG_HOME", home), Workspace: ws, Trust: func(string) bool { return true }, Overrides: set,
	})
	want := config.Default()
	want.Model, want.UI.Theme = "b/workspace", "nord"
	want.Tools = map[string]config.Tool{
		"a": {Approval: "ask", Identifiers: []string{"z"}}, "b": {Enabled: new(false)}, "c": {Exempt: new(true)},
	}
	want.Providers = map[string]config.Provider{"x": {Body: config.Body{
		"a": uint64(1), "deep": map[string]any{"b": []any{uint64(1), map[string]any{"c": "yes"}}, "d": 0.25},
	}}}
	want.Compaction.Values = preset.RulesOf(preset.Truncate).Values // and the keys that a layer sets
	want.Compaction.Profiles = map[string]config.Profile{"mine": {}}
	want.Compaction.KeepLast, want.Compaction.Auto.Enabled = 9, true
	want.Compaction.Mask.Preview, want.Compaction.Mask.Stride = 99, 7
	if diff := cmp.Diff(want, l.Config); diff != "" {
		t.Error(diff)
	}
	wantSources := []config.Source{
		{Layer: config.LayerDefault, Found: true},
		{Layer: config.LayerUser, Path: filepath.Join(home, "plimsoll/config.yaml"), Found: true},
		{Layer: config.LayerSettings, Path: filepath.Join(home, "plimsoll/config.settings.yaml")},
		{Layer: config.LayerWorkspace, Path: filepath.Join(ws, ".plimsoll.yaml"), Found: true},
	}
	for _, s := range set {
		s = strings.Replace(s, "providers.x.body.deep.d=0.25", "providers.x.body.deep.d=(hidden)", 1)
		wantSources = append(wantSources, config.Source{Layer: config.LayerOverride, Path: s, Found: true})
	}
	if diff := cmp.Diff(wantSources, l.Sources); diff != "" {
		t.Error(diff)
	}
	for key, layer := range map[string]config.Layer{
		"model": config.LayerWorkspace, "compaction.mask.preview": config.LayerUser, "ui.theme": config.LayerOverride, "compaction.micro.enabled": "",
	} {
		if got := l.Origins[key].Layer; got != layer || l.Explicit(key) != (layer != "") {
			t.Errorf("%s comes from %q, want %q", key, got, layer)
		}
	}
	if line := l.Origins["compaction.mask.preview"].Line; line != 5 || !l.Explicit("compaction") || l.Explicit("compaction.micro") || l.Explicit("compaction.mas") {
		t.Errorf("preview was set on line %d, want 5; or a section is explicit that is not", line)
	}
}

func TestParsedDocuments(t *testing.T) {
	t.Parallel()
	profile := func(p config.Profile) func(*config.Config) {
		return func(c *config.Config) { c.Compaction.Profiles = map[string]config.Profile{"p": p} }
	}
	calls := func(policy string, request, response bool) func(*config.Config) {
		return profile(config.Profile{ToolCalls: &config.ToolCalls{Policy: policy, Request: request, Response: response}})
	}
	summary := func(s config.ProfileSummary) func(*config.Config) { return profile(config.Profile{Summary: &s}) }
	nothing := func(*config.Config) {}
	for text, want := range map[string]func(*config.Config){
		"": nothing, " \n\n": nothing, "# only a comment\n": nothing, "{}": nothing, "---\n": nothing,
		"providers:\nui:\npermissions:\n  allow:\n":                                          nothing, // empty sections are ignored
		"\ufeffmodel: \"\"\r\nui:\r\n  mouse: true\r\n":                                      nothing,
		"compaction: {profiles: {p: {reasoning: strip}}}":                                    profile(config.Profile{Reasoning: "strip"}),
		"compaction: {profiles: {p: {tool_calls: strip}}}":                                   calls("strip", true, true),
		"compaction: {profiles: {p: {tool_calls: strip-responses}}}":                         calls("strip", false, true),
		"compaction: {profiles: {p: {tool_calls: strip-requests}}}":                          calls("strip", true, false),
		"compaction: {profiles: {p: {tool_calls: omit}}}":                                    calls("omit", false, false),
		"compaction: {profiles: {p: {tool_calls: {request: false}}}}":                        calls("strip", false, true),
		"compaction: {profiles: {p: {summary: summarize}}}":                                  summary(config.ProfileSummary{Policy: "summarize"}),
		"compaction: {profiles: {p: {summary: {model: a/b, max_tokens: 5}, reasoning: ''}}}": summary(config.ProfileSummary{Policy: "summarize", Model: "a/b", MaxTokens: 5}),
		"compaction: {profiles: {p: {summary: {instructions: hush, mode: raw-union}}}}":      summary(config.ProfileSummary{Policy: "summarize", Instructions: "hush", Mode: "raw-union"}),
		"compaction: {evict: {target: auto, cold: 0.84, cold_protected: 0.1, index: 0.02}}": func(c *config.Config) {
			c.Compaction.Evict = preset.EvictRules{Cold: 0.84, ColdProtected: 0.1, Index: 0.02}
		},
		"compaction: {preset: oneclaw}": func(c *config.Config) {
			c.Compaction.Values, c.ToolResults.MaxChars, c.ToolResults.KeepFull = preset.RulesOf(preset.OneClaw).Values, 30_000, false
		},
		"compaction: {preset: oneclaw}\ntool_results: {max_chars: 8000, keep_full: true}": func(c *config.Config) {
			c.Compaction.Values, c.ToolResults.MaxChars = preset.RulesOf(preset.OneClaw).Values, 8000
		},
		"compaction: {preset: oneclaw}\ntool_results: {max_chars: auto, keep_full: true}": func(c *config.Config) { c.Compaction.Values = preset.RulesOf(preset.OneClaw).Values },
		`
providers:
  local:
    base_url: http://127.0.0.1:8080/v1
    api_key_env: MY_KEY
    headers: {X-Org: "7"}
    wire: responses
    models:
      qwen/qwen3.5:
        context_window: 1_000
        prices: {input: 0, output: 2.5}
        cache_ttl: 2d
compaction:
  summary: {timeout: 1m30s, instructions: "a\nb"}
  dedupe: {tool_identifier_fields: {read_file: [path]}}
tool_results: {ceiling: 512 KiB}
permissions: {private_addresses: [localhost, 10.0.0.0/8, "::1", build.internal]}
ui: {keys: {send: enter, newline: [ctrl+j, alt+enter], quit: []}}
`: func(c *config.Config) {
			c.Providers = map[string]config.Provider{"local": {
				BaseURL: "http://127.0.0.1:8080/v1", APIKeyEnv: "MY_KEY", Headers: config.Headers{"X-Org": "7"}, Wire: "responses",
				Models: map[string]config.Model{"qwen/qwen3.5": {
					ContextWindow: 1000, Prices: config.Prices{Input: new(0.0), Output: new(2.5)}, CacheTTL: 48 * time.Hour,
				}},
			}}
			c.Compaction.Summary.Timeout, c.Compaction.Summary.Instructions = 90*time.Second, "a\nb"
			c.Compaction.Dedupe.ToolIdentifierFields = map[string][]string{"read_file": {"path"}}
			c.ToolResults.Ceiling = 512 << 10
			c.Permissions.PrivateAddresses = []string{"localhost", "10.0.0.0/8", "::1", "build.internal"}
			c.UI.Keys = map[string]config.Keys{"send": {"enter"}, "newline": {"ctrl+j", "alt+enter"}, "quit": {}}
		},
	} {
		c := config.Default()
		want(&c)
		if diff := cmp.Diff(c, parse(t, text)); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func TestProfilesOfTheFileReplaceTheBuiltInOnes(t *testing.T) {
	t.Parallel()
	c := parse(t, "compaction: {profiles: {light: {tool_calls: omit}, mine: {}}}\n").Compaction
	if diff := cmp.Diff([]string{"default", "heavy", "light", "mine"}, c.ProfileNames()); diff != "" {
		t.Error(diff)
	}
	light, _ := c.Profile("light")
	heavy, _ := c.Profile("heavy")
	if _, found := c.Profile("none"); found || light.Reasoning != "" || light.ToolCalls == nil || heavy.Summary == nil {
		t.Errorf("light is %+v, want only what the file says; heavy is %+v, want the built-in one; a profile named none exists: %v", light, heavy, found)
	}
}

func TestMissingAndIrregularFiles(t *testing.T) {
	t.Parallel()
	dir, missing := t.TempDir(), filepath.Join(t.TempDir(), "none.yaml")
	folder, device := filepath.Join(dir, "folder"), filepath.Join(dir, "device")
	err := errors.Join(os.MkdirAll(filepath.Join(folder, config.WorkspaceFile), 0o700), os.Mkdir(device, 0o700),
		os.Symlink(os.DevNull, filepath.Join(device, config.WorkspaceFile)))
	if err != nil {
		t.Fatal(err)
	}
	flagged, named := write(t, dir, "flag.yaml", "model: flag\n"), write(t, dir, "env.yaml", "model: env\n")
	for _, c := range []struct {
		name        string
		o           config.LoadOptions
		model, says string
	}{
		{"no file", config.LoadOptions{Env: env("HOME", dir), Workspace: dir}, "", ""},
		{"no home", config.LoadOptions{Env: env(), Workspace: dir}, "", ""},
		{"environment", config.LoadOptions{Env: env("HOME", dir, "PLIMSOLL_CONFIG", named)}, "env", ""},
		{"flag over environment", config.LoadOptions{Env: env("HOME", dir, "PLIMSOLL_CONFIG", named), File: flagged}, "flag", ""},
		{"missing by flag", config.LoadOptions{Env: env("HOME", dir), File: missing}, "", "plimsoll config init"},
		{"missing by environment", config.LoadOptions{Env: env("HOME", dir, "PLIMSOLL_CONFIG", missing)}, "", "plimsoll config init"},
		{"a folder", config.LoadOptions{Env: env("HOME", dir), Workspace: folder}, "", "is a folder"},
		{"a device", config.LoadOptions{Env: env("HOME", dir), Workspace: device}, "", "plain file"},
	} {
		l, err := config.Load(c.o)
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) || l.Config.Model != c.model {
			t.Errorf("%s: model %q, %v", c.name, l.Config.Model, err)
		}
	}
}

func TestOverridesTakeYAMLValues(t *testing.T) {
	t.Parallel()
	l := load(t, config.LoadOptions{Overrides: []string{
		"compaction.auto={enabled: false, min_turns: 5}", "permissions.deny=[a, b]", "model=", `model=x/y:free`,
		"compaction.summary.timeout=5m", "tools.t.approval=allow", "models.m.body.e=null text", `providers.x.models."m-1.5".max_input=5`,
	}})
	want := config.Default()
	want.Compaction.Auto.Enabled, want.Compaction.Auto.MinTurns = false, 5
	want.Permissions.Deny, want.Model, want.Compaction.Summary.Timeout = []string{"a", "b"}, "x/y:free", 5*time.Minute
	want.Tools = map[string]config.Tool{"t": {Approval: "allow"}}
	want.Models = map[string]config.RequestOptions{"m": {Body: config.Body{"e": "null text"}}}
	want.Providers = map[string]config.Provider{"x": {Models: map[string]config.Model{"m-1.5": {MaxInput: 5}}}}
	if diff := cmp.Diff(want, l.Config); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "model", "=x", "a..b=1", "compaction.triger_ratio=0.5", "compaction.trigger_ratio=2", "model={", "model=\x00", "ui.theme.x=1"} {
		_, err := config.Load(config.LoadOptions{Overrides: []string{bad}})
		var p *config.Problem
		if !errors.As(err, &p) || p.File != "--cfg" || p.Line != 0 {
			t.Errorf("--cfg %q: %v", bad, err)
		}
	}
}

func TestProblemsOfAllLayersAreReportedTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user := write(t, dir, "user.yaml", "modle: x\nui: {mouse: yes}\n")
	write(t, dir, ".plimsoll.yaml", "log: {level: loud}\n")
	l, err := config.Load(config.LoadOptions{File: user, Workspace: dir, Overrides: []string{"nothing"}})
	var ps config.Problems
	if !errors.As(err, &ps) || len(l.Sources) != 5 {
		t.Fatalf("the error is %T, and the sources %v", err, l.Sources)
	}
	var got []string
	for _, p := range ps {
		got = append(got, filepath.Base(p.File)+" "+p.Key)
	}
	if diff := cmp.Diff([]string{"user.yaml ", "user.yaml ui.mouse", ".plimsoll.yaml log.level", "--cfg "}, got); diff != "" {
		t.Error(diff)
	}
}
