package config_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"plimsoll/config"
)

// FuzzLoad loads any bytes as a workspace file. The result must be a configuration, or problems that are safe to print,
// and never a panic. Without trust the file must not loosen the user's settings.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", "model: a/b\n", "compaction: {trigger_ratio: 0.5, profiles: {p: {tool_calls: omit}}}\n", "ui:\n\tmouse: 1\n",
		"a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n", "permissions: {mode: yolo, allow: [a], deny: [b]}\n", "? a\n: b\n", "- [{}]\n",
		"tools: {t: {parameters: {a: [1, .inf, null]}, command: x, approval: allow}}\n", "providers: {x: {headers: {k: \"v\"}}}\n",
		"tool_results: {ceiling: 8MiB}\ncompaction: {summary: {timeout: 2d, instructions: |\n  a\n  b\n}}", "\xff\xfe", "model: \"\\x00\"\n", "--- !t\n...\n",
		"ui: {keys: {a: b, c: [d]}}\nlog: {level: loud}\nmodle: x\nmodel: y\nmodel: z\n", "%YAML 1.2\n---\n{}\n", "[", "{a: ", "? ? ", "'", "a: >-\n b",
		"modle: \u202efoo\u2066\n", "mod\u0085le: x\n", "\"\\e]52;c;x\\a\": 1\n", "ui: {theme: \"\\e[31m\"}\n", "model: \x1b[31m\n",
		"mo" + strings.Repeat("x", 5000) + ": 1\n", "ui: {titles: '" + strings.Repeat("y ", 5000) + "'}\n",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		ws := t.TempDir()
		write(t, ws, config.WorkspaceFile, string(text))
		l, err := config.Load(config.LoadOptions{Env: env("HOME", dir), Workspace: ws})
		for _, p := range l.Unknown {
			checkPrintable(t, p.Error())
		}
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
		var ps config.Problems
		if !errors.As(err, &ps) {
			t.Fatalf("the error is %T", err)
		}
		for _, p := range ps {
			checkPrintable(t, p.Error())
		}
	})
}

// checkPrintable checks that text is short and has only printable characters.
func checkPrintable(t *testing.T, text string) {
	t.Helper()
	odd := strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
	if odd || !utf8.ValidString(text) || len(text) > 5000 {
		t.Fatalf("%d bytes reach the terminal: %q", len(text), text)
	}
}
