package overlay

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Group is a part of the help: keys or commands that belong together.
type Group struct {
	Title   string
	Entries []Entry
}

// Entry is a key or a command and what it does.
type Entry struct{ Name, What string }

// KeyGroup is a group made from bindings, without those that are off.
func KeyGroup(title string, bindings ...key.Binding) Group {
	g := Group{Title: title}
	for _, b := range bindings {
		if h := b.Help(); b.Enabled() && h.Key != "" {
			g.Entries = append(g.Entries, Entry{Name: h.Key, What: h.Desc})
		}
	}
	return g
}

// Help lists keys and commands, in two columns where there is room.
type Help struct {
	id     string
	groups []Group

	look look
	text pager
}

// columnWidth is how wide a column of the help is at least.
const columnWidth = 40

// NewHelp returns the help.
func NewHelp(id string, groups []Group) *Help {
	h := &Help{id: id}
	for _, g := range groups {
		safe := Group{Title: plain.Line(g.Title)}
		for _, e := range g.Entries {
			safe.Entries = append(safe.Entries, Entry{Name: plain.Line(e.Name), What: plain.Line(e.What)})
		}
		h.groups = append(h.groups, safe)
	}
	return h
}

func (h *Help) asks() bool { return false }

func (h *Help) lay(l look, width, height int) int {
	h.look = l
	lines := h.column(h.groups, width)
	if width >= 2*columnWidth+2 {
		half := (width - 2) / 2
		left, right := h.split(half)
		lines = beside(left, right, half)
	}
	h.text.set(lines, min(len(lines), height))
	return widest(width, lines...)
}

// split lays the groups out in two columns of about the same height.
func (h *Help) split(width int) (left, right []string) {
	total := len(h.column(h.groups, width))
	for i := 1; i <= len(h.groups); i++ {
		left, right = h.column(h.groups[:i], width), h.column(h.groups[i:], width)
		if len(left)*2 >= total {
			break
		}
	}
	return left, right
}

// beside puts two columns side by side.
func beside(left, right []string, width int) []string {
	lines := make([]string, max(len(left), len(right)))
	for i := range lines {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		lines[i] = pane.Fit(l, width) + "  " + pane.Fit(r, width)
	}
	return lines
}

// column lays groups out one below the other.
func (h *Help) column(groups []Group, width int) []string {
	s := h.look.styles
	var lines []string
	for i, g := range groups {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, s.Title.Render(ansi.Truncate(g.Title, width, "…")))
		names := 0
		for _, e := range g.Entries {
			names = max(names, ansi.StringWidth(e.Name))
		}
		names = min(names, max(width/2, 1))
		for _, e := range g.Entries {
			lines = append(lines, h.entry(e, names, width)...)
		}
	}
	return lines
}

// entry is a name and, beside it or where that is narrow below it, what it
// does.
func (h *Help) entry(e Entry, names, width int) []string {
	s := h.look.styles
	var lines []string
	if width-names < 20 {
		lines = append(lines, s.Key.Render(ansi.Truncate(e.Name, width, "…")))
		for _, line := range pane.WrapHanging(e.What, max(width-2, 1)) {
			lines = append(lines, "  "+s.Text.Render(line))
		}
		return lines
	}
	name := pane.Fit(e.Name, names)
	for i, line := range pane.WrapHanging(e.What, width-names-2) {
		if i > 0 {
			name = pane.Fit("", names)
		}
		lines = append(lines, s.Key.Render(name)+"  "+s.Text.Render(line))
	}
	return lines
}

func (h *Help) update(msg tea.Msg) pane.Action { return read(msg, h.id, &h.text, h.look.keys) }

func (h *Help) page() page {
	return page{title: "Help", lines: h.text.visible(), where: h.text.where(), hints: readHints(&h.text, h.look.keys)}
}
