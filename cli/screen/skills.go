package screen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plimsoll/cli/show"
	"plimsoll/conversation/plain"
	"plimsoll/tools/skill"
	"plimsoll/tui"
)

// Skills lists the skills found when the conversation was opened.
func (h *Host) Skills(ctx context.Context) ([]tui.Skill, error) {
	running := h.running()
	if running == nil {
		return nil, errReadOnly
	}
	events := h.storedEvents(ctx, running)
	all := running.Toolbox.Skills().All()
	out := make([]tui.Skill, len(all))
	for i, w := range show.Skills(all, events) {
		s := all[i]
		out[i] = tui.Skill{Name: w.Name, Path: s.Path(), Source: w.Source, Tokens: w.Tokens, Loaded: w.Loaded,
			Description: s.Description, Tools: s.AllowedTools, Problem: s.Problem}
	}
	return out, nil
}

// skillPage is the text of the skill with a path, and what is known of it.
func (h *Host) skillPage(library *skill.Library, path string) (string, error) {
	all := library.All()
	i := slices.IndexFunc(all, func(s skill.Skill) bool { return s.Path() == path })
	if i < 0 {
		return "", fmt.Errorf("there is no skill %s", plain.Line(path))
	}
	s := all[i]
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", h.deps.Console.Home(s.Path()), s.Description)
	if s.License != "" {
		b.WriteString("License: " + s.License + "\n")
	}
	if len(s.Files) > 0 {
		b.WriteString("Files: " + strings.Join(s.Files, ", ") + "\n")
	}
	b.WriteString("\n" + s.Text + "\n")
	return plain.Text(b.String()), nil
}
