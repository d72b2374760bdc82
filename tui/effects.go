package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/tui/changes"
	"plimsoll/tui/composer"
)

// Everything that takes time or touches the world is a command made here. A
// command takes a ctx, returns one message and touches no part of the screen.

const (
	tickEvery   = 200 * time.Millisecond
	snackbarFor = 4 * time.Second
)

// openConversation opens, begins, forks or deletes, as open does.
func (e *env) openConversation(open func(context.Context) (Conversation, error)) tea.Cmd {
	ctx := e.ctx
	return func() tea.Msg {
		c, err := open(ctx)
		return openedMsg{c, err}
	}
}

// resume continues another conversation.
func (e *env) resume(id string) func(context.Context) (Conversation, error) {
	b := e.Backend
	return func(ctx context.Context) (Conversation, error) { return b.Resume(ctx, id) }
}

// listen waits for the next updates. One listener at a time keeps their order.
func (e *env) listen(s Session) tea.Cmd {
	ctx := e.ctx
	return func() tea.Msg {
		list, err := s.Take(ctx)
		return updatesMsg{from: s, list: list, ended: err != nil}
	}
}

// snackbarOver ends a snackbar.
func snackbarOver(seq int) tea.Cmd {
	return tea.Tick(snackbarFor, func(time.Time) tea.Msg { return snackbarOverMsg{seq} })
}

// pauseOver says that a while has passed.
func pauseOver(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return pausedMsg{} })
}

func tick() tea.Cmd {
	return tea.Tick(tickEvery, func(t time.Time) tea.Msg { return tickMsg(t) })
}

func (e *env) loadFiles() tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		files, err := b.Files(ctx)
		if err != nil {
			return doneMsg{fmt.Errorf("listing files for @: %w", err)}
		}
		return filesMsg{files}
	}
}

func (e *env) loadPrompts() tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		texts, err := b.Prompts(ctx)
		if err != nil {
			return doneMsg{fmt.Errorf("reading the prompt history: %w", err)}
		}
		return promptsMsg{texts}
	}
}

// What a key asks for says which key that was, by keyboard.pressed.

func (e *env) loadModels(asked int) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		choices, err := b.Models(ctx)
		return modelsMsg{asked, choices, err}
	}
}

func (e *env) loadConversations(asked int) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		list, err := b.Conversations(ctx)
		return conversationsMsg{asked, list, err}
	}
}

func (e *env) loadPage(title, page, about string, asked int) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	if page == PageExport {
		asked = unasked
	}
	return func() tea.Msg {
		text, err := b.Page(ctx, page, about)
		return pageMsg{asked, title, text, err}
	}
}

func (e *env) loadRules(s Session, asked int) tea.Cmd {
	ctx := e.ctx
	return func() tea.Msg {
		rules, err := s.Rules(ctx)
		return rulesMsg{asked, rules, err}
	}
}

func (e *env) revoke(s Session, r conversation.Rule) tea.Cmd {
	ctx := e.ctx
	return func() tea.Msg { return revokedMsg{r, s.Revoke(ctx, r)} }
}

func (e *env) switchModel(name string) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg { return switchedMsg{b.SwitchModel(ctx, name)} }
}

func (e *env) setWindow(tokens string) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg { return switchedMsg{b.SetWindow(ctx, tokens)} }
}

// remember keeps a message for the prompt history.
func (e *env) remember(text string) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		if err := b.Remember(ctx, text); err != nil {
			return doneMsg{fmt.Errorf("keeping the prompt history: %w", err)}
		}
		return doneMsg{}
	}
}

// openEditor prepares the user's editor for a text; done says what to make of what was
// written, nil for a draft.
func (e *env) openEditor(text string, done func(text string, err error) tea.Msg) tea.Cmd {
	ctx, edit := e.ctx, e.Edit
	return func() tea.Msg {
		run, read, err := edit(ctx, text)
		return editorMsg{run, read, err, done}
	}
}

