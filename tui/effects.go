package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// All work that takes time or does I/O is a command. A command takes a ctx, does not access
// the screen, and returns a function that Update calls with its result.

// result is what a command returns.
type result struct {
	err  error // why the request failed; then shows it
	then func() pane.Action
}

// after runs work in a command, and calls then in Update with its result.
func after[T any](work func() (T, error), then func(T, error) pane.Action) tea.Cmd {
	return func() tea.Msg {
		got, err := work()
		return result{err, func() pane.Action { return then(got, err) }}
	}
}

// attempt is after for work without a result other than an error.
func (e *env) attempt(work func(ctx context.Context) error, then func(error) pane.Action) tea.Cmd {
	ctx := e.ctx
	return after(func() (any, error) { return nil, work(ctx) }, func(_ any, err error) pane.Action { return then(err) })
}

// failure returns a snackbar with an error; nil for no error.
func failure(err error) pane.Action {
	if err == nil {
		return nil
	}
	return refuse(err.Error())
}

// changed ends a change of the model or its window.
func changed(err error) pane.Action { return switched{err} }

// later calls then in Update after a time.
func later(d time.Duration, then func() pane.Action) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return result{then: then} })
}

// reading reads something that the user requested. If no key was pressed meanwhile, show
// shows it; otherwise late says where it is.
type reading func(ctx context.Context) (show, late func() pane.Action, err error)

// read returns a reading; words is the snackbar if the user pressed another key meanwhile.
func read[T any](what func(ctx context.Context) (T, error), words string, show func(T) pane.Action) pane.Action {
	return reading(func(ctx context.Context) (func() pane.Action, func() pane.Action, error) {
		got, err := what(ctx)
		return func() pane.Action { return show(got) }, func() pane.Action { return say(words) }, err
	})
}

// runReading carries out a reading.
func (m *Model) runReading(r reading) tea.Cmd {
	ctx, asked := m.env.ctx, m.keyboard.any
	return func() tea.Msg {
		show, late, err := r(ctx)
		return result{err, func() pane.Action {
			switch {
			case err != nil:
				return requestFailed{err}
			case asked != m.keyboard.any || m.dialogs.stack.Len() > 0:
				return late()
			}
			return show()
		}}
	}
}

// resume returns a function that opens another conversation.
func (e *env) resume(id string) func(context.Context) (Conversation, error) {
	b := e.Backend
	return func(ctx context.Context) (Conversation, error) { return b.Resume(ctx, id) }
}

// listen waits for the next updates. Only one runs at a time, so that they stay in order.
func (e *env) listen(s Session) tea.Cmd {
	ctx := e.ctx
	return func() tea.Msg {
		list, err := s.Take(ctx)
		return updatesMsg{from: s, list: list, ended: err != nil}
	}
}

const tickEvery = 200 * time.Millisecond

func tick() tea.Cmd {
	return tea.Tick(tickEvery, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// loadPage shows a page of text; an export always goes into the transcript.
func (e *env) loadPage(title, page, about string) pane.Action {
	b := e.Backend
	return reading(func(ctx context.Context) (show, late func() pane.Action, err error) {
		text, err := b.Page(ctx, page, about)
		late = func() pane.Action { return output{title, text} }
		if page == PageExport {
			return late, late, err
		}
		return func() pane.Action { return openDialog{overlay.NewText(title, text)} }, late, err
	})
}

func (e *env) switchModel(name string) tea.Cmd {
	b := e.Backend
	return e.attempt(func(ctx context.Context) error { return b.SwitchModel(ctx, name) }, changed)
}

// remember keeps a message for the prompt history.
func (e *env) remember(text string) tea.Cmd {
	b := e.Backend
	return e.attempt(func(ctx context.Context) error {
		if err := b.Remember(ctx, text); err != nil {
			return fmt.Errorf("keeping the prompt history: %w", err)
		}
		return nil
	}, failure)
}

// openEditor opens a text in the user's editor, which uses the terminal meanwhile; done
// gets the edited text.
func (e *env) openEditor(text string, done func(text string)) tea.Cmd {
	ctx, edit := e.ctx, e.Edit
	return func() tea.Msg {
		run, read, err := edit(ctx, text)
		return result{err, func() pane.Action {
			if err != nil {
				return requestFailed{err}
			}
			return tea.Exec(run, edited(read, done))
		}}
	}
}

// edited returns the callback that reads the edited text and calls done.
func edited(read func() (string, error), done func(text string)) tea.ExecCallback {
	return func(err error) tea.Msg {
		text, failed := read()
		if err == nil {
			err = failed
		}
		return result{then: func() pane.Action {
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
type tickMsg time.Time

func (t tickMsg) time() time.Time { return time.Time(t) }
