package tools

import (
	"context"
	"math"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/recall"
)

// How many matches search_history shows by default, and at most.
const (
	defaultHistoryHits = 10
	maxHistoryHits     = 50
)

func (b *Box) recall() tool {
	return tool{
		name: conversation.ToolRecall, readOnly: true, subject: []string{"id", "query"},
		about:  "Show the original of something earlier in this conversation that was cut or shortened. Without id, lists what was.",
		brief:  "Show the original of what was cut, by id: an event (e41), turns (t3-7) or a call's id. Without id, list what was.",
		params: recall.Params,
		run: func(ctx context.Context, args params.Values, _ func(string)) (result, error) {
			text, images, err := b.history.Recall(ctx, recall.ID(args), args.Text("query"), args.Int("offset", 0), args.Int("limit", math.MaxInt32))
			return result{text: text, images: images}, err
		},
	}
}

func (b *Box) searchHistory() tool {
	return tool{
		name: conversation.ToolSearchHistory, readOnly: true, subject: []string{"query"},
		about:    "Find earlier messages, calls and results of this conversation by text, also those no longer shown. Gives ids for recall.",
		brief:    "Find earlier messages of this conversation; gives ids for recall.",
		optional: true,
		params: []params.Param{
			{Name: "query", Kind: params.Text, Required: true, About: "words that all have to occur"},
			{Name: "limit", Kind: params.Int, Min: 1, Max: maxHistoryHits, About: "most finds to show, default 10"},
			{Name: "offset", Kind: params.Int, Min: 0, Max: math.MaxInt32, About: "finds to skip"},
		},
		run: func(ctx context.Context, args params.Values, _ func(string)) (result, error) {
			text, err := b.history.Search(ctx, args.Text("query"), args.Int("offset", 0), args.Int("limit", defaultHistoryHits))
			return result{text: text}, err
		},
	}
}

// compact lets the model request a compaction. The tool itself does nothing: the
// agent sees the call and compacts before the next request, when the reply and its
// results are complete.
func (b *Box) compact() tool {
	return tool{
		name: conversation.ToolCompact, readOnly: true, subject: []string{"focus"},
		about:    "Have this conversation shortened before your next step: when it has grown long, or when a part of the work is done whose details the rest does not need.",
		brief:    "Have this conversation shortened before your next step.",
		optional: true,
		params:   []params.Param{{Name: "focus", Kind: params.Text, About: "what to preserve in the summary"}},
		run: func(context.Context, params.Values, func(string)) (result, error) {
			return result{text: "Compression requested"}, nil // J-CLI defines this text
		},
	}
}
