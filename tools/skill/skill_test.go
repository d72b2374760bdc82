package skill_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/tools/skill"
)

const plainSkill = "---\nname: %s\ndescription: does %[1]s\n---\n# Steps\n"

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// library finds the skills of a folder of the user and of a workspace, both below dir.
func library(dir string, allowed func(string) (bool, bool)) *skill.Library {
	return skill.Find([]skill.Source{
		{Folder: filepath.Join(dir, "user"), Name: "user"},
		{Folder: filepath.Join(dir, "ws/.claude/skills"), Name: ".claude/skills", Workspace: filepath.Join(dir, "ws")},
		{Folder: filepath.Join(dir, "ws/.agents/skills"), Name: ".agents/skills", Workspace: filepath.Join(dir, "ws")},
	}, allowed)
}

func undecided(string) (yes, decided bool) { return false, false }

func offered(l *skill.Library) (names []string) {
	for _, s := range l.Offered() {
		names = append(names, s.Name+" "+s.Source)
	}
	return names
}

func TestFindsSkillsTheUsersFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "user/pdf/SKILL.md"), fmt.Sprintf(plainSkill, "pdf"))
	write(t, filepath.Join(dir, "user/tools/SKILL.md"), "---\ndescription: >\n  two\n  \"lines\"\nallowed-tools: Bash(git:*), Read\nlicense: MIT\n---\ntext\x00\n")
	write(t, filepath.Join(dir, "user/tools/scripts/x.py"), "print()")
	write(t, filepath.Join(dir, "user/notes.md"), "no skill")
	write(t, filepath.Join(dir, "ws/.claude/skills/pdf/SKILL.md"), fmt.Sprintf(plainSkill, "pdf"))
	write(t, filepath.Join(dir, "ws/.claude/skills/release/SKILL.md"), fmt.Sprintf(plainSkill, "release"))
	if err := os.MkdirAll(filepath.Join(dir, "ws/.agents"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../.claude/skills", filepath.Join(dir, "ws/.agents/skills")); err != nil {
		t.Fatal(err)
	}
	l := library(dir, undecided)
	if d := cmp.Diff([]string{"pdf user", "release .claude/skills", "tools user"}, offered(l)); d != "" {
		t.Error(d)
	}
	all := l.All()
	if len(all) != 4 || !strings.Contains(all[1].Problem, "in user counts") {
		t.Errorf("%+v", all)
	}
	s, err := l.Load("tools")
	if err != nil || s.Description != `two "lines"` || s.License != "MIT" || s.Text != "text\u2400" || len(s.Hash) != 64 ||
		cmp.Diff([]string{"Bash(git:*)", "Read"}, s.AllowedTools)+cmp.Diff([]string{"scripts/x.py"}, s.Files) != "" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestBadSkillsAreNotOffered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws/.claude/skills")
	for name, text := range map[string]string{
		"nothing": "---\nname: nothing\n---\n", "no-end": "---\nname: x\n", "named": "---\nname: \"a\\e]52;b\"\ndescription: x\n---\n",
		"large": fmt.Sprintf(plainSkill, "large") + strings.Repeat("x", skill.MaxSize), "bad name": "---\ndescription: x\n---\n",
	} {
		write(t, filepath.Join(ws, name, "SKILL.md"), text)
	}
	write(t, filepath.Join(dir, "out/SKILL.md"), fmt.Sprintf(plainSkill, "out"))
	write(t, filepath.Join(dir, "ws/.env"), "---\nname: env\ndescription: KEY\n---\n")
	write(t, filepath.Join(ws, "linked/README"), "")
	write(t, filepath.Join(ws, "secret/.env"), "KEY=1")
	for from, to := range map[string]string{"out": "../../../out", "linked/SKILL.md": "../../../.env", "secret/SKILL.md": ".env"} {
		if err := os.Symlink(to, filepath.Join(ws, from)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(ws, "leads/SKILL.md"), fmt.Sprintf(plainSkill, "leads"))
	if err := os.Symlink("../../../.env", filepath.Join(ws, "leads/notes.md")); err != nil {
		t.Fatal(err)
	}
	l := library(dir, undecided)
	if got := offered(l); len(got) > 0 {
		t.Errorf("offered: %v", got)
	}
	var problems []string
	for _, s := range l.All() {
		problems = append(problems, filepath.Base(s.Dir)+": "+s.Problem)
	}
	text := strings.Join(problems, "\n")
	for _, want := range []string{"nothing: it has no description", "no-end: the front matter has no closing", "large: SKILL.md is larger than 64.0 KiB",
		"bad name: \"bad name\" is no name", "linked: SKILL.md is a link that leads out", "secret: SKILL.md is a link to a file of another name"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "out: ") || strings.ContainsRune(text, '\x1b') {
		t.Errorf("a folder outside, or an escape sequence, in\n%q", text)
	}
}

func TestAWorkspacesSkillWithPowersWaitsForTheYes(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"SKILL.md": "---\ndescription: x\nallowed-tools: Bash\n---\n", "scripts/run": "rm", "lib/run.sh": "rm", "many": "",
	} {
		dir := t.TempDir()
		at := filepath.Join(dir, "ws/.agents/skills/power")
		write(t, filepath.Join(at, "SKILL.md"), "---\ndescription: x\n---\n")
		write(t, filepath.Join(at, file), text)
		for i := range 501 {
			if file == "many" {
				write(t, filepath.Join(at, fmt.Sprint("a", i)), "")
			}
		}
		if l := library(dir, undecided); len(l.Offered()) > 0 || !strings.Contains(l.All()[0].Problem, "plimsoll config trust") {
			t.Errorf("%s: %+v", file, l.All())
		}
		var agreed string
		library(dir, func(content string) (bool, bool) { agreed = content; return false, false })
		if !strings.Contains(agreed, "description: x") || !strings.Contains(agreed, text) {
			t.Errorf("%s: the user sees %q", file, agreed)
		}
		l := library(dir, func(content string) (bool, bool) { return content == agreed, true })
		if _, err := l.Load("power"); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		write(t, filepath.Join(at, "scripts/other"), "rm -rf")
		if _, err := l.Load("power"); file != "many" && (err == nil || !strings.Contains(err.Error(), "has changed since")) {
			t.Errorf("%s: after a change: %v", file, err)
		}
	}
}

func TestASkillThatIsGoneOrUnknownIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 210 {
		write(t, filepath.Join(dir, "user", fmt.Sprintf("s%03d", i), "SKILL.md"), "---\ndescription: x\n---\n")
	}
	l := library(dir, undecided)
	if n := len(l.Offered()); n != 200 {
		t.Errorf("%d skills", n)
	}
	if err := os.RemoveAll(filepath.Join(dir, "user/s007")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"s007": "cannot be loaded", "other": "The skills are s000, s001"} {
		if _, err := l.Load(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := (*skill.Library)(nil).Load("x"); err == nil {
		t.Error("no error without a library")
	}
}
