package tui_test

import (
	"strings"
	"testing"

	"plimsoll/tui"
)

func TestSkillsAreListedWithTheirWeight(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.width, r.height = 80, 24
		r.skills = []tui.Skill{
			{Name: "deploy", Path: "/ws/.claude/skills/deploy/SKILL.md", Source: ".claude/skills", Tokens: 900, Problem: "waits for your yes"},
			{Name: "pdf", Path: "/home/pdf/SKILL.md", Source: "~/skills", Tokens: 1500, Loaded: true, Description: "Reads \x1b[31mforms", Tools: []string{"Bash"}},
		}
	}, func(r *rig) {
		r.submit("/skills")
		r.wantCalls("skills")
		r.wantText("Skills", "deploy", "900", "not offered", ".claude/skills", "pdf", "1.5k", "✓", "~/skills", "Not offered: waits for your yes")
		r.press("down")
		r.wantText("Names Bash; calls ask as always.")
		if strings.Contains(r.text(), "\x1b[31mforms") {
			t.Error("an escape sequence is shown")
		}
		r.press("enter")
		r.wantCalls("page skill /home/pdf/SKILL.md")
		r.wantText("the page about skill")
	})
}

func TestWithoutSkillsTheListSaysWhereTheyGo(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.submit("/skills")
		r.wantText("no skill was found", ".plimsoll/skills")
	})
}