// openEditor hands the terminal to the editor.
func openEditor(e editorMsg) tea.Cmd {
	return tea.Exec(e.run, func(err error) tea.Msg {
		text, failed := e.read()
		if err == nil {
			err = failed
		}
		if e.done != nil {
			return e.done(text, err)
		}
		return editedMsg{text, err}
	})
}

// loadRequest has a request of the past made again.
func (e *env) loadRequest(id string, event uint64) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		got, err := b.Request(ctx, event)
		got.Event = event // also of one that cannot be made again
		return requestMsg{id, got, err}
	}
}

// loadFull reads the full text of a result.
func (e *env) loadFull(id string, event uint64) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		text, err := b.Full(ctx, event)
		return fullMsg{id, event, text, err}
	}
}

// loadChanges works out what a log changed in files, and looks at these.
func (e *env) loadChanges(view *diffView, seq int, log []conversation.Event) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		return changedMsg{view, seq, b.OnDisk(ctx, diff.OfLog(log))}
	}
}

// Messages that commands return. Those about a conversation carry which
// one, because it may have been left meanwhile.

// openedMsg says that a conversation is open, or why none is.
type openedMsg struct {
	conversation Conversation
	err          error
}

// updatesMsg is all that happened in a conversation since the last one. ended
// says that nothing more will come.
type updatesMsg struct {
	from  Session
	list  []updates.Update
	ended bool
}

// tickMsg moves spinners and seconds while something goes on.
type tickMsg time.Time

func (t tickMsg) time() time.Time { return time.Time(t) }

// snackbarOverMsg ends a snackbar, unless a newer one stands there.
type snackbarOverMsg struct{ seq int }

// filesMsg brings the files that can be mentioned.
type filesMsg struct{ files []composer.File }

// promptsMsg brings what was sent before, oldest first.
type promptsMsg struct{ texts []string }

// pausedMsg says that a while has passed in which the user may have paused.
type pausedMsg struct{}

// What was asked for with a key says which key that was, by keyboard.pressed: who
// typed since does something else now.

// modelsMsg brings the models that can be switched to.
type modelsMsg struct {
	asked   int
	choices []ModelChoice
	err     error
}

// conversationsMsg brings the stored conversations, newest first.
type conversationsMsg struct {
	asked int
	list  []Stored
	err   error
}

// pageMsg brings a page of text.
type pageMsg struct {
	asked       int
	title, text string
	err         error
}

// rulesMsg brings the rules in force.
type rulesMsg struct {
	asked int
	rules []conversation.Rule
	err   error // some could not be read
}

// revokedMsg says that a rule was revoked, or why not.
type revokedMsg struct {
	rule conversation.Rule
	err  error
}

// editorMsg brings an editor that is ready to take the terminal, and how to
// read what was written.
type editorMsg struct {
	run  tea.ExecCommand
	read func() (string, error)
	err  error
	done func(text string, err error) tea.Msg // what to make of it, nil for a draft
}

// editedMsg brings a draft back from the external editor.
type editedMsg struct {
	text string
	err  error
}

// changedMsg brings what a conversation changed in files.
type changedMsg struct {
	view  *diffView
	seq   int
	files []changes.File
}

// requestMsg brings a request of the past.
type requestMsg struct {
	id  string // of the conversation
	got inspect.Rebuilt
	err error
}

// fullMsg brings the full text of a result.
type fullMsg struct {
	id    string
	event uint64
	text  string
	err   error
}

// switchedMsg says why requests do not go to another model, nil if they do.
type switchedMsg struct{ err error }

// failing is a message that may say that what was asked for failed.
type failing interface{ failure() error }

func (m openedMsg) failure() error        { return m.err }
func (m modelsMsg) failure() error        { return m.err }
func (m conversationsMsg) failure() error { return m.err }
func (m pageMsg) failure() error          { return m.err }
func (m editorMsg) failure() error        { return m.err }
func (m switchedMsg) failure() error      { return m.err }
func (m providersMsg) failure() error     { return m.err }

// doneMsg ends something that has nothing to show but its failure.
type doneMsg struct{ err error }

// unasked stands for the key of what goes into the transcript also where no other
// was pressed since.
const unasked = -1
