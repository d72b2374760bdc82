package changes

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
)

// safe is a name on one line.
func safe(text string) string { return plain.Line(text) }

// View is the whole view: exactly as many lines as it is high.
func (m *Model) View() string {
	m.place()
	return m.styles.Pane.Draw(m.frame(), m.lines(), m.width, m.height)
}

// lines are what stands between the frame's.
func (m *Model) lines() []string {
	s := m.styles.Pane
	switch {
	case m.helps:
		lines, _ := m.help.View(m.keyList(), m.body())
		return m.inset(lines)
	case len(m.content.Files) == 0:
		return m.inset(m.empty())
	case !m.wide() && m.reading:
		return m.inset(m.inSight())
	case !m.wide():
		return m.list.View(m)
	}
	left, right := m.list.View(m), m.inSight()
	out := make([]string, m.body())
	for i := range out {
		line := ""
		if i < len(left) {
			line = left[i]
		}
		line = pane.Fit(line, m.listWidth()) + s.Rule.Render(bar)
		if i < len(right) {
			line += right[i]
		}
		out[i] = line
	}
	return out
}

// keyList is the keys and what they do.
func (m *Model) keyList() []string {
	return m.styles.Pane.KeyList(pane.Within(m.width), pane.BindingsIn(m.keys), pane.BindingsIn(m.keys.Moves))
}

// inset moves lines behind the margin.
func (m *Model) inset(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = pane.Margin(m.width) + l
	}
	return out
}

// inSight is what of the diff is in sight.
func (m *Model) inSight() []string {
	d := m.diff(m.list.Selected(m))
	rows, _ := m.page.View(d.rows, m.body())
	from := len(d.rows) - len(rows)
	rows = rows[:min(len(rows), m.body())]
	return m.search.mark(rows, d.text[from:], m.styles.Pane.Match)
}

// empty says what would be here.
func (m *Model) empty() []string {
	s := m.styles.Pane
	if !m.content.Loaded {
		return []string{"", s.Muted.Render("reading the files…")}
	}
	width := min(pane.Within(m.width), 100)
	none := pane.Each(s.Text, pane.Wrap("No file was changed in this conversation.", width))
	return append(append(append([]string{""}, none...), ""), pane.Each(s.Muted, pane.Wrap("Files that the model creates or edits are listed here, with what changed since the conversation first touched them.", width))...)
}

// frame is what stands around.
func (m *Model) frame() pane.Frame {
	k := m.keys
	f := pane.Frame{Title: "Diff", Status: m.search.status(m)}
	if t := safe(m.content.Title); t != "" {
		f.Title += " · " + t
	}
	if n := len(m.content.Files); n > 0 {
		added, removed := 0, 0
		for _, file := range m.content.Files {
			a, r := file.Stat()
			added, removed = added+a, removed+r
		}
		f.Detail = numbers.Count(n, "file") + "  " + diffview.Stat(added, removed)
	}
	leave, help := pane.Hint("close", k.Close), pane.Hint("keys", k.Help)
	copied, files := pane.Hint("copy", k.Copy), pane.Hint("file", k.PreviousFile, k.NextFile)
	switch {
	case m.search.typing:
		f.Hints = []string{pane.Hint("search", k.Open), pane.Hint("cancel", k.Cancel)}
	case m.helps:
		f.Hints = []string{pane.Hint("back", k.Close)}
		_, f.Where = m.help.View(m.keyList(), f.Body(m.height))
	case len(m.content.Files) == 0:
		f.Hints = []string{leave}
	case m.reading:
		f.Hints = []string{pane.Hint("files", k.Side), files, copied, pane.Hint("back", k.Close), help, pane.Hint("search", k.Search)}
		_, f.Where = m.page.View(m.rows(m.list.Selected(m)), f.Body(m.height))
	default:
		f.Hints = []string{pane.Hint("read", k.Open), copied, leave, help, files, pane.Hint("go there", k.Jump), pane.Hint("search", k.Search)}
		f.Where = strconv.Itoa(m.list.Selected(m)+1) + "/" + strconv.Itoa(len(m.content.Files))
	}
	return f
}

// Len is how many files there are.
func (m *Model) Len() int { return len(m.content.Files) }

// marks stand before the name of a file: whether the conversation made it.
const (
	markNew     = "A"
	markChanged = "M"
)

// needs is the cells that a row takes.
func (m *Model) needs(f *File) int {
	return 3 + 2 + ansi.StringWidth(safe(f.Name)) + 2 + ansi.StringWidth(diffview.Stat(f.Stat())) + 1
}

