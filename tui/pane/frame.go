package pane

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Styles are the styles of a frame and its list. All are inline.
type Styles struct {
	Title, Detail  lipgloss.Style
	Rule           lipgloss.Style
	Text, Muted    lipgloss.Style
	Key            lipgloss.Style // the name of a key
	Selected       lipgloss.Style // the row with the cursor
	Match          lipgloss.Style // matches of a search
	Warning, Error lipgloss.Style
}

// Frame is the part of a view above and below its body.
type Frame struct {
	Title  string   // at the left of the first line
	Detail string   // at its right
	Lines  []string // below it, before the rule
	Status string   // the line above the keys, "" for none: a message, or a field
	Hints  []string // keys and what they do, the most important first: [Hint]
	Where  string   // which part is visible, at the right of the last line
}

// Heights from which a frame has these parts.
const (
	leastRule  = 12 // the rules
	leastHints = 6  // the line of keys
)

// around returns how many lines the frame needs without Lines.
func (f Frame) around(height int) int {
	n := 1
	if height >= leastRule {
		n += 2
	}
	if height >= leastHints {
		n++
	}
	if f.Status != "" {
		n++
	}
	return n
}

// lines returns how many of Lines are shown: the body keeps at least a line.
func (f Frame) lines(height int) int { return max(0, min(len(f.Lines), height-f.around(height)-1)) }

// Body returns the number of lines for the body.
func (f Frame) Body(height int) int { return max(0, height-f.around(height)-f.lines(height)) }

// Top returns the index of the first line of the body.
func (f Frame) Top(height int) int {
	n := 1 + f.lines(height)
	if height >= leastRule {
		n++
	}
	return n
}

// Draw draws the frame around a body, in exactly height lines of width cells.
func (s Styles) Draw(f Frame, body []string, width, height int) string {
	margin, room := Margin(width), Within(width)
	lines := make([]string, 0, height+1)
	lines = append(lines, margin+Between(s.Title.Render(Clip(f.Title, room)), s.Detail.Render(f.Detail), room))
	for _, l := range f.Lines[:f.lines(height)] {
		lines = append(lines, margin+Clip(l, room))
	}
	rule := margin + s.Rule.Render(strings.Repeat("─", room))
	if height >= leastRule {
		lines = append(lines, rule)
	}
	lines = append(lines, slices.Concat(body, make([]string, f.Body(height)))[:f.Body(height)]...)
	if height >= leastRule {
		lines = append(lines, rule)
	}
	if f.Status != "" {
		lines = append(lines, margin+Clip(f.Status, room))
	}
	if height >= leastHints {
		lines = append(lines, margin+s.hints(f, room))
	}
	lines = lines[:min(len(lines), max(height, 0))]
	for i, l := range lines {
		lines[i] = Fit(l, width)
	}
	return strings.Join(lines, "\n")
}

// hints draws the last line: as many keys as fit, and f.Where unless that leaves no room
// for the most important key.
func (s Styles) hints(f Frame, width int) string {
	room := width - ansi.StringWidth(f.Where) - 2
	first := slices.IndexFunc(f.Hints, func(hint string) bool { return hint != "" })
	if f.Where == "" || first >= 0 && s.keys(f.Hints[first:first+1], room) == "" {
		return s.keys(f.Hints, width)
	}
	return Between(s.keys(f.Hints, room), s.Detail.Render(f.Where), width)
}

// keys draws as many hints as fit, in their order.
func (s Styles) keys(hints []string, room int) string {
	line := ""
	for _, h := range hints {
		if h == "" {
			continue
		}
		names, what, _ := strings.Cut(h, " ")
		piece := s.Key.Render(strings.ReplaceAll(names, joint, " ")) + s.Muted.Render(" "+what)
		if line != "" {
			piece = s.Muted.Render(" · ") + piece
		}
		if ansi.StringWidth(line)+ansi.StringWidth(piece) <= room {
			line += piece
		}
	}
	return line
}
