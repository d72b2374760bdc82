package overlay

import (
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

// Tab is a page of a Text: words, or groups.
type Tab struct {
	Title  string
	Body   string
	Groups []Group
}

// Text is a page to read, or several behind tabs. All have the size of the largest, so
// that nothing jumps between them.
type Text struct {
	title string
	tabs  []Tab
	at    int // the tab in sight

	look  look
	width int
	pages [][]string // of the tabs; words have no style yet
	text  pager
	kept  map[wrapping][]string
}

// wrapping is a tab at a width.
type wrapping struct{ tab, width int }

// mostWrapped is how many wrappings are kept: every size takes two.
const mostWrapped = 4

// NewText returns a page. Tables keep their columns where they fit.
func NewText(title, body string) *Text {
	return &Text{title: plain.Line(title), tabs: []Tab{{Body: strings.TrimRight(plain.Text(body), "\n")}}}
}

// NewHelp returns the help. Its texts are the program's own.
func NewHelp(tabs ...Tab) *Text { return &Text{title: "Help", tabs: tabs} }

func (t *Text) asks() bool           { return false }
func (t *Text) dismiss() pane.Action { return nil }

// columnWidth is how wide a column of the help is at least.
const columnWidth = 34

func (t *Text) lay(l look, width, height int) int {
	t.look, t.width, t.pages = l, width, nil
	room, cells, tall := height-t.barHeight(), ansi.StringWidth(t.bar(width)), 0
	for at, tab := range t.tabs {
		lines := t.lines(at, width)
		if half := (width - 2) / 2; tab.Groups != nil && half >= columnWidth && len(lines) > room {
			lines = t.lines(at, half)
			n := (len(lines) + 1) / 2
			for i := range n {
				lines[i] = pane.Fit(lines[i], half)
				if n+i < len(lines) {
					lines[i] += "  " + lines[n+i]
				}
			}
			lines = lines[:n]
		}
		t.pages = append(t.pages, lines)
		cells, tall = max(cells, widest(width, lines...)), max(tall, len(lines))
	}
	t.text.set(t.pages[t.at], min(tall, room))
	return cells
}

// wrapped is the words of a tab in lines.
func (t *Text) wrapped(at wrapping) []string {
	lines, ok := t.kept[at]
	if !ok {
		if len(t.kept) >= mostWrapped || t.kept == nil {
			t.kept = map[wrapping][]string{}
		}
		lines = pane.WrapHanging(t.tabs[at.tab].Body, at.width)
		t.kept[at] = lines
	}
	return lines
}

// visible is the lines in sight, styled.
func (t *Text) visible() []string {
	lines := t.text.visible()
	if t.tabs[t.at].Groups == nil {
		return pane.Each(t.look.styles.Overlay.Text, lines)
	}
	return lines
}

// lines lays a page out.
func (t *Text) lines(at, width int) []string {
	s, tab := t.look.styles, t.tabs[at]
	if tab.Groups == nil {
		return t.wrapped(wrapping{at, width})
	}
	var lines []string
	for _, g := range tab.Groups {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, s.Overlay.Title.Render(pane.Clip(g.Title, width)))
		names := 0
		for _, e := range g.Entries {
			names = max(names, ansi.StringWidth(e.Name))
		}
		for _, e := range g.Entries {
			for _, l := range pane.WrapHanging(pane.Fit(e.Name, names)+"  "+e.What, width) {
				lines = append(lines, s.Frame.HelpKey.Render(ansi.Truncate(l, names, ""))+s.Overlay.Text.Render(ansi.TruncateLeft(l, names, "")))
			}
		}
	}
	return lines
}

// barHeight is the lines of the titles of the tabs, and of the gap below them.
func (t *Text) barHeight() int {
	if len(t.tabs) < 2 {
		return 0
	}
	return 2
}

// bar is the titles of the tabs: all of them, or those from the one in sight on.
func (t *Text) bar(width int) string {
	line, first := "", 0
	for _, tab := range t.tabs {
		line += tab.Title + " "
	}
	if ansi.StringWidth(line) > width {
		first = t.at
	}
	line = ""
	for i, tab := range t.tabs[first:] {
		style := t.look.styles.Overlay.Text
		if first+i == t.at {
			style = t.look.styles.Overlay.Selected
		}
		line += style.Render(tab.Title) + " "
	}
	return ansi.Truncate(line, width, "…")
}

func (t *Text) update(msg tea.Msg) (pane.Action, bool) {
	keys, turn := t.look.keys, 0
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(k, keys.Answers.Close, keys.Answers.Accept):
			return nil, true
		case len(t.tabs) < 2:
		case key.Matches(k, keys.Moves.Next):
			turn = 1
		case key.Matches(k, keys.Moves.Previous):
			turn = len(t.tabs) - 1
		}
	}
	if turn > 0 {
		t.at = (t.at + turn) % len(t.tabs)
		t.text.top = 0
		t.text.set(t.pages[t.at], t.text.height)
		return nil, false
	}
	if t.text.update(msg, keys.Moves, true) {
		return nil, false
	}
	return leftover(msg), false
}

func (t *Text) page() page {
	p := page{title: t.title, where: t.text.where(), hints: []string{hint("close", t.look.keys.Answers.Close)}}
	if p.where != "" {
		p.hints = append(p.hints, hint("scroll", t.look.keys.Moves.PageDown))
	}
	if t.barHeight() > 0 {
		p.lines = []string{t.bar(t.width), ""}
		p.hints = append([]string{hint("next page", t.look.keys.Moves.Next)}, p.hints...)
	}
	visible := t.visible()
	p.lines = append(p.lines, visible...)
	for range t.text.height - len(visible) {
		p.lines = append(p.lines, "")
	}
	return p
}
