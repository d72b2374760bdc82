package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/alert"
	"plimsoll/tui/cells"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
	"plimsoll/tui/welcome"
)

// The screen shows the chat or the top full-screen view, with dialogs over it.

// terminal is the state of the terminal.
type terminal struct {
	width, height int
	byCluster     bool // it measures widths by grapheme cluster
	mouse         bool // the mouse is enabled
}

func (m *Model) resize(width, height int) tea.Cmd {
	t := &m.terminal
	first := t.width == 0 && t.height == 0
	t.width, t.height = max(0, width), max(0, height)
	m.chat.area.width, m.chat.area.height = t.width, t.height
	m.chat.composer.SetSize(pane.Within(t.width), t.height)
	m.dialogs.stack.SetSize(width, height)
	if first {
		return nil
	}
	return redraw
}

// wholeScreen resets the scroll region to the whole screen and keeps the cursor.
const wholeScreen = "\x1b7\x1b[r\x1b8"

// redraw clears and redraws the screen. A frame that was written while the
// terminal was resized can leave a scroll region of the old size, which would
// misplace the lines of the next frames.
func redraw() tea.Msg {
	return tea.Sequence(tea.Raw(wholeScreen), tea.ClearScreen)()
}

// updateClusters records and returns whether the terminal supports mode 2027: it measures widths by grapheme cluster.
func (t *terminal) updateClusters(msg tea.ModeReportMsg) bool {
	if msg.Mode == ansi.ModeUnicodeCore {
		t.byCluster = t.byCluster || msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet
	}
	return t.byCluster
}

func (m *Model) keyTarget() keyTarget { return keyTarget{m.views.topView(), m.dialogs.stack.Top()} }

// surroundings returns the state of other parts that the lines of the chat show.
func (m *Model) surroundings() surroundings {
	return surroundings{snackbar: m.snackbar.textAt(m.keyTarget()), isFailure: m.snackbar.isFailure, viewOpen: m.views.topView() != nil,
		questionWaits: len(m.dialogs.questions) > 0 && m.dialogs.askedCall() == "", askedCall: m.dialogs.askedCall(), reviewVisible: m.views.isReviewVisible()}
}

// minStatusHeight is the minimum height at which the status line is shown below a view
// even while it is empty.
const minStatusHeight = 12

func (m *Model) linesBelow(v fullView) (status, gauge bool) {
	h := m.terminal.height
	gauge = h >= 3
	switch v.(type) {
	case *contextView, *previewView, *settingsView: // they have a gauge of their own
		gauge = false
	}
	return h >= minStatusHeight || h >= 4 && !m.chat.status(m.surroundings()).isEmpty(), gauge
}

// viewSize returns the size of a view, 0 before the size of the terminal is known.
func (m *Model) viewSize(v fullView) (width, height int) {
	t := &m.terminal
	if t.width == 0 || t.height == 0 {
		return 0, 0
	}
	status, gauge := m.linesBelow(v)
	return t.width, max(1, t.height-pane.CountTrue(status, gauge))
}

// fullContent returns the screen with a full-screen view, and the cursor.
func (m *Model) fullContent(v fullView) (string, *tea.Cursor) {
	lines := []string{v.View()}
	status, gauge := m.linesBelow(v)
	if status {
		lines = append(lines, m.chat.status(m.surroundings()).draw())
	}
	if gauge {
		lines = append(lines, pane.Margin(m.terminal.width)+m.chat.gaugeLine(pane.Within(m.terminal.width)))
	}
	var cursor *tea.Cursor
	if text, ok := v.(textView); ok {
		cursor = text.Cursor()
	}
	return strings.Join(lines, "\n"), cursor
}

// View draws the screen. Bubble Tea calls it once after each message.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen, v.ReportFocus = true, true
	v.WindowTitle, v.ProgressBar = windowTitle(m.session), m.signals.progress.Bar()
	v.BackgroundColor, v.ForegroundColor = m.theme.terminalColours()
	if m.terminal.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	t := &m.terminal
	if t.width == 0 || t.height == 0 {
		return v
	}
	draw := func() (string, *tea.Cursor) { return m.chat.content(m.surroundings()) }
	if top := m.views.topView(); top != nil {
		draw = func() (string, *tea.Cursor) { return m.fullContent(top) }
	}
	content, cursor := draw()
	if !t.byCluster {
		content = cells.AdjustScreen(content, cursor)
	}
	if dialogs := m.dialogs.stack; dialogs.Len() > 0 && !dialogs.InFlow() {
		content, cursor = dialogs.Over(content)
	}
	v.SetContent(t.cutToSize(content))
	if cursor != nil {
		cursor.X, cursor.Y = min(cursor.X, t.width-1), min(cursor.Y, t.height-1)
		v.Cursor = cursor
	}
	return v
}

