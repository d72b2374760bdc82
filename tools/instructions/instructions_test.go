package instructions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/tools/instructions"
	"plimsoll/tools/workspace"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// start reads the instructions of a user and a workspace with these files.
func start(t *testing.T, user, project map[string]string) (found []instructions.File, userDir, dir string) {
	t.Helper()
	userDir, dir = t.TempDir(), t.TempDir()
	write(t, userDir, user)
	write(t, dir, project)
	return instructions.Start(instructions.Places{User: userDir, Workspace: dir, Own: []string{filepath.Join(dir, "own")},
		Show: func(path string) string { return strings.Replace(path, userDir, "~", 1) }}), userDir, dir
}

// summaries has one line for each file: its name, what imports it, its text or its problem.
func summaries(found []instructions.File) (lines []string) {
	for _, f := range found {
		lines = append(lines, strings.Join([]string{f.Name, f.From, f.Text, f.Note}, "|"))
	}
	return lines
}

func TestTheUsersFileComesBeforeTheWorkspaces(t *testing.T) {
	t.Parallel()
	found, _, _ := start(t,
		map[string]string{"AGENTS.md": "Be brief.\n@style/go.md\n", "style/go.md": "Tabs."},
		map[string]string{"AGENTS.md": " \n", "PLIMSOLL.md": "Run make.\n@docs/a.md", "docs/a.md": "Deep.\n@b.md", "docs/b.md": "never", "CLAUDE.md": "not this"})
	want := []string{"~/AGENTS.md|yours|Be brief.\n@style/go.md|", "~/style/go.md|by ~/AGENTS.md|Tabs.|", "PLIMSOLL.md|project|Run make.\n@docs/a.md|", "docs/a.md|by PLIMSOLL.md|Deep.\n@b.md|"}
	if diff := cmp.Diff(want, summaries(found)); diff != "" {
		t.Fatal(diff)
	}
	sections := []string{"The user's own instructions, from ~/AGENTS.md:\n\nBe brief.", "Imported by ~/AGENTS.md, from ~/style/go.md:\n\nTabs.", "The project's own instructions, from PLIMSOLL.md:\n\nRun make."}
	for i, want := range sections {
		if got := found[i].Title() + found[i].Text; !strings.HasPrefix(got, want) {
			t.Errorf("section %q", got)
		}
	}
}

func TestAWorkspaceImportsFromItsOwnTreeOnly(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	write(t, outside, map[string]string{"secret.md": "outside"})
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"AGENTS.md": "@../x.md\n@" + outside + "/secret.md\n@~/x.md\n@link.md\n@.env\n@own/x.md\n@gone.md\n@docs/ok.md\n@docs/two.md\n@docs/ok.md\n```\n@docs/code.md\n```\nmail@x.y\n@team\n@two words.md\n",
		".env":      "KEY=1", "own/x.md": "mine", "docs/ok.md": "fine", "docs/code.md": "no", "docs/two.md": "two",
	})
	if err := os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	found := instructions.Start(instructions.Places{Workspace: dir, Own: []string{filepath.Join(dir, "own")}})
	if len(found) != 10 {
		t.Fatalf("%d files: %q", len(found), summaries(found))
	}
	for _, f := range found[1:8] {
		if f.Text != "" || f.Note == "" {
			t.Errorf("%s was read: %+v", f.Name, f)
		}
	}
	if f := found[8]; f.Name != "docs/ok.md" || f.From != "by AGENTS.md" || f.Text != "fine" {
		t.Errorf("%+v", f)
	}
	if f := found[9]; f.Name != "docs/two.md" || f.From != "by AGENTS.md" {
		t.Errorf("%+v", f)
	}
}

func TestALinkOfTheWorkspaceReadsNoSecret(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"id": "outside"})
	write(t, dir, map[string]string{".env": "KEY=1"})
	for name, to := range map[string]string{"AGENTS.md": ".env", "PLIMSOLL.md": filepath.Join(outside, "id")} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if found := instructions.Start(instructions.Places{Workspace: dir}); len(found) != 0 {
		t.Errorf("%q", summaries(found))
	}
}

func TestInstructionsAreBoundedInAll(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", instructions.Most)
	found, _, _ := start(t, map[string]string{"AGENTS.md": "first"}, map[string]string{"AGENTS.md": "@late.md\n" + long, "late.md": "late"})
	total := 0
	for _, f := range found {
		total += len(f.Text)
	}
	if total > instructions.Most || len(found) != 3 || found[0].Note != "" || found[1].Note == "" || found[2].Text != "" {
		t.Errorf("%d bytes in %d files", total, len(found))
	}
	for _, f := range found[1:] {
		if !strings.Contains(f.Note, "32 KiB") {
			t.Errorf("%s: %q", f.Name, f.Note)
		}
	}
}

func TestFoldersOnTheWayToAFile(t *testing.T) {
	t.Parallel()
	for rel, want := range map[string][]string{
		"a.go": nil, "a/b/c.go": {"a", "a/b"}, "a/node_modules/x/y.js": {"a"}, ".git/config": nil,
	} {
		if diff := cmp.Diff(want, instructions.Above(rel)); diff != "" {
			t.Errorf("%s: %s", rel, diff)
		}
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"x.md": "top", "a/AGENTS.md": "Only a.\n@../x.md\n@y.md", "a/y.md": "y"})
	files, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = files.Close() }()
	found := instructions.OfFolder(files, "a")
	if len(found) != 3 || found[0].Name != "a/AGENTS.md" || found[0].Folder != "a" || found[1].Text != "" || found[2].Name != "a/y.md" {
		t.Errorf("%q", summaries(found))
	}
}
