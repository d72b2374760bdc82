package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Styles is how a frame and the lists in it look. All are inline.
type Styles struct {
	Title, Detail  lipgloss.Style
	Rule           lipgloss.Style
	Text, Muted    lipgloss.Style
	Key            lipgloss.Style // the name of a key
	Selected       lipgloss.Style // what has the cursor
	Match          lipgloss.Style // what was searched for
	Warning, Error lipgloss.Style
}

// Frame is what stands around the body of a view.
type Frame struct {
	Title  string   // at the left of the first line
	Detail string   // at its right
	Lines  []string // below it, before the rule: what is about the whole
	Status string   // the line above the keys, "" for none: a passing word, or the line one searches in
	Hints  []string // what can be done, the most important first
	Where  string   // what part is in sight, at the right of the last line
}

// Heights at which the parts of a frame go.
const (
	leastRule  = 12 // the rules
	leastHints = 6  // the line of keys
)

// Body is how many lines are left for the body.
func (f Frame) Body(height int) int {
	n := height - 1 - len(f.Lines)
	if height >= leastRule {
		n -= 2
	}
	if height >= leastHints {
		n--
	}
	if f.Status != "" {
		n--
	}
	return max(n, 0)
}

// Draw lays the frame around a body, in exactly height lines of width cells.
func (s Styles) Draw(f Frame, body []string, width, height int) string {
	lines := make([]string, 0, height)
	lines = append(lines, " "+Between(s.Title.Render(Clip(f.Title, width-2)), s.Detail.Render(f.Detail), max(width-2, 0)))
	lines = append(lines, f.Lines...)
	rule := s.Rule.Render(strings.Repeat("─", max(width, 0)))
	if height >= leastRule {
		lines = append(lines, rule)
	}
	for i := range f.Body(height) {
		line := ""
		if i < len(body) {
			line = body[i]
		}
		lines = append(lines, line)
	}
	if height >= leastRule {
		lines = append(lines, rule)
	}
	if f.Status != "" {
		lines = append(lines, " "+f.Status)
	}
	if height >= leastHints {
		lines = append(lines, " "+s.hints(f, width-2))
	}
	lines = lines[:min(len(lines), max(height, 0))]
	for i, l := range lines {
		lines[i] = Fit(l, width)
	}
	return strings.Join(lines, "\n")
}

// hints is the last line: as many keys as there is room for, and where one is.
func (s Styles) hints(f Frame, width int) string {
	room := width
	if f.Where != "" {
		room -= ansi.StringWidth(f.Where) + 2
	}
	line := ""
	for _, h := range f.Hints {
		if h == "" {
			continue
		}
		name, what, _ := strings.Cut(h, " ")
		for { // a hint may name several keys
			more, rest, found := strings.Cut(what, " ")
			if !found || ansi.StringWidth(more) > 2 || strings.ContainsAny(more, "abcdefghijklmnopqrstuvwxyz") && len(more) > 1 {
				break
			}
			name, what = name+" "+more, rest
		}
		piece := s.Key.Render(name) + s.Muted.Render(" "+what)
		if line != "" {
			piece = s.Muted.Render(" · ") + piece
		}
		if ansi.StringWidth(line)+ansi.StringWidth(piece) > room {
			break
		}
		line += piece
	}
	if f.Where == "" {
		return line
	}
	return Between(line, s.Detail.Render(f.Where), width)
}
