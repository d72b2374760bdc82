package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// The screen from top to bottom: header, rule, transcript, status line, waiting
// messages, composer, gauge, hints. When there is little height the rule goes
// first, then the hints and the empty status line, then the header, then the
// box around the composer; the gauge always stays. The screen has exactly the
// height of the terminal, and no line is wider.

// screen is the terminal's size, what stands where, and what was drawn last.
type screen struct {
	width, height int
	plan          plan
	view          tea.View
	stale         bool // something happened since view was drawn
	clusters      bool // the terminal measures by grapheme cluster
}

// plan is what stands where.
type plan struct {
	header, rule, status, hints bool
	intro                       []string // of an empty conversation
	body                        int      // lines of the transcript
	job                         jobPlace // of the summary that is being written
	queued                      []string // messages that wait
	composer                    int      // lines of the composer
}

// top is the first line of the transcript.
func (p plan) top() int { return count(p.header, p.rule) + len(p.intro) }

// composerTop is the first line of the composer.
func (p plan) composerTop() int {
	return p.top() + p.body + count(p.job.below(p.body), p.status) + len(p.queued)
}

func count(flags ...bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

// resize gives the parts another screen.
func (m *Model) resize(width, height int) tea.Cmd {
	first := m.screen.width == 0 && m.screen.height == 0
	m.screen.width, m.screen.height = max(0, width), max(0, height)
	m.composer.SetSize(width, height)
	m.overlays.SetSize(width, height)
	if first {
		return nil
	}
	return redraw
}

// wholeScreen makes all of the screen scroll again and leaves the cursor where
// it is.
const wholeScreen = "\x1b7\x1b[r\x1b8"

// redraw draws everything anew. A frame that was on its way while the terminal
// got another size confines scrolling to the rows of the old one, and then the
// lines of the next frames go astray.
func redraw() tea.Msg {
	return tea.Sequence(tea.Raw(wholeScreen), tea.ClearScreen)()
}

// layout gives every part its place. It runs after every message.
func (m *Model) layout() {
	s := &m.screen
	s.stale = true
	if s.width == 0 || s.height == 0 {
		return
	}
	m.placeView()
	m.gauge.SetCold(m.cacheCold())
	p := plan{header: s.height >= 8, rule: s.height >= 16, status: s.height >= 10, hints: s.height >= 10}
	p.composer = min(m.composer.Height(), s.height-1)
	room := s.height - 1 - p.composer - count(p.header, p.rule, p.status, p.hints)
	if !p.status && room >= 2 && m.hasStatus() {
		p.status = true
		room--
	}
	const leastBody = 3
	if lines := min(maxQueued, max(room-leastBody, min(1, room-1))); lines > 0 {
		p.queued = m.queuedLines(lines)
	}
	p.body = max(0, room-len(p.queued))
	m.transcript.SetSize(s.width, p.body)
	if !m.transcript.Said() {
		p.intro = m.intro(p.body)
		p.body -= len(p.intro)
		m.transcript.SetSize(s.width, p.body)
	}
	m.placeJob(&p)
	s.plan = p
}

// intro is the welcome, where the notices leave room for it.
func (m *Model) intro(room int) []string {
	const around = 8 // lines of everything else, while no list is open
	lines := m.welcome(false)
	if len(lines) > m.screen.height-around {
		lines = m.welcome(true)
	}
	return lines[:max(0, min(len(lines), room-m.transcript.Needs(room)))]
}

// gaugeLine is the gauge, or its place while nothing is known to measure.
func (m *Model) gaugeLine() string {
	r := m.reading()
	if !m.talk.open && r.AfterSend == 0 {
		return ansi.Truncate(" "+m.look.status().subtle.Render("measuring…"), m.screen.width, "")
	}
	return m.gauge.View(r, m.screen.width)
}

// View is the screen. Drawing it again without a message in between costs
// nothing.
func (m *Model) View() tea.View {
	if m.screen.stale {
		m.screen.view = m.draw()
		m.screen.stale = false
	}
	return m.screen.view
}

func (m *Model) draw() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle = m.windowTitle()
	if m.options.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.screen.width == 0 || m.screen.height == 0 {
		return v
	}
	draw := m.content
	if top := m.views.top(); top != nil {
		draw = func() (string, *tea.Cursor) { return m.fullContent(top) }
	}
	content, cursor := draw()
	if !m.screen.clusters {
		content = settled(content, cursor)
	}
	if m.overlays.Len() > 0 {
		content, cursor = m.overlays.Over(content), m.overlays.Cursor()
	}
	v.SetContent(m.fitted(content))
	if cursor != nil {
		cursor.X, cursor.Y = min(cursor.X, m.screen.width-1), min(cursor.Y, m.screen.height-1)
		v.Cursor = cursor
	}
	return v
}

