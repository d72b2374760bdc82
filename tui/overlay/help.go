package overlay

import (
	"slices"
	"strings"

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

// Entry is a key or a command and what it does. Args stand behind the name where there
// is room.
type Entry struct{ Name, Args, What string }

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

// Tab is a page of the help.
type Tab struct {
	Title  string
	Groups []Group
}

// Help lists keys and commands on a page for each tab, in two columns where there is
// room. All pages have the size of the largest, so that nothing jumps between them.
type Help struct {
	id   string
	tabs []Tab
	at   int // the tab in sight

	look          look
	width, height int
	pages         [][]string // of the tabs
	cramped       bool       // one of them is longer than what is in sight
	text          pager
}

// roomyEntry is how wide a column is that has room for arguments.
const roomyEntry = 60

// whole is a group whose names have their arguments behind them.
func (g Group) whole() Group {
	g.Entries = slices.Clone(g.Entries)
	for i, e := range g.Entries {
		g.Entries[i].Name = strings.TrimSpace(e.Name + " " + e.Args)
	}
	return g
}

// columnWidth is how wide a column of the help is at least.
const columnWidth = 34

// NewHelp returns the help.
func NewHelp(id string, tabs ...Tab) *Help {
	h := &Help{id: id}
	for _, t := range tabs {
		page := Tab{Title: plain.Line(t.Title)}
		for _, g := range t.Groups {
			page.Groups = append(page.Groups, safeGroup(g))
		}
		h.tabs = append(h.tabs, page)
	}
	return h
}

func safeGroup(g Group) Group {
	safe := Group{Title: plain.Line(g.Title)}
	for _, e := range g.Entries {
		safe.Entries = append(safe.Entries, Entry{Name: plain.Line(e.Name), Args: plain.Line(e.Args), What: plain.Line(e.What)})
	}
	return safe
}

func (h *Help) asks() bool { return false }

func (h *Help) lay(l look, width, height int) int {
	h.look, h.width, h.height, h.pages = l, width, height, nil
	cells, tall := h.barWidth(0, len(h.tabs)-1)-2, 0
	for _, t := range h.tabs {
		lines := h.column(t.Groups, width)
		if width >= 2*columnWidth+2 && len(lines) > height-h.barHeight() {
			half := (width - 2) / 2
			if left, right := h.split(t.Groups, half, height-h.barHeight()); max(len(left), len(right)) < len(lines) {
				lines = beside(left, right, half)
			}
		}
		h.pages = append(h.pages, lines)
		cells, tall = max(cells, widest(width, lines...)), max(tall, len(lines))
	}
	h.text.height = max(1, min(tall, height-h.barHeight()))
	h.cramped = tall > h.text.height
	h.show(h.at)
	return min(cells, width)
}

// show turns to a tab, and stays where it was in it.
func (h *Help) show(tab int) {
	h.at = tab
	if tab < len(h.pages) {
		h.text.set(h.pages[tab], h.text.height)
	}
}

// turn turns to the tab that is so many behind, from the last to the first.
func (h *Help) turn(by int) {
	h.text.top = 0
	h.show((h.at + by + len(h.tabs)) % len(h.tabs))
}

// barHeight is the lines of the titles of the tabs, and of the gap below them.
func (h *Help) barHeight() int {
	switch {
	case len(h.tabs) < 2 || h.height < 3:
		return 0
	case h.height < 12:
		return 1
	}
	return 2
}

// bar is the titles of the tabs: all of them, closer together where that makes room, or
// those around the one in sight.
func (h *Help) bar(width int) string {
	s, line := h.look.styles, ""
	if n := len(h.tabs); h.barWidth(0, n-1)-2 > width && h.barWidth(0, n-1)-2-n <= width {
		for i, t := range h.tabs {
			style := s.Text
			if i == h.at {
				style = s.Selected
			}
			line += style.Render(t.Title) + " "
		}
		return line
	}
	first := 0
	for ; first < h.at && h.barWidth(first, h.at) > width-2; first++ {
	}
	if first > 0 {
		line = s.Hint.Render("‹ ")
	}
	for i, t := range h.tabs[first:] {
		style := s.Text
		if first+i == h.at {
			style = s.Selected
		}
		line += style.Render(" " + t.Title + " ")
	}
	return ansi.Truncate(line, width, "…")
}

// barWidth is how wide the titles of some tabs are.
func (h *Help) barWidth(first, last int) int {
	n := 2
	for _, t := range h.tabs[first : last+1] {
		n += ansi.StringWidth(t.Title) + 2
	}
	return n
}

// split lays groups out in two columns of about the same height. A group goes on in the
// second column where they do not fit otherwise.
func (h *Help) split(groups []Group, width, height int) (left, right []string) {
	least := 0
	try := func(first, second []Group) {
		l, r := h.column(first, width), h.column(second, width)
		if tall := max(len(l), len(r)); least == 0 || tall < least {
			left, right, least = l, r, tall
		}
	}
	for i := 1; i < len(groups); i++ {
		try(groups[:i], groups[i:])
	}
	if least > 0 && least <= height {
		return left, right
	}
	for i, g := range groups {
		for n := 1; n < len(g.Entries); n++ {
			try(append(slices.Clone(groups[:i]), Group{g.Title, g.Entries[:n]}), append([]Group{{"", g.Entries[n:]}}, groups[i+1:]...))
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
		if width >= roomyEntry {
			g = g.whole()
		}
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

func (h *Help) update(msg tea.Msg) pane.Action {
	if k, ok := msg.(tea.KeyPressMsg); ok && len(h.tabs) > 1 {
		switch moves := h.look.keys.Moves; {
		case key.Matches(k, moves.Next):
			h.turn(1)
			return nil
		case key.Matches(k, moves.Previous):
			h.turn(-1)
			return nil
		}
	}
	return read(msg, h.id, &h.text, h.look.keys)
}

func (h *Help) page() page {
	var lines []string
	hints := readHints(&h.text, h.look.keys)
	if n := h.barHeight(); n > 0 {
		lines = append([]string{h.bar(h.width)}, make([]string, n-1)...)
		hints = append([]string{hint("next page", h.look.keys.Moves.Next)}, hints...)
	}
	lines = append(lines, h.text.visible()...)
	for range h.text.height - len(h.text.visible()) {
		lines = append(lines, "")
	}
	return page{title: "Help", lines: lines, where: h.text.where(), grows: h.cramped, hints: hints}
}
