package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/themes"
)

// The documented themes name every color and can be read.
func TestTheDocumentedThemesAreComplete(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n**Make a theme.**")
	examples := strings.Split(section, "```yml\n")[1:]
	if len(examples) < 2 {
		t.Fatal("docs/configuration.md shows fewer than two themes")
	}
	for i, want := range []string{"#414c5e", themes.ForBackground(true).Band} {
		text, _, _ := strings.Cut(examples[i], "```")
		path := filepath.Join(t.TempDir(), "mine.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readTheme(path)
		if err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(want, got.Band); d != "" || got.Name != "mine" || !got.Dark {
			t.Errorf("%+v", got)
		}
	}
}

func TestEveryThemeIsWrittenAsAFile(t *testing.T) {
	t.Parallel()
	for _, name := range baseNames() {
		want, _ := themes.ByName(name)
		var b strings.Builder
		part := ""
		for _, r := range want.Roles() {
			of, key, _ := strings.Cut(r.Name, ".")
			if of != part {
				b.WriteString(of + ":\n")
				part = of
			}
			b.WriteString("  " + key + ": \"" + r.Color + "\"\n")
		}
		path := filepath.Join(t.TempDir(), "mine.yaml")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readTheme(path)
		want.Name = "mine"
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
}
