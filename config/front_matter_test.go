package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/config"
)

func TestFrontMatterIsReadWithTheTextBelow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       config.Fields
		body       string
	}{
		{"none", "# Title\n---\n", nil, "# Title\n---\n"},
		{"empty", "---\n---\nbody", config.Fields{}, "body"},
		{"values", "\ufeff---\r\nname: pdf\r\ndescription: |\r\n  two\r\n  lines\r\nmetadata: {author: me, n: {a: [1]}}\r\n--- \r\nbody\r\n---\r\n",
			config.Fields{"name": "pdf", "description": "two\nlines\n", "metadata": map[string]any{"author": "me", "n": map[string]any{"a": []any{uint64(1)}}}}, "body\n---\n"},
		{"a colon in a value", "---\ndescription: Use when: it's late\nname: x\n---\n", config.Fields{"description": "Use when: it's late", "name": "x"}, ""},
		{"two lists in a row", "---\nargument-hint: [pr] [priority]\n---\n", config.Fields{"argument-hint": "[pr] [priority]"}, ""},
		{"a value with a tag", "---\nname: !run x\n---\n", config.Fields{"name": "!run x"}, ""},
	} {
		fields, body, err := config.FrontMatter(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.want, fields); d != "" || body != c.body {
			t.Errorf("%s: %s, body %q", c.name, d, body)
		}
	}
}

func TestBrokenFrontMatterIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\nname: x\n":                                  "no closing line",
		"---\n- a\n---\n":                                 "line 2",
		"---\na: 1\nb:\n  c: [\n---\n":                    "line",
		"---\na: \x1b[31m\n---\n":                         "control character",
		"---\na: " + strings.Repeat("[", 5000):            "no closing line",
		"---\n" + strings.Repeat("a", 20<<10) + "\n---\n": "larger than",
	} {
		if _, _, err := config.FrontMatter(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestFieldsAreTextsAndLists(t *testing.T) {
	t.Parallel()
	f, _, err := config.FrontMatter("---\na: Bash(git log, x) Read\nb: Bash(git:*), Read\nc: [x, 2, [no]]\nd: 3\n---\n")
	if err != nil {
		t.Fatal(err)
	}
	got := [][]string{f.List("a"), f.List("b"), f.List("c"), f.List("none"), {f.Text("d"), f.Text("c")}}
	if d := cmp.Diff([][]string{{"Bash(git log, x)", "Read"}, {"Bash(git:*)", "Read"}, {"x", "2"}, nil, {"3", ""}}, got); d != "" {
		t.Error(d)
	}
}
