package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/updates"
	"plimsoll/conversation/plain"
	"plimsoll/tui/alert"
	"plimsoll/tui/cells"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// The screen is the chat or the view in sight, with dialogs over it.

// terminal is the terminal's size, and what was drawn last.
type terminal struct {
	width, height int
	view          tea.View
	stale         bool // something happened since view was drawn
	clusters      bool // the terminal measures by grapheme cluster
	mouse         bool // the mouse is used
}

// resize gives the parts another screen.
func (m *Model) resize(width, height int) tea.Cmd {
	t := &m.terminal
	first := t.width == 0 && t.height == 0
	t.width, t.height = max(0, width), max(0, height)
	m.chat.resize(t.width, t.height)
	m.dialogs.stack.SetSize(width, height)
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

// measures notes whether the terminal knows mode 2027, and so measures by grapheme
// cluster.
func (t *terminal) measures(msg tea.ModeReportMsg) bool {
	if msg.Mode == ansi.ModeUnicodeCore {
		t.clusters = t.clusters || msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet
	}
	return t.clusters
}

// inSight is the view and the dialog that get the keys.
func (m *Model) keyTarget() keyTarget { return keyTarget{m.views.top(), m.dialogs.stack.Top()} }

// around is what the lines of the chat tell of the other parts.
func (m *Model) surroundings() surroundings {
	return surroundings{snackbar: m.snackbar.textAt(m.keyTarget()), bad: m.snackbar.bad, covered: m.views.top() != nil,
		question: m.dialogs.waiting(), reviewing: m.views.reviewing()}
}

// layout gives every part its place. It runs after every message.
func (m *Model) layout() {
	m.terminal.stale = true
	m.views.resize()
	m.chat.layout(m.surroundings())
}

// minStatusHeight is the height from which on the status line has its place below a
// view also while it is empty.
const minStatusHeight = 12

// belowView tells which lines stand below a view.
func (m *Model) linesBelow(v fullView) (status, gauge bool) {
	h := m.terminal.height
	return h >= minStatusHeight || h >= 4 && !m.chat.status(m.surroundings()).empty(), v.hasGaugeLine() && h >= 3
}

// room is the size that a view has, 0 while there is no terminal.
func (m *Model) room(v fullView) (width, height int) {
	t := &m.terminal
	if t.width == 0 || t.height == 0 {
		return 0, 0
	}
	status, gauge := m.linesBelow(v)
	return t.width, max(1, t.height-count(status, gauge))
}

// fullContent is the screen with a view, and where one types.
func (m *Model) fullContent(v fullView) (string, *tea.Cursor) {
	lines := []string{v.View()}
	status, gauge := m.linesBelow(v)
	if status {
		lines = append(lines, m.chat.status(m.surroundings()).view())
	}
	if gauge {
		lines = append(lines, m.chat.gaugeLine())
	}
	return strings.Join(lines, "\n"), v.Cursor()
}

// View is the screen. Drawing it again without a message in between costs
// nothing.
func (m *Model) View() tea.View {
	if m.terminal.stale {
		m.terminal.view = m.draw()
		m.terminal.stale = false
	}
	return m.terminal.view
}

func (m *Model) draw() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.ReportFocus = true, true
	v.WindowTitle, v.ProgressBar = windowTitle(m.session.Title), m.outside.progress.Bar()
	v.BackgroundColor, v.ForegroundColor = m.theme.ground()
	if m.terminal.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	t := &m.terminal
	if t.width == 0 || t.height == 0 {
		return v
	}
	draw := func() (string, *tea.Cursor) { return m.chat.content(m.surroundings()) }
	if top := m.views.top(); top != nil {
		draw = func() (string, *tea.Cursor) { return m.fullContent(top) }
	}
	content, cursor := draw()
	if !t.clusters {
		content = cells.Settled(content, cursor)
	}
	if dialogs := m.dialogs.stack; dialogs.Len() > 0 {
		content, cursor = dialogs.Over(content)
	}
	v.SetContent(t.fitted(content))
	if cursor != nil {
		cursor.X, cursor.Y = min(cursor.X, t.width-1), min(cursor.Y, t.height-1)
		v.Cursor = cursor
	}
	return v
}

// Below this size the parts cannot be laid out and are cut.
const (
	minWidth  = 24
	minHeight = 10
)

// fitted cuts what does not fit a very small terminal.
func (t *terminal) fitted(content string) string {
	if t.width >= minWidth && t.height >= minHeight {
		return content
	}
	lines := strings.Split(content, "\n")
	lines = lines[:min(len(lines), t.height)]
	for i, l := range lines {
		if ansi.StringWidth(l) > t.width {
			lines[i] = ansi.Truncate(l, t.width, "")
		}
	}
	return strings.Join(lines, "\n")
}

