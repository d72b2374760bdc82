package cli

import (
	"testing"

	"plimsoll/conversation"
)

func TestResultsOfAFileAreCutByTheWindowOfItsModel(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]map[string]conversation.ArrivalCap{
		"":                               {"": {Chars: 30_000, DescribesRest: true}, "nobody/knows": {Chars: 30_000, DescribesRest: true}, "openai/gpt-4o": {Chars: 128_000, DescribesRest: true}, "gpt-4o": {Chars: 128_000, DescribesRest: true}},
		"context: {window: 50000}":       {"openai/gpt-4o": {Chars: 50_000, DescribesRest: true}, "": {Chars: 50_000, DescribesRest: true}},
		"tool_results: {max_chars: 700}": {"openai/gpt-4o": {Chars: 700, DescribesRest: true}},
		"compaction: {preset: oneclaw}":  {"openai/gpt-4o": {Chars: 30_000}},
		"compaction: {preset: jp}":       {"openai/gpt-4o": {Chars: 30_000}},
	} {
		a := appWith(t, settings+"\n")
		for model, most := range want {
			if got := a.importer().ArrivalCap(model); got != most {
				t.Errorf("%s, %q: %+v, want %+v", settings, model, got, most)
			}
		}
	}
}
