package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// All work that takes time or does I/O is a command. A command takes a ctx, does not access
// the screen, and returns a function that Update calls with its result.

type commandResult struct {
	err  error // why the request failed; then shows it
	then func() pane.Action
}

// doAsync runs work in a command, and calls then in Update with its result.
func doAsync[T any](work func() (T, error), then func(T, error) pane.Action) tea.Cmd {
	return func() tea.Msg {
		got, err := work()
		return commandResult{err, func() pane.Action { return then(got, err) }}
	}
}

// tryAsync is doAsync for work that returns only an error.
func (e *env) tryAsync(work func(ctx context.Context) error, then func(error) pane.Action) tea.Cmd {
	ctx := e.ctx
	return doAsync(func() (any, error) { return nil, work(ctx) }, func(_ any, err error) pane.Action { return then(err) })
}

// failureSnackbar returns a snackbar with an error; nil for no error.
func failureSnackbar(err error) pane.Action {
	if err == nil {
		return nil
	}
	return refusal(err.Error())
}

// afterDelay calls then in Update once d has passed.
func afterDelay(d time.Duration, then func() pane.Action) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return commandResult{then: then} })
}

// readAction reads something that the user requested. If no key was pressed meanwhile, Update calls show, which
// shows the result; otherwise it calls late, which says where the result is.
type readAction func(ctx context.Context) (show, late func() pane.Action, err error)

// newReadAction returns a readAction that calls fetch; lateText is the snackbar if the user pressed another key meanwhile.
func newReadAction[T any](fetch func(ctx context.Context) (T, error), lateText string, show func(T) pane.Action) pane.Action {
	return readAction(func(ctx context.Context) (func() pane.Action, func() pane.Action, error) {
		got, err := fetch(ctx)
		return func() pane.Action { return show(got) }, func() pane.Action { return textSnackbar(lateText) }, err
	})
}

func (m *Model) runRead(r readAction) tea.Cmd {
	ctx, keysBefore := m.env.ctx, m.keyboard.allKeys
	return func() tea.Msg {
		show, late, err := r(ctx)
		return commandResult{err, func() pane.Action {
			switch {
			case err != nil:
				return requestFailed{err}
			case keysBefore != m.keyboard.allKeys || m.dialogs.stack.Len() > 0:
				return late()
			}
			return show()
		}}
	}
}

func (e *env) openStored(id string) func(context.Context) (Conversation, error) {
	b := e.Backend
	return func(ctx context.Context) (Conversation, error) { return b.Resume(ctx, id) }
}

// waitForUpdates waits for the next updates. Only one runs at a time, so that they stay in order.
func (e *env) waitForUpdates(s Session) tea.Cmd {
	ctx := e.ctx
	return func() tea.Msg {
		list, err := s.Take(ctx)
		return updatesMsg{from: s, list: list, ended: err != nil}
	}
}

// loadPage shows a page of text; what was written to a file always goes into the transcript.
func (e *env) loadPage(title, page, about string) pane.Action {
	b := e.Backend
	return readAction(func(ctx context.Context) (show, late func() pane.Action, err error) {
		text, err := b.Page(ctx, page, about)
		late = func() pane.Action { return output{title, text} }
		if page == PageExport || page == PageShare {
			return late, late, err
		}
		return func() pane.Action { return openDialog{dialog.NewText(title, text)} }, late, err
	})
}

func (e *env) switchModel(name string) pane.Action {
	b := e.Backend
	return changeModel{func(ctx context.Context) error { return b.SwitchModel(ctx, name) }}
}

// rememberPrompt keeps a message for the prompt history.
func (e *env) rememberPrompt(text string) tea.Cmd {
	b := e.Backend
	return e.tryAsync(func(ctx context.Context) error {
		if err := b.Remember(ctx, text); err != nil {
			return fmt.Errorf("keeping the prompt history: %w", err)
		}
		return nil
	}, failureSnackbar)
}

// openEditor opens a text in the user's editor, which uses the terminal meanwhile; done gets the edited text.
func (e *env) openEditor(text string, done func(text string)) tea.Cmd {
	ctx, edit := e.ctx, e.Edit
	return func() tea.Msg {
		run, read, err := edit(ctx, text)
		return commandResult{err, func() pane.Action {
			if err != nil {
				return requestFailed{err}
			}
			return run(readEdited(read, done))
		}}
	}
}

func readEdited(read func() (string, error), done func(text string)) tea.ExecCallback {
	return func(err error) tea.Msg {
		text, failed := read()
		if err == nil {
			err = failed
		}
		return commandResult{then: func() pane.Action {
			if err == nil {
				done(text)
			}
			return requestFailed{err}
		}}
	}
}

// updatesMsg holds the updates of a conversation since the last one. ended
// means that no more will follow.
type updatesMsg struct {
	from  Session
	list  []updates.Update
	ended bool
}

// tickMsg moves spinners and elapsed seconds while something runs.
type tickMsg struct {
	chat *chat
	at   time.Time
}
