package tools

import (
	"context"
	"math"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/past"
	"plimsoll/tools/permission"
)

func (b *Box) recall() tool {
	return tool{
		name: conversation.ToolRecall, readOnly: true,
		about:  "Show the original of something earlier in this conversation that was cut or shortened. Without id, lists what was.",
		brief:  "Show the original of what was cut, by id: an event (e41), turns (t3-7) or a call's id. Without id, list what was.",
		params: past.RecallParams,
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			return permission.Effect{Tool: conversation.ToolRecall, Title: strings.TrimSpace(args.Text("id") + " " + args.Text("query"))}, nil
		},
		run: func(ctx context.Context, args params.Values, _ func(string)) (result, error) {
			text, err := b.past.Recall(ctx, past.ID(args), args.Text("query"), args.Whole("offset", 0), args.Whole("limit", math.MaxInt32))
			return result{text: text}, err
		},
	}
}
