package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// A task of the open conversation is shown with a front of its own, read-only, while the conversation goes on behind it: its
// updates are applied, and its questions open over the task. Cancel goes back.

// Task is a task of the open conversation: a conversation of its own.
type Task struct {
	ID      string   // of its conversation
	Prompt  string   // its first line
	Agent   string   // "" for none
	State   string   // "running", or how it ended
	Tokens  int      // that it kept out, estimated
	CostUSD *float64 // nil: unknown
}

// tasks lists the tasks of the conversation. The chosen one is shown, and one that runs can be ended.
func (l *lists) tasks() pane.Action {
	return newReadAction(l.env.Backend.Tasks, "the tasks are listed: /tasks shows them", func(found []Task) pane.Action {
		var shown *dialog.Picker
		end := func(id string) pane.Action {
			b := l.env.Backend
			return l.env.tryAsync(func(ctx context.Context) (err error) {
				if err = b.EndTask(ctx, id); err == nil {
					found, err = b.Tasks(ctx)
				}
				return err
			}, func(err error) pane.Action {
				if err != nil {
					shown.Failed(err.Error())
				}
				shown.SetItems(taskItems(found))
				return nil
			})
		}
		shown = dialog.NewPicker(dialog.PickerOptions{Title: "Tasks", Items: taskItems(found), Heads: []string{"state", "tokens", "cost"},
			Empty: "the model has started no task", Choose: func(id, _ string) pane.Action { return openTask{id} },
			Acts: []dialog.Act{{Key: l.env.Keys.Dialogs.Lists.Remove, Word: "end it", Do: end}}})
		return openDialog{shown}
	})
}

func taskItems(found []Task) []dialog.Item {
	items := make([]dialog.Item, len(found))
	for i, t := range found {
		title, cost := t.Prompt, ""
		if t.Agent != "" {
			title = t.Agent + ": " + t.Prompt
		}
		if t.CostUSD != nil {
			cost = pane.Dollars(*t.CostUSD)
		}
		items[i] = dialog.Item{ID: t.ID, Title: title, Columns: []string{t.State, fmt.Sprintf("%6s", pane.Tokens(t.Tokens)), cost}}
	}
	return items
}

// trackTasks notes which tasks began and ended.
func (s *session) trackTasks(b conversation.Body) {
	switch b := b.(type) {
	case conversation.TaskStarted:
		if b.Parent == "" {
			s.runningTasks = append(s.runningTasks, b)
		}
	case conversation.TaskEnded:
		s.runningTasks = slices.DeleteFunc(s.runningTasks, func(t conversation.TaskStarted) bool { return t.Conversation == b.Conversation })
	}
}

// openRunningTask shows the task that runs, or the list if several do.
func (m *Model) openRunningTask() pane.Action {
	if running := m.session.runningTasks; len(running) == 1 {
		return openTask{running[0].Conversation}
	}
	return m.lists.tasks()
}

func (s *session) openTaskOf(call string) pane.Action {
	for _, e := range slices.Backward(s.log) {
		if b, ok := e.Body.(conversation.TaskStarted); ok && b.Call == call && b.Parent == "" {
			return openTask{b.Conversation}
		}
	}
	return refusal("the task has not begun")
}

// openTask opens a task of the conversation by the ID of its conversation; taskOpened shows it.
type (
	openTask   struct{ id string }
	taskOpened struct {
		Conversation
		parent *front
	}
)

func (m *Model) openTask(id string) tea.Cmd {
	if m.session.isOpening {
		return m.do(refusal(busyOpening))
	}
	ctx, b, parent := m.env.ctx, m.env.Backend, m.front
	return doAsync(func() (Conversation, error) { return b.OpenTask(ctx, id) }, func(c Conversation, err error) pane.Action {
		if err != nil {
			return requestFailed{err}
		}
		return taskOpened{c, parent}
	})
}

// showTask shows an opened task, unless another conversation was opened meanwhile.
func (m *Model) showTask(t taskOpened) tea.Cmd {
	if t.parent != m.front || m.session.isOpening {
		return leave(t.Conversation)
	}
	s := newSession(m.env)
	s.setConversation(t.Conversation)
	m.parent = m.front
	m.enter(m.newFront(s))
	m.chat.showConversation(nil, "", 0)
	m.drafts.setStored(t.Draft)
	return m.env.waitForUpdates(t.Session)
}

// enter puts a front on the screen.
func (m *Model) enter(f *front) {
	from := m.front
	m.front = f
	f.chat.area.width, f.chat.area.height = m.terminal.width, m.terminal.height
	f.chat.composer.SetSize(pane.Within(m.terminal.width), m.terminal.height)
	f.chat.setTheme(m.theme.styles)
	f.views.setTheme(m.theme.styles)
	f.chat.animation.unfocused, f.session.cache.unfocused = from.chat.animation.unfocused, from.session.cache.unfocused
	f.views.markStale()
}

func (m *Model) goBack() tea.Cmd { return m.closeTask(leave(m.session.Conversation)) }

// closeTask shows the conversation of a task again, and leaves the task with a command. The draft stays with the task.
func (m *Model) closeTask(leave tea.Cmd) tea.Cmd {
	task := m.front
	m.enter(m.parent)
	m.parent = nil
	store := func(ctx context.Context) error { return task.drafts.KeepDraft(context.WithoutCancel(ctx)) }
	return tea.Batch(m.env.tryAsync(store, failureSnackbar), leave, m.do(m.chat.keepTicking()))
}

// leave ends what follows a task.
func leave(c Conversation) tea.Cmd {
	return func() tea.Msg {
		c.Leave()
		return nil
	}
}

// KeepDraft stores the drafts at once, when the program ends.
func (m *Model) KeepDraft(ctx context.Context) error {
	err := m.drafts.KeepDraft(ctx)
	if m.parent != nil {
		err = errors.Join(err, m.parent.drafts.KeepDraft(ctx))
	}
	return err
}
