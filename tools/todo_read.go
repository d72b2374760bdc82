package tools

import (
	"context"

	"plimsoll/tools/params"
)

func (b *Box) todoRead() tool {
	return tool{
		name: "todo_read", readOnly: true,
		about:    "Show the checklist of this conversation.",
		brief:    "Show your checklist.",
		optional: true,
		run: func(context.Context, params.Values, func(string)) (result, error) {
			return result{text: checklist(b.todos.list())}, nil
		},
	}
}
