package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Everything that takes time or touches the world is a command made here. A
// command takes a ctx, returns one message and touches no model.

const (
	tickEvery = 100 * time.Millisecond
	snackFor  = 4 * time.Second
)

// conversationFrom opens, begins, forks or deletes, as open does.
func conversationFrom(ctx context.Context, open func(context.Context) (Conversation, error)) tea.Cmd {
	return func() tea.Msg {
		talk, err := open(ctx)
		return openedMsg{talk, err}
	}
}

// listen waits for the next updates. One listener at a time keeps their order.
func listen(ctx context.Context, u Session) tea.Cmd {
	return func() tea.Msg {
		list, err := u.Take(ctx)
		return updatesMsg{from: u, list: list, ended: err != nil}
	}
}

// snackOver ends a passing word.
func snackOver(seq int) tea.Cmd {
	return tea.Tick(snackFor, func(time.Time) tea.Msg { return snackOverMsg{seq} })
}

// pauseOver says that a while has passed.
func pauseOver(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return pausedMsg{} })
}

func tick() tea.Cmd {
	return tea.Tick(tickEvery, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// staleFiles is how old the list of files gets until it is made anew for a mention.
const staleFiles = 10 * time.Second

// freshFiles lists the files anew where one is being mentioned and some may be new.
func (m *Model) freshFiles() tea.Cmd {
	if !m.composer.Mentioning() || m.options.Now().Sub(m.hands.listed) < staleFiles {
		return nil
	}
	return m.loadFiles()
}

func (m *Model) loadFiles() tea.Cmd {
	m.hands.listed = m.options.Now()
	ctx, desk := m.ctx, m.options.Backend
	return func() tea.Msg {
		files, err := desk.Files(ctx)
		if err != nil {
			return doneMsg{fmt.Errorf("listing files for @: %w", err)}
		}
		return filesMsg{files}
	}
}

func (m *Model) loadPrompts() tea.Cmd {
	ctx, prompts := m.ctx, m.options.Backend
	return func() tea.Msg {
		texts, err := prompts.Prompts(ctx)
		if err != nil {
			return doneMsg{fmt.Errorf("reading the prompt history: %w", err)}
		}
		return promptsMsg{texts}
	}
}

func (m *Model) loadModels() tea.Cmd {
	ctx, models, asked := m.ctx, m.options.Backend, m.hands.pressed
	return func() tea.Msg {
		choices, err := models.Models(ctx)
		return modelsMsg{asked, choices, err}
	}
}

func (m *Model) loadConversations() tea.Cmd {
	ctx, host, asked := m.ctx, m.options.Backend, m.hands.pressed
	return func() tea.Msg {
		list, err := host.Conversations(ctx)
		return conversationsMsg{asked, list, err}
	}
}

func (m *Model) switchModel(name string) tea.Cmd {
	ctx, models := m.ctx, m.options.Backend
	return func() tea.Msg { return switchedMsg{models.SwitchModel(ctx, name)} }
}

func (m *Model) loadPage(title, page, about string) tea.Cmd {
	ctx, desk, asked := m.ctx, m.options.Backend, m.hands.pressed
	if page == PageExport {
		asked = unasked
	}
	return func() tea.Msg {
		text, err := desk.Page(ctx, page, about)
		return pageMsg{asked, title, text, err}
	}
}

func (m *Model) runShell(ctx context.Context, run *shellRun) tea.Cmd {
	desk := m.options.Backend
	return func() tea.Msg {
		output, err := desk.Shell(ctx, run.command)
		return shellMsg{run, output, err}
	}
}

// openEditor prepares the user's editor for a draft.
func (m *Model) openEditor(draft string) tea.Cmd {
	ctx, edit := m.ctx, m.options.Edit
	return func() tea.Msg {
		run, read, err := edit(ctx, draft)
		return editorMsg{run: run, read: read, err: err}
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

// attach reads the files that a message mentions.
func (m *Model) attach(o *outgoing) tea.Cmd {
	ctx, desk := m.ctx, m.options.Backend
	paths := make([]string, len(o.named))
	for i, f := range o.named {
		paths[i] = f.Path
	}
	return func() tea.Msg {
		files, err := desk.Attach(ctx, paths)
		return attachedMsg{o, files, err}
	}
}

// remember keeps a message for the prompt history.
func (m *Model) remember(text string) tea.Cmd {
	ctx, prompts := m.ctx, m.options.Backend
	return func() tea.Msg {
		if err := prompts.Remember(ctx, text); err != nil {
			return doneMsg{fmt.Errorf("keeping the prompt history: %w", err)}
		}
		return doneMsg{}
	}
}
