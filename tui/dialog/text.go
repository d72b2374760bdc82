package dialog

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

// Entry is a key or a command and what it does.
type Entry struct{ Name, What string }

// KeyGroup makes a group from bindings, without unbound ones.
func KeyGroup(title string, bindings ...key.Binding) Group {
	g := Group{Title: title}
	for _, b := range bindings {
		if h := b.Help(); b.Enabled() && h.Key != "" {
			g.Entries = append(g.Entries, Entry{Name: h.Key, What: h.Desc})
		}
	}
	return g
}

// Tab is a page of a Text: a body of text, or groups.
type Tab struct {
	Title  string
	Body   string
	Groups []Group
}

// Text is a page to read, or several with tabs; tabs in a row that fit one page share it. All pages have the size of the
// largest, so that the dialog does not change its size between them.
type Text struct {
	title string
	tabs  []Tab
	shown []Tab // tabs, those of one page joined
	at    int   // index of the visible one

	config config
	width  int
	pages  [][]string // the lines of each tab; those of a body have no style yet
	text   pager
	atEnd  bool // the end is shown until the user scrolls
}

// NewText returns a page of text. Tables keep their columns if they fit.
func NewText(title, body string) *Text {
	return &Text{title: plain.Line(title), tabs: []Tab{{Body: strings.TrimRight(plain.Text(body), "\n")}}}
}

// NewHelp returns the help. Its texts are not sanitised, because they are the program's own.
func NewHelp(tabs ...Tab) *Text { return &Text{title: "Help", tabs: tabs} }

// AtEnd makes the page show its end at first.
func (t *Text) AtEnd() *Text {
	t.atEnd = true
	return t
}

func (t *Text) asks() bool           { return false }
func (t *Text) dismiss() pane.Action { return nil }

// columnWidth is the minimum width of a column of the help.
const columnWidth = 34

func (t *Text) layout(l config, width, height int) int {
	t.config, t.width, t.pages, t.shown = l, width, nil, nil
	room, cells, tall := height-t.barHeight(), 0, 0
	for _, tab := range t.tabs {
		lines, n := t.lines(tab, width, room), len(t.shown)-1
		if n >= 0 {
			both := Tab{Title: t.shown[n].Title + " " + tab.Title, Groups: slices.Concat(t.shown[n].Groups, tab.Groups)}
			if joined := t.lines(both, width, room); len(joined) <= room {
				tab, lines, t.shown, t.pages = both, joined, t.shown[:n], t.pages[:n]
			}
		}
		t.shown, t.pages = append(t.shown, tab), append(t.pages, lines)
		cells, tall = max(cells, widest(width, lines...)), max(tall, len(lines))
	}
	t.at = min(t.at, len(t.shown)-1)
	if t.text.set(t.pages[t.at], min(tall, room)); t.atEnd {
		t.text.scroll(t.text.len())
	}
	return max(cells, ansi.StringWidth(t.bar(width)))
}

// lines lays a page out, in two columns if it is higher than room.
func (t *Text) lines(tab Tab, width, room int) []string {
	if tab.Groups == nil {
		return pane.WrapHanging(tab.Body, width)
	}
	lines, half := t.column(tab, width), (width-2)/2
	if len(lines) <= room || half < columnWidth {
		return lines
	}
	lines = t.column(tab, half)
	n := (len(lines) + 1) / 2
	return pane.Columns(lines[:n], lines[n:], "  ", half, n)
}

func (t *Text) column(tab Tab, width int) (lines []string) {
	s := t.config.styles
	for _, g := range tab.Groups {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, s.Title.Render(pane.Clip(g.Title, width)))
		names := 0
		for _, e := range g.Entries {
			names = max(names, ansi.StringWidth(e.Name))
		}
		for _, e := range g.Entries {
			text := pane.Fit(e.Name, names) + "  " + e.What
			first := pane.Wrap(text, width)[0]
			name, rest := ansi.Truncate(first, names, ""), strings.TrimSpace(strings.TrimPrefix(text, first))
			lines = append(lines, s.Title.Render(name)+s.Text.Render(strings.TrimPrefix(first, name)))
			if rest != "" {
				lines = append(lines, pane.Each(s.Text, pane.WrapHanging("  "+rest, width))...)
			}
		}
	}
	return lines
}

// barHeight is the height of the line of tab titles and the blank line below it.
func (t *Text) barHeight() int { return 2 * pane.CountTrue(len(t.tabs) > 1) }

// bar draws the title, and the titles of the tabs: all of them, or those from the visible tab on.
func (t *Text) bar(width int) string {
	line, first := t.title, 0
	for _, tab := range t.shown {
		line += "  " + tab.Title
	}
	over := ansi.StringWidth(line) - width
	if over > len(t.shown) {
		first = t.at
	}
	line, gap := t.config.styles.Title.Render(t.title), "  "
	if over > 0 {
		gap = " "
	}
	for i, tab := range t.shown[first:] {
		style := t.config.styles.Muted
		if first+i == t.at {
			style = t.config.styles.Selected
		}
		line += gap + style.Render(tab.Title)
	}
	return ansi.Truncate(line, width, "…")
}

func (t *Text) update(msg tea.Msg) (pane.Action, bool) {
	keys, turn := t.config.keys, 0
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case key.Matches(k, keys.Answers.Close, keys.Answers.Accept):
			return nil, true
		case len(t.shown) < 2:
		case key.Matches(k, keys.Moves.Next):
			turn = 1
		case key.Matches(k, keys.Moves.Previous):
			turn = len(t.shown) - 1
		}
	}
	if turn > 0 {
		t.at = (t.at + turn) % len(t.shown)
		t.text.Top = 0
		t.text.set(t.pages[t.at], t.text.height)
		return nil, false
	}
	if t.text.update(msg, keys.Moves, true) {
		t.atEnd = false
		return nil, false
	}
	return unusedAction(msg), false
}

func (t *Text) page() page {
	p := page{title: t.title, where: t.text.where(), hints: []string{hint("close", t.config.keys.Answers.Close)}}
	if p.where != "" {
		p.hints = append(p.hints, hint("scroll", t.config.keys.Moves.PageDown))
	}
	if t.barHeight() > 0 {
		p.title = ""
		p.lines = []string{t.bar(t.width), ""}
		p.hints = append([]string{hint("next page", t.config.keys.Moves.Next)}, p.hints...)
	}
	visible := t.text.visible()
	for _, l := range visible {
		switch s := t.config.styles; {
		case t.shown[t.at].Groups != nil:
		case strings.HasPrefix(l, "    "): // it explains the line above
			l = s.Muted.Render(l)
		default:
			l = s.Text.Render(l)
		}
		p.lines = append(p.lines, l)
	}
	p.lines = append(p.lines, make([]string, max(0, t.text.height-len(visible)))...)
	return p
}
