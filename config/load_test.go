package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plimsoll/config"

	"github.com/google/go-cmp/cmp"
)

// write puts a file into a folder of the test and gives its path.
// A later layer changes single fields of a body, as it does with keys.
func TestBodiesOfLayersMerge(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "c.yaml", "providers: {x: {body: {a: 1, deep: {b: [1, {c: yes}], d: 0.5}}}}\n")
	l, err := config.Load(config.LoadOptions{File: path, Set: []string{"providers.x.body.deep.d=0.25", "models.m.body.e=null text"}})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Body{"a": uint64(1), "deep": map[string]any{"b": []any{uint64(1), map[string]any{"c": "yes"}}, "d": 0.25}}
	if diff := cmp.Diff(want, l.Config.Providers["x"].Body); diff != "" || l.Config.Models["m"].Body["e"] != "null text" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

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

func parse(t *testing.T, text string) config.Config {
	t.Helper()
	c, err := config.Parse("c.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%s\ndoes not load: %v", text, err)
	}
	return c
}

func TestLaterLayersWinKeyByKey(t *testing.T) {
	t.Parallel()
	home, ws := t.TempDir(), t.TempDir()
	write(t, home, "plimsoll/config.yaml", "model: a/user\ncompaction:\n  keep_last: 5\n  mask: {preview: 99}\nui: {theme: dark}\n")
	write(t, ws, ".plimsoll.yaml", "model: b/workspace\ncompaction: {mask: {stride: 7}}\n")
	l, err := config.Load(config.LoadOptions{
		Env: env("XDG_CONFIG_HOME", home), Workspace: ws, Trust: func(string) bool { return true },
		Set: []string{"compaction.keep_last=9", "ui.theme=light", "ui.theme=nord"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Model, want.UI.Theme, want.Compaction.KeepLast = "b/workspace", "nord", 9
	want.Compaction.Mask.Preview, want.Compaction.Mask.Stride = 99, 7
	if diff := cmp.Diff(want, l.Config); diff != "" {
		t.Error(diff)
	}
	wantSources := []config.Source{
		{Layer: config.LayerDefault, Found: true},
		{Layer: config.LayerUser, Path: filepath.Join(home, "plimsoll/config.yaml"), Found: true},
		{Layer: config.LayerWorkspace, Path: filepath.Join(ws, ".plimsoll.yaml"), Found: true},
		{Layer: config.LayerOverride, Path: "compaction.keep_last=9", Found: true},
		{Layer: config.LayerOverride, Path: "ui.theme=light", Found: true},
		{Layer: config.LayerOverride, Path: "ui.theme=nord", Found: true},
	}
	if diff := cmp.Diff(wantSources, l.Sources); diff != "" {
		t.Error(diff)
	}
	for key, layer := range map[string]config.Layer{
		"model": config.LayerWorkspace, "compaction.mask.preview": config.LayerUser, "ui.theme": config.LayerOverride,
	} {
		if got := l.Origins[key].Layer; got != layer {
			t.Errorf("%s comes from %q, want %q", key, got, layer)
		}
	}
	if line := l.Origins["compaction.mask.preview"].Line; line != 4 {
		t.Errorf("preview was set on line %d, want 4", line)
	}
}

func TestExplicitKeysAreKnown(t *testing.T) {
	t.Parallel()
	path := write(t, t.TempDir(), "c.yaml", "compaction:\n  trigger_ratio: 0.85\n  profiles:\n    p: {tool_calls: omit}\ntools:\n  t: {identifiers: [a]}\n")
	l, err := config.Load(config.LoadOptions{File: path, Set: []string{`providers.x.models."m-1.5".max_input=5`}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{
		"compaction.trigger_ratio": true, // also when the value is the default's
		"compaction":               true, "compaction.hard_ratio": false, "compaction.trigger": false,
		"compaction.profiles.p.tool_calls": true, "tools.t.identifiers": true,
		config.Path("providers", "x", "models", "m-1.5", "max_input"): true,
	} {
		if got := l.Explicit(key); got != want {
			t.Errorf("Explicit(%q) = %v, want %v", key, got, want)
		}
	}
}

func TestTablesMergeByEntryAndListsAreReplaced(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	user := write(t, ws, "user.yaml", "tools:\n  a: {approval: ask, identifiers: [x, y]}\n  b: {enabled: false}\n")
	write(t, ws, ".plimsoll.yaml", "tools:\n  a: {identifiers: [z]}\n  c: {exempt: true}\n")
	l, err := config.Load(config.LoadOptions{File: user, Workspace: ws, Trust: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]config.Tool{
		"a": {Approval: "ask", Identifiers: []string{"z"}}, "b": {Enabled: new(false)}, "c": {Exempt: new(true)},
	}
	if diff := cmp.Diff(want, l.Config.Tools); diff != "" {
		t.Error(diff)
	}
}

func TestEveryFormOfValue(t *testing.T) {
	t.Parallel()
	c := parse(t, `
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
`)
	want := config.Default()
	want.Providers = map[string]config.Provider{"local": {
		BaseURL: "http://127.0.0.1:8080/v1", APIKeyEnv: "MY_KEY", Headers: config.Headers{"X-Org": "7"}, Wire: "responses",
		Models: map[string]config.Model{"qwen/qwen3.5": {
			ContextWindow: 1000, Prices: config.Prices{Input: new(0.0), Output: new(2.5)}, CacheTTL: 48 * time.Hour,
		}},
	}}
	want.Compaction.Summary.Timeout, want.Compaction.Summary.Instructions = 90*time.Second, "a\nb"
	want.Compaction.Dedupe.ToolIdentifierFields = map[string][]string{"read_file": {"path"}}
	want.ToolResults.Ceiling = 512 << 10
	want.Permissions.PrivateAddresses = []string{"localhost", "10.0.0.0/8", "::1", "build.internal"}
	want.UI.Keys = map[string]config.Keys{"send": {"enter"}, "newline": {"ctrl+j", "alt+enter"}, "quit": {}}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
}

func TestProfilesTakeWordsAndTables(t *testing.T) {
	t.Parallel()
	strip := func(request, response bool) *config.ToolCalls {
		return &config.ToolCalls{Policy: "strip", Request: request, Response: response}
	}
	for text, want := range map[string]config.Profile{
		"{reasoning: strip}":            {Reasoning: "strip"},
		"{tool_calls: strip}":           {ToolCalls: strip(true, true)},
		"{tool_calls: strip-responses}": {ToolCalls: strip(false, true)},
		"{tool_calls: strip-requests}":  {ToolCalls: strip(true, false)},
		"{tool_calls: omit}":            {ToolCalls: &config.ToolCalls{Policy: "omit"}},
		"{tool_calls: {policy: strip, request: true, response: true}}":    {ToolCalls: strip(true, true)},
		"{tool_calls: {request: false}}":                                  {ToolCalls: strip(false, true)},
		"{summary: summarize}":                                            {Summary: &config.ProfileSummary{Policy: "summarize"}},
		"{summary: {policy: summarize, model: a/b, max_tokens: 5}}":       {Summary: &config.ProfileSummary{Policy: "summarize", Model: "a/b", MaxTokens: 5}},
		"{summary: {instructions: hush, mode: raw-union}, reasoning: ''}": {Summary: &config.ProfileSummary{Policy: "summarize", Instructions: "hush", Mode: "raw-union"}},
	} {
		c := parse(t, "compaction: {profiles: {p: "+text+"}}")
		got, _ := c.Compaction.Profile("p")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func TestProfilesOfTheFileReplaceTheBuiltInOnes(t *testing.T) {
	t.Parallel()
	c := parse(t, "compaction:\n  default_profile: mine\n  profiles: {light: {tool_calls: omit}, mine: {}}\n").Compaction
	if diff := cmp.Diff([]string{"default", "heavy", "light", "mine"}, c.ProfileNames()); diff != "" {
		t.Error(diff)
	}
	light, ok := c.Profile("light")
	if !ok || light.Reasoning != "" || light.ToolCalls == nil {
		t.Errorf("light is %+v, want only what the file says", light)
	}
	if heavy, ok := c.Profile("heavy"); !ok || heavy.Summary == nil {
		t.Errorf("heavy is %+v, want the built-in one", heavy)
	}
	if _, ok := c.Profile("none"); ok {
		t.Error("a profile that does not exist was found")
	}
}

func TestAnchorsAndMergesWork(t *testing.T) {
	t.Parallel()
	c := parse(t, "tools:\n  a: &safe {approval: ask, exempt: true}\n  b:\n    <<: *safe\n    approval: deny\n  c: *safe\n")
	ask := config.Tool{Approval: "ask", Exempt: new(true)}
	want := map[string]config.Tool{"a": ask, "b": {Approval: "deny", Exempt: new(true)}, "c": ask}
	if diff := cmp.Diff(want, c.Tools); diff != "" {
		t.Error(diff)
	}
}

func TestSectionsWithNothingInThemAreAbsent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n\n", "# only a comment\n", "providers:\nui:\npermissions:\n  allow:\n", "{}", "---\n", "\ufeffmodel: \"\"\r\nui:\r\n  mouse: true\r\n"} {
		if diff := cmp.Diff(config.Default(), parse(t, text)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}

func TestNamedFilesMustExistAndTheDefaultOneNeedNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.yaml")
	if l, err := config.Load(config.LoadOptions{Env: env("HOME", dir), Workspace: dir}); err != nil || l.Sources[1].Found {
		t.Errorf("without any file: %v, %v", l.Sources, err)
	}
	if l, err := config.Load(config.LoadOptions{Env: env(), Workspace: dir}); err != nil || l.Sources[1].Found {
		t.Errorf("without a home: %v, %v", l.Sources, err)
	}
	for name, o := range map[string]config.LoadOptions{
		"flag":        {Env: env("HOME", dir), File: missing},
		"environment": {Env: env("HOME", dir, "PLIMSOLL_CONFIG", missing)},
	} {
		_, err := config.Load(o)
		var p *config.Problem
		if !errors.As(err, &p) || p.File != missing || !strings.Contains(p.Hint, "plimsoll config init") {
			t.Errorf("%s: %v", name, err)
		}
	}
	flagged := write(t, dir, "flag.yaml", "model: flag\n")
	named := write(t, dir, "env.yaml", "model: env\n")
	l, err := config.Load(config.LoadOptions{Env: env("HOME", dir, "PLIMSOLL_CONFIG", named), File: flagged})
	if err != nil || l.Config.Model != "flag" {
		t.Errorf("the flag does not win over the environment: %q, %v", l.Config.Model, err)
	}
}

func TestFoldersAndPipesAreNotRead(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	if err := os.Mkdir(filepath.Join(ws, ".plimsoll.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(config.LoadOptions{Env: env("HOME", t.TempDir()), Workspace: ws}); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder as workspace file: %v", err)
	}
	if err := os.Remove(filepath.Join(ws, ".plimsoll.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(ws, ".plimsoll.yaml")); err != nil {
		t.Skip("no symbolic links here")
	}
	if _, err := config.Load(config.LoadOptions{Env: env("HOME", t.TempDir()), Workspace: ws}); err == nil || !strings.Contains(err.Error(), "plain file") {
		t.Errorf("a device as workspace file: %v", err)
	}
}

func TestOverridesTakeYAMLValues(t *testing.T) {
	t.Parallel()
	l, err := config.Load(config.LoadOptions{Env: env("HOME", t.TempDir()), Set: []string{
		"compaction.auto={enabled: false, min_turns: 5}", "permissions.deny=[a, b]", "model=", `model=x/y:free`,
		"compaction.summary.timeout=5m", "tools.t.approval=allow",
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Compaction.Auto.Enabled, want.Compaction.Auto.MinTurns = false, 5
	want.Permissions.Deny, want.Model, want.Compaction.Summary.Timeout = []string{"a", "b"}, "x/y:free", 5*time.Minute
	want.Tools = map[string]config.Tool{"t": {Approval: "allow"}}
	if diff := cmp.Diff(want, l.Config); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "model", "=x", "a..b=1", "compaction.triger_ratio=0.5", "compaction.trigger_ratio=2", "model={", "model=\x00", "ui.theme.x=1"} {
		_, err := config.Load(config.LoadOptions{Env: env("HOME", t.TempDir()), Set: []string{bad}})
		var p *config.Problem
		if !errors.As(err, &p) || p.File != "--cfg" || p.Line != 0 {
			t.Errorf("--cfg %q: %v", bad, err)
		}
	}
}

func TestProblemsOfAllLayersComeTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user := write(t, dir, "user.yaml", "modle: x\nui: {mouse: yes}\n")
	write(t, dir, ".plimsoll.yaml", "log: {level: loud}\n")
	l, err := config.Load(config.LoadOptions{File: user, Workspace: dir, Set: []string{"nothing"}})
	var ps config.Problems
	if !errors.As(err, &ps) {
		t.Fatalf("the error is %T", err)
	}
	var got []string
	for _, p := range ps {
		got = append(got, filepath.Base(p.File)+" "+p.Key)
	}
	if diff := cmp.Diff([]string{"user.yaml ", "user.yaml ui.mouse", ".plimsoll.yaml log.level", "--cfg "}, got); diff != "" {
		t.Error(diff)
	}
	if len(l.Sources) != 4 {
		t.Errorf("sources are lost on failure: %v", l.Sources)
	}
}