// content is the lines of the screen, and where one types.
func (m *Model) content() (string, *tea.Cursor) {
	p, st, width := m.screen.plan, m.look.status(), m.screen.width
	lines := make([]string, 0, 16+len(p.intro))
	if p.header {
		lines = append(lines, header(st, m.talk.Title, m.talk.Model.Name(), m.talk.Model.Badge, m.options.Place, width))
	}
	if p.rule {
		lines = append(lines, rule(st, width))
	}
	lines = append(lines, p.intro...)
	if p.body > 0 {
		lines = append(lines, m.withJob(m.transcript.View()))
	}
	if p.status {
		lines = append(lines, m.statusLine())
	}
	lines = append(lines, p.queued...)
	box, cursor := m.box()
	if p.composer > 0 {
		lines = append(lines, box)
	}
	lines = append(lines, m.gaugeLine())
	if p.hints {
		lines = append(lines, m.hints())
	}
	return strings.Join(lines, "\n"), cursor
}

// boxBegins is the first line of the composer that has room.
func (m *Model) boxBegins() int {
	tall, room := m.composer.Height(), m.screen.plan.composer
	if cursor := m.composer.Cursor(); room < tall && cursor != nil {
		return min(cursor.Y, tall-room)
	}
	return 0
}

// box is the composer, or the lines around its cursor if there is no room for
// all of it.
func (m *Model) box() (string, *tea.Cursor) {
	p, view, cursor := m.screen.plan, m.composer.View(), m.composer.Cursor()
	first := m.boxBegins()
	if p.composer < m.composer.Height() && cursor != nil {
		view = strings.Join(strings.Split(view, "\n")[first:first+p.composer], "\n")
	}
	if cursor == nil || p.composer == 0 {
		return view, nil
	}
	cursor.Y += p.composerTop() - first
	return view, cursor
}

// Below this size the parts cannot be laid out and are cut.
const (
	leastWidth  = 24
	leastHeight = 10
)

// fitted cuts what does not fit a very small terminal.
func (m *Model) fitted(content string) string {
	s := m.screen
	if s.width >= leastWidth && s.height >= leastHeight {
		return content
	}
	lines := strings.Split(content, "\n")
	lines = lines[:min(len(lines), s.height)]
	for i, l := range lines {
		if ansi.StringWidth(l) > s.width {
			lines[i] = ansi.Truncate(l, s.width, "")
		}
	}
	return strings.Join(lines, "\n")
}

// pausedNotes say that summaries are paused, the longest first.
var pausedNotes = [...]string{"summaries paused · /compact tries again", "summaries paused"}

// pausedNote is the longest of them that leaves room for the first hint, "" if
// none does or nothing is paused.
func (m *Model) pausedNote(room int, first string) string {
	if !m.talk.paused {
		return ""
	}
	for _, note := range pausedNotes {
		if ansi.StringWidth(note)+2+ansi.StringWidth(first) <= room {
			return note
		}
	}
	return ""
}

// hints is the bottom line: the most useful keys, whether the meter may count on
// summaries, and the permission mode.
func (m *Model) hints() string {
	st, keys, width := m.look.status(), m.options.Keys.Composer.Writing, m.screen.width
	mode := string(m.talk.Mode)
	if m.talk.ReadOnly != "" {
		mode = "read-only"
	}
	if m.talk.Following {
		mode += " · following"
	}
	mode = ansi.Truncate(mode, max(0, width-2), "")
	hint := func(b key.Binding, what string) string {
		if !b.Enabled() {
			return ""
		}
		return b.Help().Key + " " + what
	}
	newline, _, _ := strings.Cut(hint(keys.Newline, "newline"), " (")
	room, text := width-ansi.StringWidth(mode)-3, ""
	note := m.pausedNote(room, hint(keys.Send, "send"))
	if note != "" {
		room -= ansi.StringWidth(note) + 2
	}
	for _, h := range []string{hint(keys.Send, "send"), newline, "/ commands", "@ files", hint(keys.Help, "help")} {
		next := text
		if next != "" && h != "" {
			next += " · "
		}
		if next += h; ansi.StringWidth(next) > room {
			break
		}
		text = next
	}
	right := st.accent.Render(mode)
	if note != "" {
		right = st.warning.Render(note) + "  " + right
	}
	gap := max(1, width-2-ansi.StringWidth(text)-ansi.StringWidth(right))
	return ansi.Truncate(" "+st.subtle.Render(text)+strings.Repeat(" ", gap)+right, width, "")
}

// windowTitle is the terminal's title.
func (m *Model) windowTitle() string {
	if m.talk.Title == "" {
		return "plimsoll"
	}
	return "plimsoll · " + plain.Line(m.talk.Title)
}

// Farewell is the last exchange as plain text, for the scrollback.
func (m *Model) Farewell() string { return m.transcript.LastExchange() }
