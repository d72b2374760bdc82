package config_test

import (
	"errors"
	"testing"
	"unicode"
	"unicode/utf8"

	"plimsoll/config"
)

// FuzzLoad: any bytes as a workspace file give a configuration or problems that are safe to print, never a panic; and
// without trust they never loosen what the user set.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", "model: a/b\n", "compaction: {trigger_ratio: 0.5, profiles: {p: {tool_calls: omit}}}\n", "ui:\n\tmouse: 1\n",
		"a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n", "permissions: {mode: yolo, allow: [a], deny: [b]}\n", "? a\n: b\n", "- [{}]\n",
		"tools: {t: {parameters: {a: [1, .inf, null]}, command: x, approval: allow}}\n", "providers: {x: {headers: {k: \"v\"}}}\n",
		"tool_results: {ceiling: 8MiB}\ncompaction: {summary: {timeout: 2d, instructions: |\n  a\n  b\n}}", "\xff\xfe", "model: \"\\x00\"\n", "--- !t\n...\n",
		"ui: {keys: {a: b, c: [d]}}\nlog: {level: loud}\nmodle: x\nmodel: y\nmodel: z\n", "%YAML 1.2\n---\n{}\n", "[", "{a: ", "? ? ", "'", "a: >-\n b",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		ws := t.TempDir()
		write(t, ws, config.WorkspaceFile, string(text))
		l, err := config.Load(config.LoadOptions{Env: env("HOME", dir), Workspace: ws})
		if err == nil {
			c := l.Config
			if c.Permissions.Mode != "ask" && c.Permissions.Mode != "plan" || len(c.Permissions.Allow)+len(c.Permissions.PrivateAddresses)+len(c.Providers)+len(c.UI.Keys) > 0 {
				t.Fatalf("loosened: %+v", c)
			}
			if s := c.Compaction.Summary; c.Model != "" || s.Model+s.Instructions != "" || c.Compaction.Preset != "plimsoll" || c.Compaction.Profiles != nil {
				t.Fatalf("decides who gets conversations: %+v", c)
			}
			for name, tool := range c.Tools {
				if tool.Approval == "allow" {
					t.Fatalf("tool %s loosened: %+v", name, tool)
				}
			}
			return
		}
		var p *config.Problem
		if !errors.As(err, &p) {
			t.Fatalf("the error is %T", err)
		}
		for _, r := range err.Error() {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%U in %q", r, err.Error())
			}
		}
		if !utf8.ValidString(err.Error()) {
			t.Fatalf("invalid UTF-8 in %q", err.Error())
		}
	})
}
