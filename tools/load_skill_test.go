package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/skill"
)

func withSkills(folder string) func(*tools.Options) {
	return func(o *tools.Options) {
		o.Skills = skill.Find([]skill.Source{{Folder: folder, Name: "user"}}, func(string) (bool, bool) { return false, false })
	}
}

func specOf(specs []conversation.ToolSpec, name string) *conversation.ToolSpec {
	if i := slices.IndexFunc(specs, func(s conversation.ToolSpec) bool { return s.Name == name }); i >= 0 {
		return &specs[i]
	}
	return nil
}

func TestLoadSkillGivesTextFilesAndAnEvent(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "pdf/SKILL.md"), "---\nname: pdf\ndescription: reads PDFs\nallowed-tools: Bash\n---\n# Steps\n1. read\n")
	write(t, filepath.Join(folder, "pdf/references/forms.md"), "the forms")
	b, _ := open(t, nil, withSkills(folder))
	spec := specOf(b.Specs(), "load_skill")
	if spec == nil || !spec.ReadOnly || !strings.HasSuffix(spec.Description, "\n- pdf: reads PDFs") {
		t.Fatalf("declared: %+v", spec)
	}
	out := run(t, b, "load_skill", map[string]any{"name": "pdf"})
	for _, want := range []string{filepath.Join(folder, "pdf"), "- references/forms.md", "# Steps\n1. read", "allowed tools (Bash); calls need the same approval"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("%q is not in\n%s", want, out.Text)
		}
	}
	if len(out.Events) != 1 {
		t.Fatalf("events: %+v", out.Events)
	}
	if e := out.Events[0].(conversation.SkillLoaded); e.Name != "pdf" || e.Path != filepath.Join(folder, "pdf/SKILL.md") || len(e.Hash) != 64 || e.Size == (conversation.Size{}) {
		t.Errorf("%+v", e)
	}
	if out := run(t, b, "load_skill", map[string]any{"name": "docx"}); out.Status != conversation.ResultError || !strings.Contains(out.Text, "The skills are pdf") {
		t.Errorf("an unknown skill: %+v", out)
	}
}

func TestLoadSkillIsDeclaredOnlyWithSkills(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, withSkills(t.TempDir()))
	if spec := specOf(b.Specs(), "load_skill"); spec != nil {
		t.Errorf("declared: %+v", spec)
	}
	if out := run(t, b, "load_skill", map[string]any{"name": "x"}); out.Status != conversation.ResultError || !strings.Contains(out.Text, "no skill is there any more") {
		t.Errorf("%+v", out)
	}
}

func TestManySkillsTakeLittleRoom(t *testing.T) {
	t.Parallel()
	for n, named := range map[int]int{20: 20, 100: 100, 200: 0} {
		folder := t.TempDir()
		for i := range n {
			write(t, filepath.Join(folder, fmt.Sprintf("skill-with-a-name-%03d", i), "SKILL.md"), "---\ndescription: "+strings.Repeat("long ", 200)+"\n---\n")
		}
		b, _ := open(t, nil, withSkills(folder))
		about, brief := specOf(b.Specs(), "load_skill").Description, specOf(b.Brief(false), "load_skill").Description
		if len(about) > 3000 || len(brief) > 900 || strings.Count(about, "skill-with") < named || n == 200 && !strings.Contains(about, "more; a call with another name lists all") {
			t.Errorf("%d skills: %d and %d bytes\n%s", n, len(about), len(brief), about)
		}
	}
}

func TestFilesOfASkillAreReadAndNoOthersOutside(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := filepath.Join(folder, "pdf")
	write(t, filepath.Join(at, "SKILL.md"), "---\ndescription: x\n---\n")
	write(t, filepath.Join(at, "scripts/fill.py"), "print('fill')")
	write(t, filepath.Join(at, "scripts/.env"), "KEY=1")
	write(t, filepath.Join(folder, "other/notes.md"), "not of a skill")
	if err := os.Symlink("../other/notes.md", filepath.Join(at, "out.md")); err != nil {
		t.Fatal(err)
	}
	b, _ := open(t, nil, withSkills(folder))
	if text := succeed(t, b, "read_file", map[string]any{"path": filepath.Join(at, "scripts/fill.py")}); !strings.Contains(text, "print('fill')") || !strings.Contains(text, at) {
		t.Error(text)
	}
	if text := succeed(t, b, "list_files", map[string]any{"path": at}); !strings.Contains(text, filepath.Join(at, "scripts/fill.py")+"  13 B") {
		t.Error(text)
	}
	for path, want := range map[string]string{
		filepath.Join(folder, "other/notes.md"):     "outside the workspace",
		filepath.Join(at, "../other/notes.md"):      "outside the workspace",
		at + "/../other/notes.md":                   "outside the workspace",
		filepath.Join(at, "out.md"):                 "leads out",
		filepath.Join(at, "scripts/none.py"):        "no scripts/none.py in the folder of the skill",
		filepath.Join(folder, "pdfs/../other/x.md"): "outside the workspace",
	} {
		if out := run(t, b, "read_file", map[string]any{"path": path}); out.Status != conversation.ResultError || !strings.Contains(out.Text, want) {
			t.Errorf("%s: %s", path, out.Text)
		}
	}
	for tool, args := range map[string]map[string]any{
		"create_file": {"path": at + "/new.md", "content": "x"}, "modify_file": {"path": at + "/SKILL.md", "old": "x", "new": "y"},
	} {
		if out := run(t, b, tool, args); out.Status != conversation.ResultError {
			t.Errorf("%s: %+v", tool, out)
		}
	}
	if _, err := os.Stat(at + "/new.md"); err == nil {
		t.Error("a file was made in the skill's folder")
	}
	need := func(path string) conversation.Need {
		return b.Review(t.Context(), call(t, "read_file", map[string]any{"path": path})).Need
	}
	if need(at+"/scripts/fill.py") != conversation.NeedNothing || need(at+"/scripts/.env") != conversation.NeedApproval {
		t.Error("a file of a skill needs no approval, one that may hold secrets does")
	}
}