// windowTitle is the terminal's title.
func windowTitle(title string) string {
	if title == "" {
		return "plimsoll"
	}
	return "plimsoll · " + plain.Line(title)
}

// outside holds what the terminal shows around the screen: its title, its progress bar, and
// notifications while the user is away.
type outside struct {
	watch    alert.Watch
	progress alert.Progress
	title    string          // as it is shown
	bar      tea.ProgressBar // as it is shown
}

// outsideMsg has the library look at what it shows around the screen: most updates need
// nothing of it but the next frame, and do not wake it.
type outsideMsg struct{}

// touched notes a message that comes from somebody who looks.
func (o *outside) userActed(msg tea.Msg, now func() time.Time) {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		o.watch.Touched(now())
	}
}

// reported asks a terminal that tells of its modes whether it tells of the focus, and notes
// the answer.
func (o *outside) reported(msg tea.ModeReportMsg) tea.Cmd {
	switch {
	case msg.Mode == ansi.ModeSynchronizedOutput:
		return tea.Raw(ansi.RequestModeFocusEvent)
	case msg.Mode == ansi.ModeFocusEvent && (msg.Value.IsSet() || msg.Value.IsReset()):
		o.watch.Reports()
	}
	return nil
}

// focus notes whether the terminal has the focus.
func (m *Model) focus(has bool) tea.Cmd {
	m.outside.watch.Focus(has, m.env.Now())
	return tea.Batch(m.outside.notifyUser(m.session), m.do(m.chat.focus(has)), m.do(m.session.setLooking(has)))
}

// show has the terminal show what changed around the screen.
func (o *outside) show(s *session) tea.Cmd {
	a, state := &s.activity, alert.None
	switch {
	case !s.env.Progress:
	case a.status.Phase == updates.Asking:
		state = alert.Asking
	case a.moves():
		state = alert.Busy
	case o.watch.Failed():
		state = alert.Failed
	}
	beat, title, bar := o.progress.Show(state), windowTitle(s.Title), tea.ProgressBar{}
	if shown := o.progress.Bar(); shown != nil {
		bar = *shown
	}
	if title == o.title && bar == o.bar {
		return beat
	}
	o.title, o.bar = title, bar
	return tea.Batch(beat, func() tea.Msg { return outsideMsg{} })
}

// call notifies the user of what happened while he was away.
func (o *outside) notifyUser(s *session) tea.Cmd {
	text, ctx, notify := o.watch.Due(s.Title), s.env.ctx, s.env.Notify
	if text == "" || notify == nil {
		return nil
	}
	return func() tea.Msg {
		sequence := notify(ctx, text)
		if sequence == "" {
			return nil
		}
		return tea.RawMsg{Msg: sequence}
	}
}

// snackbar is a short message to the user above the composer. It stands for a while,
// and only where it was shown.
type snackbar struct {
	text string
	bad  bool
	seq  int // tells an old timer from the newest

	fresh bool      // it is new, about what comes into sight
	about keyTarget // what it stands below; elsewhere it is not shown
}

// sight is what gets the keys: a view, and a dialog over it. The zero value is the
// conversation.
type keyTarget struct {
	view   fullView
	dialog overlay.Dialog
}

const snackbarFor = 4 * time.Second

// show shows another message.
func (s *snackbar) show(text string, bad bool) tea.Cmd {
	*s = snackbar{text: text, bad: bad, seq: s.seq + 1, fresh: true}
	seq := s.seq
	return later(snackbarFor, func() pane.Action {
		s.hide(seq)
		return nil
	})
}

// place ties a new message to what is in sight.
func (s *snackbar) place(at keyTarget) {
	if s.fresh {
		s.fresh, s.about = false, at
	}
}

// textAt is the message, "" without one and where it is about something else than what
// is in sight.
func (s *snackbar) textAt(at keyTarget) string {
	if s.fresh || s.about == at {
		return s.text
	}
	return ""
}

// over ends a snackbar, unless a newer one stands there.
func (s *snackbar) hide(seq int) {
	if seq == s.seq {
		s.text = ""
	}
}

// repeat is a key that does something when it is pressed again while the snackbar says so.
type repeat struct{ seq int } // of the snackbar

// again reports whether that is still in sight, and forgets it.
func (r *repeat) again(n *snackbar, at keyTarget) bool {
	again := r.seq != 0 && r.seq == n.seq && n.textAt(at) != ""
	r.seq = 0
	return again
}
