package tools

import (
	"context"
	"math"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
)

// Finds that search_history shows unless asked for more or fewer, and at most.
const (
	historyHits = 10
	historyMost = 50
)

func (b *Box) searchHistory() tool {
	return tool{
		name: conversation.ToolSearchHistory, readOnly: true,
		about:    "Find earlier messages, calls and results of this conversation by text, also those no longer shown. Gives ids for recall.",
		brief:    "Find earlier messages of this conversation; gives ids for recall.",
		optional: true,
		params: []params.Param{
			{Name: "query", Kind: params.Text, Required: true, About: "words that all have to occur"},
			{Name: "limit", Kind: params.Whole, Min: 1, Max: historyMost, About: "most finds to show, default 10"},
			{Name: "offset", Kind: params.Whole, Min: 0, Max: math.MaxInt32, About: "finds to skip"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			return permission.Effect{Tool: conversation.ToolSearchHistory, Title: args.Text("query")}, nil
		},
		run: func(ctx context.Context, args params.Values, _ func(string)) (result, error) {
			text, err := b.past.Search(ctx, args.Text("query"), args.Whole("offset", 0), args.Whole("limit", historyHits))
			return result{text: text}, err
		},
	}
}
