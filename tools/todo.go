package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
)

// The Box keeps the checklist, and every todo_write replaces it as a whole. The log holds every version: the arguments of the
// last todo_write restore it.

// Todo is one line of the checklist.
type Todo = conversation.Todo

var todoParams = []params.Param{{
	Name: "todos", Kind: params.Items, Required: true, About: "the whole list, in order; it replaces the one before",
	Fields: []params.Param{
		{Name: "text", Kind: params.Text, Required: true, About: "what is to be done, one line"},
		{Name: "status", Kind: params.Text, Choices: []string{string(conversation.TodoPending), string(conversation.TodoInProgress), string(conversation.TodoDone)}, About: "default pending"},
	},
}}

// restoreTodos reads a checklist from the arguments of a todo_write; "" is an empty one.
func restoreTodos(written string) ([]Todo, error) {
	if written == "" {
		return nil, nil
	}
	args, err := params.Decode(conversation.ToolTodoWrite, todoParams, written)
	var todos []Todo
	if err == nil {
		todos, err = todosOf(args)
	}
	if err != nil {
		return nil, fmt.Errorf("restore the checklist: %w", err)
	}
	return todos, nil
}

// todosOf reads the list from checked arguments.
func todosOf(args params.Values) ([]Todo, error) {
	items := args.Items("todos")
	if len(items) > conversation.MaxTodos {
		return nil, fmt.Errorf("the list has %d entries; at most %d are kept. Join some of them", len(items), conversation.MaxTodos)
	}
	todos := make([]Todo, len(items))
	for i, item := range items {
		t := Todo{Text: conversation.OneLine(item.Text("text"), conversation.MaxTodoChars), Status: conversation.TodoStatus(item.Text("status"))}
		if t.Text == "" {
			return nil, errors.New("a todo has no text")
		}
		t.Status = cmp.Or(t.Status, conversation.TodoPending)
		todos[i] = t
	}
	return todos, nil
}

// Todos returns the checklist as the model last wrote it.
func (b *Box) Todos() []Todo {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.todos)
}

// checklist formats the list as text, for the result and the screen.
func checklist(todos []Todo) string {
	if len(todos) == 0 {
		return "the list is empty"
	}
	marks := map[conversation.TodoStatus]string{conversation.TodoPending: "[ ]", conversation.TodoInProgress: "[>]", conversation.TodoDone: "[x]"}
	done := 0
	var b strings.Builder
	for _, t := range todos {
		if t.Status == conversation.TodoDone {
			done++
		}
		b.WriteString("\n" + marks[t.Status] + " " + t.Text)
	}
	return fmt.Sprintf("%d of %d done", done, len(todos)) + b.String()
}

func (b *Box) todoRead() tool {
	return tool{
		name: "todo_read", readOnly: true,
		about:    "Show the checklist of this conversation.",
		brief:    "Show your checklist.",
		optional: true,
		run: func(context.Context, params.Values, func(string)) (result, error) {
			return result{text: checklist(b.Todos())}, nil
		},
	}
}

// todoWrite replaces the checklist. It changes nothing outside the conversation and therefore runs in every mode without asking.
func (b *Box) todoWrite() tool {
	return tool{
		name: conversation.ToolTodoWrite,
		about: "Write the checklist of this conversation, for work of several steps; the user sees it. Always give the whole list. " +
			"Keep one entry in_progress, and mark entries done as soon as they are.",
		brief:    "Write your whole checklist; the user sees it.",
		optional: true,
		params:   todoParams,
		run: func(_ context.Context, args params.Values, _ func(string)) (result, error) {
			todos, err := todosOf(args)
			if err != nil {
				return result{}, err
			}
			b.mu.Lock()
			b.todos = todos
			b.mu.Unlock()
			text := checklist(todos)
			return result{text: text, detail: text}, nil
		},
	}
}
