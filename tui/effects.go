package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/tui/overlay"
)

// Everything that takes time or touches the world is a command made here. A
// command takes a ctx, returns one message and touches no part of the screen.

const (
	tickEvery = 100 * time.Millisecond
	noticeFor = 4 * time.Second
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

// noticeOver ends a notice.
func noticeOver(seq int) tea.Cmd {
	return tea.Tick(noticeFor, func(time.Time) tea.Msg { return noticeOverMsg{seq} })
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

// judge asks what edited rules of an approval let run.
func judge(s Session, dialog *overlay.Approve, callID string, rules []string) tea.Cmd {
	return func() tea.Msg {
		offer, err := s.Judge(callID, rules)
		return judgedMsg{dialog, rules, offer, err}
	}
}

func (e *env) switchModel(name string) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg { return switchedMsg{b.SwitchModel(ctx, name)} }
}

func (e *env) runShell(ctx context.Context, run *shellRun) tea.Cmd {
	b := e.Backend
	return func() tea.Msg {
		output, err := b.Shell(ctx, run.command)
		return shellMsg{run, output, err}
	}
}

// attach reads the files that a message mentions.
func (e *env) attach(o *outgoing) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	paths := make([]string, len(o.named))
	for i, f := range o.named {
		paths[i] = f.Path
	}
	return func() tea.Msg {
		files, err := b.Attach(ctx, paths)
		return attachedMsg{o, files, err}
	}
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
