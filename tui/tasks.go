package tui

import (
	"fmt"

	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Task is a task of the open conversation: a conversation of its own.
type Task struct {
	ID      string // of its conversation
	Prompt  string // its first line
	Agent   string // "" for none
	State   string // "running", or how it ended
	Running bool
	Tokens  int      // that it kept out, estimated
	CostUSD *float64 // nil: unknown
}

// tasks lists the tasks of the conversation. The chosen one is opened; of one that runs its text so far is shown, because leaving the
// conversation would end it.
func (l *lists) tasks() pane.Action {
	return newReadAction(l.env.Backend.Tasks, "the tasks are listed: /tasks shows them", func(found []Task) pane.Action {
		items := make([]dialog.Item, len(found))
		running := map[string]bool{}
		for i, t := range found {
			title, cost := t.Prompt, ""
			if t.Agent != "" {
				title = t.Agent + ": " + t.Prompt
			}
			if t.CostUSD != nil {
				cost = pane.Dollars(*t.CostUSD)
			}
			running[t.ID] = t.Running
			items[i] = dialog.Item{ID: t.ID, Title: title, Columns: []string{t.State, fmt.Sprintf("%6s", pane.Tokens(t.Tokens)), cost}}
		}
		return open(dialog.PickerOptions{Title: "Tasks", Items: items, Heads: []string{"state", "tokens", "cost"}, Empty: "the model has started no task",
			Choose: func(id, _ string) pane.Action {
				if running[id] {
					return l.env.loadPage("Task", PageTask, id)
				}
				return resume{id}
			}})
	})
}
