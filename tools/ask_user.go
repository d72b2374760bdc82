package tools

import (
	"context"
	"errors"
	"strings"

	"plimsoll/tools/params"
	"plimsoll/tools/permission"
)

// ask_user puts a question to the user. Its review returns NeedAnswer, and the agent
// uses the user's answer as the tool result. The Box runs it only where no user can be
// asked, and then it fails.

const maxOptions = 9 // answers that can be picked by a digit

func (b *Box) askUser() tool {
	return tool{
		name: "ask_user", readOnly: true,
		about: "Ask the user one question and wait for the answer, when a decision is theirs and cannot be found out. " +
			"Options are answers to pick from; the user may answer otherwise.",
		brief:    "Ask the user one question.",
		optional: true,
		params: []params.Param{
			{Name: "question", Kind: params.Text, Required: true, About: "the question"},
			{Name: "options", Kind: params.Texts, About: "up to 9 short answers to offer"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			question := strings.TrimSpace(args.Text("question"))
			if question == "" {
				return permission.Effect{}, errors.New("the question is empty")
			}
			if len(args.Texts("options")) > maxOptions {
				return permission.Effect{}, errors.New("at most 9 options can be offered")
			}
			return permission.Effect{Tool: "ask_user", Title: question, Question: question, Options: args.Texts("options")}, nil
		},
		run: func(context.Context, params.Values, func(string)) (result, error) {
			return result{}, errors.New("no user is there to answer. Decide yourself, say what you assumed, and go on")
		},
	}
}
