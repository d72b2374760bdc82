package tui

import (
	"fmt"
	"strings"

	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Skill is a skill that was found.
type Skill struct {
	Name        string
	Path        string // of its SKILL.md
	Source      string // where it was found
	Tokens      int    // estimated, of its text
	Loaded      bool   // its text is in the conversation
	Description string
	Tools       []string // that it names as allowed
	Problem     string   // why the model cannot load it, "" if it can
}

// skills lists the skills; the chosen one is shown in full.
func (l *lists) skills() pane.Action {
	return newReadAction(l.env.Backend.Skills, "the skills are listed: /skills shows them", func(found []Skill) pane.Action {
		items := make([]dialog.Item, len(found))
		for i, s := range found {
			loaded := ""
			switch {
			case s.Problem != "":
				loaded = "not offered"
			case s.Loaded:
				loaded = "✓"
			}
			items[i] = dialog.Item{ID: s.Path, Title: s.Name, Columns: []string{fmt.Sprintf("%6s", pane.Tokens(s.Tokens)), loaded, s.Source}}
		}
		about := ""
		if len(found) == 0 {
			about = "A skill is a folder with a SKILL.md, in plimsoll/skills beside your configuration or in .plimsoll/skills here."
		}
		picker := dialog.NewPicker(dialog.PickerOptions{
			Title: "Skills", Items: items, Heads: []string{"tokens", "loaded", "from"}, Preview: previewLines,
			Text: about, Empty: "no skill was found",
			Choose: func(path, _ string) pane.Action { return l.env.loadPage("Skill", PageSkill, path) },
		})
		for _, s := range found {
			picker.SetPreview(s.Path, s.preview())
		}
		return openDialog{picker}
	})
}

// preview describes the skill in a few lines.
func (s Skill) preview() string {
	var lines []string
	if s.Problem != "" {
		lines = append(lines, "Not offered: "+s.Problem)
	}
	if s.Description != "" {
		lines = append(lines, s.Description)
	}
	if len(s.Tools) > 0 {
		lines = append(lines, "Names "+strings.Join(s.Tools, ", ")+"; calls ask as always.")
	}
	return strings.Join(lines, "\n")
}
