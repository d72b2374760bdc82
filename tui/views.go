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

type fullView interface {
	SetSize(width, height int)
	// View has exactly the size that SetSize set.
	View() string
	// Update handles a key, a paste or the mouse, and returns an action for the screen.
	Update(msg tea.Msg) pane.Action
	// refresh shows the newest state of the conversation.
	refresh(v *views)
	// restyle sets the styles of a theme.
	restyle(ts themeStyles)
}

// actionHandler is a view with actions that no other view has.
type actionHandler interface {
	handleAction(v *views, a pane.Action) pane.Action
}

// textView is a view with a text field.
type textView interface {
	// Cursor returns the text cursor, or nil.
	Cursor() *tea.Cursor
}

// workStopper is a view with running work that ends when it is closed.
type workStopper interface{ stopWork() }

// views is the stack of full-screen views.
type views struct {
	env          *env
	session      *session
	styles       themeStyles
	viewSize     func(view fullView) (width, height int)                    // size of a view, 0 while unknown
	meterReading func() meter.Reading                                       // of the meter, with the draft
	drawGauges   func(a, b meter.Reading, width int) (before, after string) // draws two gauges to compare
	runSettings  map[string]runSetting                                      // settings of this run, by key

	stack          []fullView     // the visible one last
	pendingCommand tea.Cmd        // a command of the visible view that is not started yet
	needsRefresh   bool           // the conversation changed since the visible view was refreshed
	previews       []*previewView // for each unanswered preview request, the view that made it, oldest first
	review         *reviewView    // of the pending summary, with the user's changes; nil until it is opened
}

func (v *views) topView() fullView {
	if len(v.stack) == 0 {
		return nil
	}
	return v.stack[len(v.stack)-1]
}

// open shows a view of the open conversation; without one it says why not.
func (v *views) open(view fullView) pane.Action {
	if !v.session.isOpen {
		return refusal(v.session.whyNotSendable())
	}
	return v.show(view)
}

func (v *views) show(view fullView) pane.Action {
	view.restyle(v.styles)
	v.stack = append(v.stack, view)
	v.activate(view)
	return transcriptCovered{}
}

// activate sets the size and the newest state of a view that becomes visible.
func (v *views) activate(view fullView) {
	v.resize()
	view.refresh(v)
}

func (v *views) close() pane.Action {
	if n := len(v.stack); n > 0 {
		stopViewWork(v.stack[n-1])
		v.stack = v.stack[:n-1]
	}
	if view := v.topView(); view != nil {
		v.activate(view)
	}
	return nil
}

// closeAll closes all views except kept, which may be nil.
func (v *views) closeAll(kept fullView) {
	v.stack = slices.DeleteFunc(v.stack, func(view fullView) bool {
		if view == kept {
			return false
		}
		stopViewWork(view)
		return true
	})
}

func (v *views) remove(view fullView) {
	v.stack = slices.DeleteFunc(v.stack, func(o fullView) bool { return o == view })
}

func stopViewWork(view fullView) {
	if c, ok := view.(workStopper); ok {
		c.stopWork()
	}
}

// markStale records that the conversation changed.
func (v *views) markStale() { v.needsRefresh = true }

// refreshVisible refreshes the visible view if the conversation changed since, once for all changes.
func (v *views) refreshVisible() {
	if view := v.topView(); view != nil && v.needsRefresh {
		v.needsRefresh = false
		view.refresh(v)
	}
}

func (v *views) resize() {
	view := v.topView()
	if view == nil {
		return
	}
	if width, height := v.viewSize(view); width > 0 && height > 0 {
		view.SetSize(width, height)
	}
}

func (v *views) setTheme(ts themeStyles) {
	v.styles = ts
	for _, view := range v.stack {
		view.restyle(ts)
	}
}

// dispatch passes a message to the visible view. It returns Ignored if the view does not use it.
func (v *views) dispatch(msg tea.Msg) pane.Action {
	view := v.topView()
	action := view.Update(msg)
	if handler, ok := view.(actionHandler); ok {
		return handler.handleAction(v, action)
	}
	return action
}

// Updates go to the views that show them.

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

// redoHint returns what redoes a compaction: the key of the history if that is the visible view, or the command.
func (v *views) redoHint() string {
	b := key.Binding{}
	if _, history := v.topView().(*historyView); history {
		b = v.env.Keys.History.Redo
	}
	return keyOr(b, "/redo-compact")
}
