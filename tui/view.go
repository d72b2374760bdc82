package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// The screen from top to bottom: header, rule, transcript, what goes on,
// composer, gauge, hints. When there is little height the rule goes first, then
// the hints, then the header; composer and gauge always stay.

// frame says which lines around the transcript there is room for.
type frame struct {
	header, rule, hints bool
	above               []string
	composer            int // lines
}

func (m *Model) frame() frame {
	f := frame{header: m.height >= 8, rule: m.height >= 16, hints: m.height >= 10, composer: m.composer.Height()}
	room := m.height - f.composer - 1 - count(f.header, f.rule, f.hints)
	f.above = m.status.above(m.look.status(), m.transcript.Unseen(), m.width, max(0, room-1))
	return f
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

// transcriptHeight is what is left for the transcript.
func (m *Model) transcriptHeight(f frame) int {
	return max(0, m.height-f.composer-1-len(f.above)-count(f.header, f.rule, f.hints))
}

// layout gives every part its place. It runs after every message.
func (m *Model) layout() {
	if m.width == 0 {
		return
	}
	m.composer.SetSize(m.width, m.height)
	m.overlays.SetSize(m.width, m.height)
	m.transcript.SetSize(m.width, m.transcriptHeight(m.frame()))
}

// top is the first line of the transcript on the screen.
func (m *Model) top() int {
	return count(m.height >= 8, m.height >= 16)
}

// View is the screen.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle = m.windowTitle()
	if m.options.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.width == 0 || m.height == 0 {
		return v
	}
	content, composerTop := m.screen()
	if m.overlays.Len() > 0 {
		v.SetContent(m.overlays.Over(content))
		v.Cursor = m.overlays.Cursor()
		return v
	}
	v.SetContent(content)
	if c := m.composer.Cursor(); c != nil {
		c.Y += composerTop
		v.Cursor = c
	}
	return v
}

// screen is the lines of the screen, and where the composer begins.
func (m *Model) screen() (content string, composerTop int) {
	f := m.frame()
	st := m.look.status()
	lines := make([]string, 0, 8+len(f.above))
	if f.header {
		lines = append(lines, header(st, m.talk.Title, m.talk.Model.Name(), m.talk.Model.Badge, m.options.Place, m.width))
	}
	if f.rule {
		lines = append(lines, rule(st, m.width))
	}
	height := m.transcriptHeight(f)
	if height > 0 {
		lines = append(lines, m.body(height))
	}
	lines = append(lines, f.above...)
	composerTop = count(f.header, f.rule) + height + len(f.above)
	lines = append(lines, m.composer.View(), m.gauge.View(m.reading(), m.width))
	if f.hints {
		lines = append(lines, m.hints())
	}
	return strings.Join(lines, "\n"), composerTop
}

// body is the transcript, or the welcome while there is none.
func (m *Model) body(height int) string {
	if m.transcript.Empty() {
		return m.welcome(height)
	}
	return m.transcript.View()
}

// hints is the bottom line: the most useful keys, and the permission mode.
func (m *Model) hints() string {
	st := m.look.status()
	mode := string(m.talk.Mode)
	if m.talk.ReadOnly != "" {
		mode = "read only"
	}
	room := m.width - ansi.StringWidth(mode) - 3
	text := ""
	for _, hint := range []string{"enter send", "ctrl+j newline", "/ commands", "@ files", "? help"} {
		next := text
		if next != "" {
			next += " · "
		}
		if next += hint; ansi.StringWidth(next) > room {
			break
		}
		text = next
	}
	gap := max(1, m.width-2-ansi.StringWidth(text)-ansi.StringWidth(mode))
	return ansi.Truncate(" "+st.subtle.Render(text)+strings.Repeat(" ", gap)+st.accent.Render(mode), m.width, "")
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
