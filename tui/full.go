package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

// Some views have all of the screen but the line of the gauge and the status line:
// the conversation goes on below them. They are a stack: closing one shows the one
// it was opened from. Dialogs stand over them, and what asks for an approval does.

// fullView is a view that has all of the screen.
type fullView interface {
	SetSize(width, height int)
	// View has exactly the size that was given.
	View() string
	// Cursor is where one types, nil where one does not.
	Cursor() *tea.Cursor
	// Update takes a key, a paste or the mouse, and returns what the screen has to do about it.
	Update(msg tea.Msg) pane.Action
	// renew takes over how the conversation stands by now.
	renew(m *Model) tea.Cmd
	// restyle takes over the colours.
	restyle(l look)
	// gauged reports whether the line of the gauge stands below the view. One that
	// has a gauge of its own needs none.
	gauged() bool
}

// actor is a view with actions that no other view has.
type actor interface {
	act(m *Model, a pane.Action) tea.Cmd
}

// leaver is a view for which something goes on that ends when it is closed.
type leaver interface{ left() }

// views is the stack of full-screen views, the one in sight last.
type views struct {
	stack []fullView
	stale bool // the conversation went on since the one in sight was renewed
}

func (v *views) top() fullView {
	if len(v.stack) == 0 {
		return nil
	}
	return v.stack[len(v.stack)-1]
}

// open shows a view over the one in sight.
func (m *Model) open(v fullView) tea.Cmd {
	m.transcript.ClearSelection()
	v.restyle(m.look)
	m.views.stack = append(m.views.stack, v)
	m.placeView()
	return v.renew(m)
}

// closeView closes the view in sight.
func (m *Model) closeView() tea.Cmd {
	if n := len(m.views.stack); n > 0 {
		leave(m.views.stack[n-1:])
		m.views.stack = m.views.stack[:n-1]
	}
	if v := m.views.top(); v != nil {
		m.placeView()
		return v.renew(m)
	}
	return nil
}

// closeViews closes all of them.
func (m *Model) closeViews() { m.closeViewsBut(nil) }

// closeViewsBut closes all but one, if that is open.
func (m *Model) closeViewsBut(kept fullView) {
	var stay []fullView
	for _, v := range m.views.stack {
		if v == kept {
			stay = append(stay, v)
			continue
		}
		leave([]fullView{v})
	}
	m.views.stack = stay
}

// leave ends what goes on for views that are closed.
func leave(closed []fullView) {
	for _, v := range closed {
		if l, ok := v.(leaver); ok {
			l.left()
		}
	}
}

// renewView tells the view in sight that the conversation went on.
func (m *Model) renewView() tea.Cmd {
	v := m.views.top()
	if v == nil || !m.views.stale {
		return nil
	}
	m.views.stale = false
	return v.renew(m)
}

// updateView gives a message to a view and does what it asks for.
func (m *Model) updateView(v fullView, msg tea.Msg) tea.Cmd {
	switch a := v.Update(msg).(type) {
	case nil:
	case pane.Ignored:
		return m.unhandled(msg)
	case pane.Closed:
		return m.closeView()
	case pane.Jump:
		return m.openHistoryAt(a.Event, "")
	case pane.Pin:
		return m.pin(a.Events, a.Pinned)
	case pane.Mask:
		return m.mask(a.Events)
	case pane.Undo:
		return m.undoCompaction(a.Epoch)
	case pane.Redo:
		return m.slashRedoCompact("")
	case pane.Restore:
		return m.slashRedo("")
	case pane.Preview:
		return m.previewAny()
	case pane.Say:
		return m.say(a.Text, a.Bad)
	default:
		if own, ok := v.(actor); ok {
			return own.act(m, a)
		}
	}
	return nil
}

// unhandled handles what a view has no use for.
func (m *Model) unhandled(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		cmd, _ := m.everywhere(k)
		return cmd
	}
	return nil
}

// leastStatus is the height from which on the status line has its place below a
// view also while it is empty.
const leastStatus = 12

// belowView tells which lines stand below a view.
func (m *Model) belowView(v fullView) (status, gauge bool) {
	h := m.screen.height
	return h >= leastStatus || h >= 4 && m.hasStatus(), v.gauged() && h >= 3
}

// placeView gives the view in sight its size.
func (m *Model) placeView() {
	v := m.views.top()
	if v == nil || m.screen.width == 0 || m.screen.height == 0 {
		return
	}
	status, gauge := m.belowView(v)
	v.SetSize(m.screen.width, max(1, m.screen.height-count(status, gauge)))
}

// fullContent is the screen with a view, and where one types.
func (m *Model) fullContent(v fullView) (string, *tea.Cursor) {
	lines := []string{v.View()}
	status, gauge := m.belowView(v)
	if status {
		lines = append(lines, m.statusLine())
	}
	if gauge {
		lines = append(lines, m.gaugeLine())
	}
	return strings.Join(lines, "\n"), v.Cursor()
}
