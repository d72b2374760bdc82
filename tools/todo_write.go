package tools

import (
	"context"

	"plimsoll/tools/params"
)

// todo_write replaces the checklist. It changes nothing outside the
// conversation and therefore runs in every mode without asking.

func (b *Box) todoWrite() tool {
	return tool{
		name: "todo_write",
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
			b.todos.set(todos)
			text := checklist(todos)
			return result{text: text, detail: text}, nil
		},
	}
}