// A terminal below this size cuts the content.
const (
	minWidth  = 24
	minHeight = 10
)

// cutToSize cuts content that does not fit a very small terminal.
func (t *terminal) cutToSize(content string) string {
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

// windowTitle is the mark, how full the window is, and the conversation's title.
func windowTitle(s *session) string {
	words := []string{welcome.Mark, "plimsoll"}
	if s.Title != "" {
		r := s.load.readingWith(conversation.Size{}, 0)
		words = []string{welcome.Mark, pane.Share(r, r.Used), plain.Line(s.Title)}
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// terminalSignals controls what the terminal shows besides the screen: its progress bar, and notifications while the user
// is away.
type terminalSignals struct {
	watch    alert.Watch
	progress alert.Progress
}

// modeReported asks a terminal that reports modes whether it reports the focus, and handles the answer.
func (t *terminalSignals) modeReported(msg tea.ModeReportMsg) tea.Cmd {
	switch {
	case msg.Mode == ansi.ModeSynchronizedOutput:
		return tea.Raw(ansi.RequestModeFocusEvent)
	case msg.Mode == ansi.ModeFocusEvent && (msg.Value.IsSet() || msg.Value.IsReset()):
		t.watch.ExpectFocus()
	}
	return nil
}

// setFocused handles that the terminal got or lost the focus.
func (m *Model) setFocused(has bool) tea.Cmd {
	m.signals.watch.SetFocus(has, m.env.Now())
	m.session.cache.unfocused, m.chat.animation.unfocused = !has, !has
	return tea.Batch(m.signals.notifyUser(m.session), m.do(m.chat.keepTicking()), m.do(m.session.cache.startTimer(m.env)))
}

func (t *terminalSignals) updateBar(s *session) tea.Cmd {
	a, state := &s.activity, alert.None
	switch {
	case !s.env.Progress:
	case a.status.Phase == updates.Asking:
		state = alert.Asking
	case a.isRunning():
		state = alert.Busy
	case t.watch.Failed():
		state = alert.Failed
	}
	return t.progress.Show(state)
}

// notifyUser sends a notification of what happened while the user was away.
func (t *terminalSignals) notifyUser(s *session) tea.Cmd {
	text, ctx, notify := t.watch.TakeDue(s.Title), s.env.ctx, s.env.Notify
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

// snackbar is a short message to the user above the composer. It is shown for snackbarFor,
// and only over the view or dialog it was made for.
type snackbar struct {
	text      string
	isFailure bool
	seq       int // number of the message, so that an old timer does not hide a newer one

	isNew     bool      // it is new, and belongs to what is visible after this message
	belongsTo keyTarget // the view or dialog it belongs to; it is not shown elsewhere
}

// keyTarget is what gets the keys: a view, and a dialog over it. The zero value is the main screen.
type keyTarget struct {
	view   fullView
	dialog dialog.Dialog
}

const snackbarFor = 4 * time.Second

func (s *snackbar) show(text string, bad bool) tea.Cmd {
	*s = snackbar{text: text, isFailure: bad, seq: s.seq + 1, isNew: true}
	seq := s.seq
	return afterDelay(snackbarFor, func() pane.Action {
		s.hide(seq)
		return nil
	})
}

// bindTo binds a new message to the visible view and dialog.
func (s *snackbar) bindTo(at keyTarget) {
	if s.isNew {
		s.isNew, s.belongsTo = false, at
	}
}

// textAt returns the message, or "" if it belongs to another view or dialog than what is visible.
func (s *snackbar) textAt(at keyTarget) string {
	if s.isNew || s.belongsTo == at {
		return s.text
	}
	return ""
}

// hide hides the message, unless a newer one is shown.
func (s *snackbar) hide(seq int) {
	if seq == s.seq {
		s.text = ""
	}
}

// secondPress is a key that acts when it is pressed again while the snackbar that announces this is shown.
type secondPress struct{ snackbarSeq int } // number of that snackbar

// isSecond reports whether the key was pressed before and its snackbar is still visible. It resets p.
func (p *secondPress) isSecond(n *snackbar, at keyTarget) bool {
	again := p.snackbarSeq != 0 && p.snackbarSeq == n.seq && n.textAt(at) != ""
	p.snackbarSeq = 0
	return again
}
