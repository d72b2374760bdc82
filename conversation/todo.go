package conversation

import (
	"encoding/json"
	"slices"
)

// Todo is one line of the checklist that the model writes with [ToolTodoWrite].
type Todo struct {
	Text   string     `json:"text"`
	Status TodoStatus `json:"status"`
}

// TodoStatus is the state of a todo.
type TodoStatus string

// The states of a todo.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoDone       TodoStatus = "done"
)

// ToolTodoWrite is the name of the tool that replaces the checklist as a whole.
const ToolTodoWrite = "todo_write"

// The largest checklist: its lines, and the characters of one.
const (
	MaxTodos     = 100
	MaxTodoChars = 500
)

// LastTodos returns the JSON arguments of the newest todo_write that succeeded in a turn that is not undone; "" if no such
// call exists.
func LastTodos(events []Event) string {
	var rewound []uint64
	succeeded, searched := map[string]bool{}, false
	for i, e := range slices.Backward(events) {
		switch b := e.Body.(type) {
		case ToolResult:
			if b.Tool == ToolTodoWrite {
				succeeded[b.CallID] = b.Status == ResultOK
			}
		case AssistantMessage:
			for _, c := range slices.Backward(b.Calls) {
				if c.Name != ToolTodoWrite || !succeeded[c.ID] {
					continue
				}
				if !searched {
					rewound, searched = RewoundBy(events), true
				}
				if rewound == nil || rewound[i] == 0 {
					return c.Arguments
				}
			}
		}
	}
	return ""
}

// ParseTodos returns the checklist in the arguments of a todo_write. It leaves out what is no todo, so that a log of another
// version never fails to open.
func ParseTodos(arguments string) []Todo {
	var args struct {
		Todos []Todo `json:"todos"`
	}
	if arguments == "" || json.Unmarshal([]byte(arguments), &args) != nil {
		return nil
	}
	var todos []Todo
	for _, t := range args.Todos[:min(len(args.Todos), MaxTodos)] {
		if t.Text = OneLine(Clean(t.Text), MaxTodoChars); t.Text != "" {
			todos = append(todos, t)
		}
	}
	return todos
}
