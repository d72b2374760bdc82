package composer_test

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tui/composer"
)

func TestMentionedFilesAreFoundOrReported(t *testing.T) {
	t.Parallel()
	files := []composer.File{{Path: "go.mod", Tokens: 50}, {Path: "config/load.go", Tokens: 900}, {Path: "notes/my list.md", Tokens: 7}, {Path: "config/", Tokens: 5}}
	for name, c := range map[string]struct {
		draft string
		adds  []composer.File
		lacks []string
	}{
		"a file":             {"see @go.mod.", files[:1], nil},
		"a folder":           {"see @config/ now", []composer.File{{Path: "config/", Tokens: 5}}, nil},
		"without its slash":  {"see @config now", []composer.File{{Path: "config", Tokens: 5}}, nil},
		"lines":              {"see @config/load.go:3-12, please", []composer.File{{Path: "config/load.go:3-12", Tokens: 100}}, nil},
		"a line":             {"see @config/load.go:3", []composer.File{{Path: "config/load.go:3", Tokens: 10}}, nil},
		"more than it has":   {"see @go.mod:1-999", []composer.File{{Path: "go.mod:1-999", Tokens: 50}}, nil},
		"quoted":             {`see @"notes/my list.md"`, []composer.File{{Path: "notes/my list.md", Tokens: 7}}, nil},
		"an image":           {"see @p.png", nil, []string{"p.png"}},
		"a missing file":     {"see @gone.go, and @config/gone too", nil, []string{"gone.go", "config/gone"}},
		"a missing folder":   {"see @gone/", nil, []string{"gone/"}},
		"lines of none":      {"see @gone.go:3-4", nil, []string{"gone.go:3-4"}},
		"lines backwards":    {"see @go.mod:9-3", nil, []string{"go.mod:9-3"}},
		"quoted and missing": {`see @"no such"`, nil, []string{"no such"}},
		"twice":              {"@p.png @p.png @go.mod @go.mod", files[:1], []string{"p.png"}},
		"an address":         {"mail to me@host.go and a@config/load.go", nil, nil},
		"a person":           {"ask @alice and @bob.", nil, nil},
		"a version":          {"npm i @types/node @angular/core@1.2", nil, nil},
		"decorators":         {"@Override\n@app.route(\"/x\")\n@functools.cache\n@media (x)", nil, nil},
		"between fences":     {"```\n@gone.go\n```\n@go.mod", files[:1], nil},
		"an @ alone":         {"@ and @. and @/ and @@", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t)
			m.SetFiles(files)
			m.Update(tea.PasteMsg{Content: c.draft})
			found, unknown := m.Mentions()
			if d := cmp.Diff(c.adds, found) + cmp.Diff(c.lacks, unknown); d != "" {
				t.Error(d)
			}
			if says := strings.Contains(strip(m.View()), "✗ @"); says != slices.ContainsFunc(c.lacks, func(p string) bool { return !conversation.IsImage(p) }) && !m.Completing() {
				t.Errorf("missing files are shown: %v\n%s", says, strip(m.View()))
			}
		})
	}
}

func TestAPastedPathOfAnImageIsMentioned(t *testing.T) {
	t.Parallel()
	for pasted, want := range map[string]string{
		"/tmp/shot.png":                 "look @/tmp/shot.png",
		"'/tmp/two words.PNG'\n":        `look @"/tmp/two words.PNG"`,
		`/tmp/two\ words.webp`:          `look @"/tmp/two words.webp"`,
		"file:///tmp/two%20words.jpeg ": `look @"/tmp/two words.jpeg"`,
		"shot.gif":                      "look @shot.gif",
		"see the shot.png":              "looksee the shot.png",
		"/tmp/a.txt":                    "look/tmp/a.txt",
		"/tmp/a.png\n/tmp/b.png":        "look/tmp/a.png\n/tmp/b.png",
	} {
		m := newModel(t)
		m.Update(tea.PasteMsg{Content: "look"})
		m.Update(tea.PasteMsg{Content: pasted})
		if got := strings.TrimSuffix(m.Draft(), " "); got != want {
			t.Errorf("%q became %q, want %q", pasted, got, want)
		}
	}
}

func TestAnImageIsDescribedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.Update(tea.PasteMsg{Content: "see @a.png and @b.png"})
	if d := cmp.Diff([]string{"a.png", "b.png"}, m.Images()); d != "" {
		t.Fatal(d)
	}
	m.SetFiles([]composer.File{{Path: "a.png", Images: conversation.ImageSize{Count: 1}, Note: "40x30, 2.1 MB\x1b[2J"}, {Path: "b.png", Note: "✗ it is damaged"}})
	if view := strip(m.View()); !strings.Contains(view, "@a.png 40x30, 2.1 MB") {
		t.Errorf("nothing is said of the image:\n%s", view)
	}
	m.SetText("see @b.png")
	if view := strip(m.View()); !strings.Contains(view, "✗ @b.png: it is damaged") {
		t.Errorf("nothing is said of the damage:\n%s", view)
	}
}