// Lines is the row of a file, and in further lines what has to be said of it.
func (m *Model) Lines(row int, selected bool, width int) []string {
	s, f := m.styles.Pane, &m.content.Files[row]
	gutter := 2
	mark, look, quiet := strings.Repeat(" ", gutter), s.Text, s.Muted
	if selected {
		mark = "❯ "
		if !m.reading || !m.wide() {
			look, quiet = s.Selected, s.Selected
		}
	}
	kind := markChanged
	if f.Created() {
		kind = markNew
	}
	stat := diffview.Stat(f.Stat())
	room := max(1, width-gutter-2-2-ansi.StringWidth(stat))
	name := safe(f.Name)
	if w := ansi.StringWidth(name); w > room { // the end of a path tells more than its beginning
		name = ansi.TruncateLeft(name, w-room+1, "…")
	}
	lines := []string{look.Render(mark+kind+" "+pane.Fit(name, room)) + quiet.Render(pane.Fit("  "+stat, width-gutter-2-room))}
	if note := f.short(); note != "" {
		lines = append(lines, look.Render(strings.Repeat(" ", gutter+2))+quiet.Render(pane.Fit(note, max(1, width-gutter-2))))
	}
	for i, l := range lines {
		lines[i] = pane.Clip(l, width)
	}
	return lines
}

// short is what has to be said of a file, in a few words.
func (f *File) short() string {
	var notes []string
	switch f.Disk {
	case DiskOther:
		notes = append(notes, "changed since")
	case DiskGone:
		notes = append(notes, "gone")
	case DiskUnreadable:
		notes = append(notes, "cannot be read")
	}
	if f.Cut() > 0 {
		notes = append(notes, "diff incomplete")
	} else if len(f.Diffs) > 1 {
		notes = append(notes, numbers.Count(len(f.Diffs), "diff"))
	}
	return strings.Join(notes, " · ")
}

// notes say the same in full.
func (f *File) notes() []string {
	var notes []string
	switch f.Disk {
	case DiskOther:
		notes = append(notes, "The file has changed since this conversation last wrote it.")
	case DiskGone:
		notes = append(notes, "The file is no longer there.")
	case DiskUnreadable:
		notes = append(notes, "The file on disk cannot be read, so it may differ from this diff.")
	}
	if n := f.Cut(); n > 0 {
		notes = append(notes, "The log has this diff only in part: "+numbers.Count(n, "line")+" of it were not recorded.")
	} else if len(f.Diffs) > 1 {
		notes = append(notes, "The text before the first edit is not known, so the edits follow each other.")
	}
	return notes
}

// rows is the diff of a file as it is drawn.
func (m *Model) rows(i int) []string { return m.diff(i).rows }

// diff is the diff of a file, with what stands above it.
func (m *Model) diff(i int) drawn {
	if i < 0 || i >= len(m.content.Files) {
		return drawn{}
	}
	width := m.diffWidth()
	if d := m.drawn[i]; d.width == width {
		return d
	}
	s, f := m.styles.Pane, &m.content.Files[i]
	head := pane.Between(s.Title.Render(pane.Clip(safe(f.Name), width)), s.Detail.Render(m.detail(f)), width)
	rows := []string{head}
	for _, note := range f.notes() {
		rows = append(rows, pane.Each(s.Warning, pane.Wrap(note, width))...)
	}
	rows = append(rows, "")
	text := make([]int, len(rows), len(rows)+64)
	for n, part := range f.Diffs {
		if n > 0 {
			rows, text = append(rows, "", rule(s.Rule, "next edit", width), ""), append(text, 0, 0, 0)
		}
		drawn, _ := m.styles.Diff.Draw(part, width, diffview.Options{Context: -1, Fill: true})
		if len(drawn) == 0 {
			drawn = []string{s.Muted.Render(pane.Clip("Nothing is left of the changes: they were undone.", width))}
		}
		for range drawn {
			text = append(text, diffview.Gutter(part, width))
		}
		rows = append(rows, drawn...)
	}
	m.drawn[i] = drawn{width, rows, text}
	return m.drawn[i]
}

// rule is a line with a word in it.
func rule(style lipgloss.Style, word string, width int) string {
	return style.Render(pane.Clip("── "+word+" "+strings.Repeat("─", max(0, width-ansi.StringWidth(word)-4)), width))
}

// detail is how much a file changed.
func (m *Model) detail(f *File) string {
	made := numbers.Count(f.Edits, "edit")
	if f.Created() {
		made = "new file · " + made
	}
	return made + "  " + diffview.Stat(f.Stat())
}
