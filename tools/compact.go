package tools

import (
	"context"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
)

// compactRequested is the whole answer of compact (JCL).
const compactRequested = "Compression requested"

// compact lets the model ask for a compaction. The tool itself does nothing: who
// runs the conversation sees the call and acts before the next request, when
// the reply and its results are complete.
func (b *Box) compact() tool {
	return tool{
		name: conversation.ToolCompact, readOnly: true,
		about:    "Have this conversation shortened before your next step: when it has grown long, or when a part of the work is done whose details the rest does not need.",
		brief:    "Have this conversation shortened before your next step.",
		optional: true,
		params: []params.Param{
			{Name: "focus", Kind: params.Text, About: "what to preserve in the summary"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			return permission.Effect{Tool: conversation.ToolCompact, Title: args.Text("focus")}, nil
		},
		run: func(context.Context, params.Values, func(string)) (result, error) {
			return result{text: compactRequested}, nil
		},
	}
}
