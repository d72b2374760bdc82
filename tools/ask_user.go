package tools

import (
	"context"
	"errors"
	"strings"
)

// ask_user is answered by the user, not by the Box: its review says NeedAnswer
// and whoever runs calls makes the answer the result. It is run only where no
// user can be asked.

const maxOptions = 9 // answers that can be picked by a digit

func (b *Box) askUser() tool {
	return tool{
		name: "ask_user", readOnly: true,
		about: "Ask the user one question and wait for the answer, when a decision is theirs and cannot be found out. " +
			"Options are answers to pick from; the user may answer otherwise.",
		params: []param{
			{name: "question", kind: kindText, required: true, about: "the question"},
			{name: "options", kind: kindTexts, about: "up to 9 short answers to offer"},
		},
		touch: func(_ context.Context, args arguments) (touch, error) {
			question := strings.TrimSpace(args.text("question"))
			if question == "" {
				return touch{}, errors.New("the question is empty")
			}
			if len(args.texts("options")) > maxOptions {
				return touch{}, errors.New("at most 9 options can be offered")
			}
			return touch{tool: "ask_user", title: question, question: question, options: args.texts("options")}, nil
		},
		run: func(context.Context, arguments, func(string)) (result, error) {
			return result{}, errors.New("no user is there to answer. Decide yourself, say what you assumed, and go on")
		},
	}
}
