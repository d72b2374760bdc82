package tui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/tui/pane"
)

// Full-screen views cover the screen except the gauge and the status line, which show how
// the conversation continues. They are a stack: closing one shows the one below it.
// Dialogs, such as approvals, open over them.

// fullView is a full-screen view.
type fullView interface {
	SetSize(width, height int)
	// View has exactly the size that SetSize set.
	View() string
	// Cursor returns the text cursor, or nil.
	Cursor() *tea.Cursor
	// Update handles a key, a paste or the mouse, and returns an action for the screen.
	Update(msg tea.Msg) pane.Action
	// renew shows the newest state of the conversation.
	renew(v *views)
	// restyle sets the styles of a theme.
	restyle(l themeStyles)
	// hasGaugeLine reports whether the line of the gauge is shown below the view. A
	// view with a gauge of its own needs none.
	hasGaugeLine() bool
}

// actor is a view with actions that no other view has.
type actor interface {
	act(v *views, a pane.Action) pane.Action
}

// closer is a view with running work that ends when it is closed.
type closer interface{ closed() }

// views is the stack of full-screen views.
type views struct {
	env     *env
	session *session
	styles  themeStyles
	room    func(one fullView) (width, height int)                     // size of a view, 0 while unknown
	reading func() meter.Reading                                       // of the meter, with the draft
	gauges  func(a, b meter.Reading, width int) (before, after string) // draws two gauges to compare
	inRun   map[string]runSetting                                      // settings of this run, by key

	stack    []fullView     // the visible one last
	due      tea.Cmd        // a command of the visible view that is not started yet
	stale    bool           // the conversation changed since the visible view was renewed
	previews []*previewView // for each unanswered preview request, the view that made it, oldest first
	review   *reviewView    // of the pending summary, with the user's changes; nil until it is opened
}

func (v *views) top() fullView {
	if len(v.stack) == 0 {
		return nil
	}
	return v.stack[len(v.stack)-1]
}

// open shows a view over the visible one.
func (v *views) open(one fullView) pane.Action {
	one.restyle(v.styles)
	v.stack = append(v.stack, one)
	v.show(one)
	return transcriptCovered{}
}

// show sets the size and the newest state of a view that becomes visible.
func (v *views) show(one fullView) {
	v.resize()
	one.renew(v)
}

// close closes the visible view.
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

// closeAll closes all views except kept, which may be nil.
func (v *views) closeAll(kept fullView) {
	v.stack = slices.DeleteFunc(v.stack, func(one fullView) bool {
		if one == kept {
			return false
		}
		end(one)
		return true
	})
}

// remove removes a view from the stack.
func (v *views) remove(one fullView) {
	v.stack = slices.DeleteFunc(v.stack, func(o fullView) bool { return o == one })
}

// end ends the running work of a closed view.
func end(one fullView) {
	if c, ok := one.(closer); ok {
		c.closed()
	}
}

// markStale records that the conversation changed.
func (v *views) markStale() { v.stale = true }

// renew renews the visible view if the conversation changed since, once for all
// changes.
func (v *views) renew() {
	if one := v.top(); one != nil && v.stale {
		v.stale = false
		one.renew(v)
	}
}

// takeCommand returns the pending command of the visible view, once.
func (v *views) takeCommand() tea.Cmd {
	due := v.due
	v.due = nil
	return due
}

// resize sets the size of the visible view.
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
	v.styles = l
	for _, one := range v.stack {
		one.restyle(l)
	}
}

// dispatch passes a message to the visible view. It returns Ignored if the view does not use it.
func (v *views) dispatch(msg tea.Msg) pane.Action {
	one := v.top()
	action := one.Update(msg)
	if own, ok := one.(actor); ok {
		return own.act(v, action)
	}
	return action
}

// cannotOpen returns a snackbar that says why no view of the conversation can open, or nil.
func (v *views) cannotOpen() pane.Action {
	if v.session.open {
		return nil
	}
	return refuse(v.session.refusal())
}

// Updates go to the views that show them.

// update passes an update to the views that show it.
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

// redoKey returns what redoes a compaction: the key of the history if that is the visible
// view, or the command.
func (v *views) redoKey() string {
	b := key.Binding{}
	if _, history := v.top().(*historyView); history {
		b = v.env.Keys.History.Redo
	}
	return keyOr(b, "/redo-compact")
}

// reset closes the views of a conversation that was left, except kept.
func (v *views) reset(kept *searchView) {
	v.previews, v.review = nil, nil
	v.closeAll(kept)
}
