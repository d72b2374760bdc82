package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
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
	// renew takes over the newest state of the conversation.
	renew(v *views)
	// restyle takes over the colours.
	restyle(l themeStyles)
	// gauged reports whether the line of the gauge stands below the view. One that
	// has a gauge of its own needs none.
	hasGaugeLine() bool
}

// actor is a view with actions that no other view has.
type actor interface {
	act(v *views, a pane.Action) pane.Action
}

// closer is a view for which something goes on that ends when it is closed.
type closer interface{ closed() }

// views is the stack of full-screen views.
type views struct {
	env     *env
	session *session
	look    themeStyles
	room    func(one fullView) (width, height int)                     // that a view has, 0 while that is not known
	reading func() meter.Reading                                       // of the gauge, with the draft
	gauges  func(a, b meter.Reading, width int) (before, after string) // two of them, to compare
	inRun   map[string]runSetting                                      // settings of this run, by key

	stack    []fullView     // the one in sight last
	due      tea.Cmd        // what the view in sight wants to know
	stale    bool           // the conversation went on since the one in sight was renewed
	previews []*previewView // that asked for numbers which have not come, by question, oldest first
	review   *reviewView    // of the summary that waits, with what was changed in it; nil until it is opened
}

func (v *views) top() fullView {
	if len(v.stack) == 0 {
		return nil
	}
	return v.stack[len(v.stack)-1]
}

// open shows a view over the one in sight.
func (v *views) open(one fullView) pane.Action {
	one.restyle(v.look)
	v.stack = append(v.stack, one)
	v.show(one)
	return covered{}
}

// show gives a view that comes into sight its size and the newest state.
func (v *views) show(one fullView) {
	v.resize()
	one.renew(v)
}

// close closes the view in sight.
func (v *views) close() pane.Action {
	if n := len(v.stack); n > 0 {
		end(v.stack[n-1])
		v.stack = v.stack[:n-1]
	}
	if one := v.top(); one != nil {
		v.show(one)
	}
	return nil
}

// closeAll closes all of them but one, nil for none.
func (v *views) closeAll(kept fullView) {
	v.stack = slices.DeleteFunc(v.stack, func(one fullView) bool {
		if one == kept {
			return false
		}
		end(one)
		return true
	})
}

// remove takes a view away wherever it lies.
func (v *views) remove(one fullView) {
	v.stack = slices.DeleteFunc(v.stack, func(o fullView) bool { return o == one })
}

// end ends what goes on for a view that is closed.
func end(one fullView) {
	if c, ok := one.(closer); ok {
		c.closed()
	}
}

// outdated notes that the conversation went on.
func (v *views) markStale() { v.stale = true }

// renew tells the view in sight that the conversation went on, once for all that
// happened since.
func (v *views) renew() {
	if one := v.top(); one != nil && v.stale {
		v.stale = false
		one.renew(v)
	}
}

// wanted is what the view in sight wants to know, once.
func (v *views) takeCommand() tea.Cmd {
	due := v.due
	v.due = nil
	return due
}

// resize gives the view in sight its size.
func (v *views) resize() {
	one := v.top()
	if one == nil {
		return
	}
	if width, height := v.room(one); width > 0 && height > 0 {
		one.SetSize(width, height)
	}
}

func (v *views) setTheme(l themeStyles) {
	v.look = l
	for _, one := range v.stack {
		one.restyle(l)
	}
}

// give gives a message to the view in sight. Ignored says that it has no use for it.
func (v *views) dispatch(msg tea.Msg) pane.Action {
	one := v.top()
	action := one.Update(msg)
	if own, ok := one.(actor); ok {
		return own.act(v, action)
	}
	return action
}

// cannotOpen is why no view of the conversation opens, nil if one can.
func (v *views) cannotOpen() pane.Action {
	if v.session.open {
		return nil
	}
	return refuse(v.session.refusal())
}

// What happens in the conversation, and what was read, goes to the views that are about it.

// update gives an update to the views that are about it.
func (v *views) update(u updates.Update) pane.Action {
	switch u := u.(type) {
	case updates.Previewed:
		v.showPreview(u)
	case updates.Reviewing:
		if v.review != nil {
			v.review.Show(v.reviewContent())
		}
	case updates.Reviewed:
		v.closeReview()
	case updates.ModelSwitched:
		return v.readSettings()
	}
	return nil
}

// redoKey is what redoes a compaction where one is: the key of the view in sight, or
// the command. Elsewhere the snackbar is not shown, as the key does something else there.
func (v *views) redoKey() string {
	b := key.Binding{}
	if _, history := v.top().(*historyView); history {
		b = v.env.Keys.History.Redo
	}
	return keyOr(b, "/redo-compact")
}

// reset closes what was about a conversation that is closed; nil keeps nothing.
func (v *views) reset(kept *searchView) {
	v.previews, v.review = nil, nil
	v.closeAll(kept)
}
