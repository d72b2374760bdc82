package promptcache_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
)

var terms = promptcache.Anthropic()

func TestALongPromptWithPausesIsKeptForLong(t *testing.T) {
	t.Parallel()
	paused := promptcache.PauseCounts{Requests: 40, Pauses: 6}
	for _, c := range []struct {
		name string
		o    promptcache.ChoiceInput
		want promptcache.LifetimeOption
	}{
		{"a small first prompt of an unknown user", promptcache.ChoiceInput{Prompt: 5_000}, terms.Short},
		{"a large prompt, pauses in this conversation", promptcache.ChoiceInput{Prompt: 60_000, Requests: 40, Conversation: paused}, terms.Long},
		{"a large prompt, pauses in earlier ones", promptcache.ChoiceInput{Prompt: 60_000, User: promptcache.PauseCounts{Requests: 400, Pauses: 60}}, terms.Long},
		{"a large prompt without pauses", promptcache.ChoiceInput{Prompt: 60_000, Requests: 60, Conversation: promptcache.PauseCounts{Requests: 60}}, terms.Short},
		{"long pauses alone", promptcache.ChoiceInput{Prompt: 60_000, Requests: 40, Conversation: promptcache.PauseCounts{Requests: 40, LongPauses: 10}}, terms.Short},
		{"pauses after which the program evicts", promptcache.ChoiceInput{Prompt: 60_000, Requests: 40, Conversation: paused, Evictions: promptcache.EvictionSizes{Cold: 30_000, Line: 170_000, Target: 100_000}}, terms.Short},
		{"an eviction that a pause does not reach", promptcache.ChoiceInput{Prompt: 60_000, Requests: 40, Conversation: paused, Evictions: promptcache.EvictionSizes{Cold: 200_000, Line: 300_000, Target: 150_000}}, terms.Long},
		{"so much new text that writing it costs most", promptcache.ChoiceInput{Prompt: 20_000, Requests: 40, CachedRequests: 40, Written: 400_000, Conversation: paused}, terms.Short},
	} {
		got := terms.ChooseLifetime(c.o)
		if got.Lifetime != c.want.Lifetime {
			t.Errorf("%s: kept for %v, want %v", c.name, got.Lifetime, c.want.Lifetime)
		}
		if got.SavedTokens < 0 {
			t.Errorf("%s: it saves %v", c.name, got.SavedTokens)
		}
	}
}

func TestARhythmCountsWhatEachLifetimeOutlives(t *testing.T) {
	t.Parallel()
	var r promptcache.PauseCounts
	for _, idle := range []time.Duration{0, 5 * time.Minute, 5*time.Minute + 1, time.Hour, time.Hour + 1} {
		r = r.Add(terms, idle)
	}
	if want := (promptcache.PauseCounts{Requests: 5, Pauses: 2, LongPauses: 1}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
}

// breakpoint is behind n messages of 1,000 tokens with one block each, behind 4,000 of prompt and tools.
func breakpoint(n int) promptcache.Breakpoint {
	return promptcache.Breakpoint{Messages: n, Blocks: n, Tokens: 4000 + 1000*float64(n)}
}

func TestTheCacheServesWhatStandsBeforeAMark(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	var c promptcache.Cache
	for i, s := range []struct {
		breakpoints []promptcache.Breakpoint
		common      int
		idle        time.Duration
		lives       time.Duration
		want        float64
	}{
		{[]promptcache.Breakpoint{breakpoint(0), breakpoint(1)}, 0, 0, 5 * minute, 0},                                // the first request
		{[]promptcache.Breakpoint{breakpoint(0), breakpoint(1), breakpoint(3)}, 1, minute, 5 * minute, 5000},         // the whole request before
		{[]promptcache.Breakpoint{breakpoint(0), breakpoint(30)}, 3, minute, 5 * minute, 4000},                       // the last breakpoint is too far away
		{[]promptcache.Breakpoint{breakpoint(0), breakpoint(30), breakpoint(32)}, 30, 4 * minute, time.Hour, 34000},  // found where it is marked again
		{[]promptcache.Breakpoint{breakpoint(0), breakpoint(32), breakpoint(34)}, 10, 4 * minute, time.Hour, 4000},   // a compaction changed what follows
		{[]promptcache.Breakpoint{breakpoint(0), breakpoint(34), breakpoint(36)}, 34, 50 * minute, time.Hour, 38000}, // kept for an hour
		{[]promptcache.Breakpoint{breakpoint(0), breakpoint(36), breakpoint(38)}, 36, 61 * minute, time.Hour, 0},
	} {
		if got := c.Send(s.breakpoints, s.common, s.idle, s.lives); got != s.want {
			t.Errorf("request %d finds %v tokens, want %v", i, got, s.want)
		}
	}
	if c.Cold(time.Hour) || !c.Cold(time.Hour+1) {
		t.Error("the newest request is not kept for exactly an hour")
	}
}

func TestASmallPromptIsNotCached(t *testing.T) {
	t.Parallel()
	var c promptcache.Cache
	small := []promptcache.Breakpoint{{Messages: 1, Blocks: 1, Tokens: promptcache.MinPromptTokens - 1}}
	c.Send(small, 0, 0, time.Hour)
	if got := c.Send(small, 1, 0, time.Hour); got != 0 {
		t.Errorf("%v tokens of it are", got)
	}
}

// TestAConversationThatGrowsIsServedWhole sends a conversation that only grows: each request finds all of the one before.
func TestAConversationThatGrowsIsServedWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var c promptcache.Cache
		messages := []projection.Message{{Role: projection.RoleUser, Text: "start"}}
		weight := func(*projection.Message) float64 { return 100 }
		before, common := 0.0, 0
		for range rapid.IntRange(1, 12).Draw(t, "requests") {
			points := promptcache.RequestBreakpoints(messages, 4000, weight)
			hit := c.Send(points, common, time.Minute, 5*time.Minute)
			if hit != before {
				t.Fatalf("request with %d messages finds %v tokens, want %v", len(messages), hit, before)
			}
			before, common = 4000+100*float64(len(messages)), len(messages)
			reply := projection.Message{Role: projection.RoleAssistant, Text: "reply"}
			calls := rapid.IntRange(0, 40).Draw(t, "calls")
			for range calls {
				reply.Calls = append(reply.Calls, conversation.ToolCall{Name: "read_file"})
			}
			messages = append(messages, reply)
			for range calls {
				messages = append(messages, projection.Message{Role: projection.RoleTool, Text: "result"})
			}
			if calls == 0 {
				messages = append(messages, projection.Message{Role: projection.RoleUser, Text: "more"})
			}
		}
	})
}

func TestAPingIsSentWhereTheUserIsLikelyToComeBack(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	never := promptcache.PauseCounts{Requests: 200}
	often := promptcache.PauseCounts{Requests: 200, Pauses: 20}
	forLong := promptcache.PauseCounts{Requests: 200, LongPauses: 10}
	evictions := promptcache.EvictionSizes{Cold: 50_000, Line: 170_000, Target: 100_000}
	priced := func(read float64) promptcache.Terms {
		other := terms
		other.ReadPrice = read
		return other
	}
	for _, c := range []struct {
		name       string
		terms      promptcache.Terms
		o          promptcache.ChoiceInput
		kept       promptcache.LifetimeOption
		idle, left time.Duration
		want       bool
	}{
		{"an unknown user", terms, promptcache.ChoiceInput{Prompt: 60_000}, terms.Short, 4 * minute, minute, true},
		{"a second time", terms, promptcache.ChoiceInput{Prompt: 60_000}, terms.Short, 8 * minute, minute, true},
		{"after hours", terms, promptcache.ChoiceInput{Prompt: 60_000}, terms.Short, 300 * minute, minute, false},
		{"a cache for an hour", terms, promptcache.ChoiceInput{Prompt: 60_000}, terms.Long, 59 * minute, minute, true},
		{"a user who pauses often", terms, promptcache.ChoiceInput{Prompt: 60_000, User: often}, terms.Short, 4 * minute, minute, true},
		{"a user who does not come back from pauses", terms, promptcache.ChoiceInput{Prompt: 60_000, User: never, Conversation: never}, terms.Short, 4 * minute, minute, false},
		{"a user who comes back after hours", terms, promptcache.ChoiceInput{Prompt: 60_000, User: forLong, Conversation: forLong}, terms.Short, 4 * minute, minute, false},
		{"a small prompt, which is not cached", terms, promptcache.ChoiceInput{Prompt: promptcache.MinPromptTokens - 1, User: often}, terms.Short, 4 * minute, minute, false},
		{"a prompt that a cold eviction hardly shortens", terms, promptcache.ChoiceInput{Prompt: 52_000, Evictions: evictions}, terms.Short, 4 * minute, minute, true},
		{"a prompt that a cold eviction halves", terms, promptcache.ChoiceInput{Prompt: 100_000, Evictions: evictions}, terms.Short, 4 * minute, minute, false},
		{"a cache that saves half", priced(0.5), promptcache.ChoiceInput{Prompt: 60_000}, terms.Short, 4 * minute, minute, false},
		{"no cache", priced(1), promptcache.ChoiceInput{Prompt: 60_000, User: often}, promptcache.LifetimeOption{WritePrice: 1, Lifetime: 5 * minute}, 4 * minute, minute, false},
		{"a free cache", priced(0), promptcache.ChoiceInput{Prompt: 60_000}, terms.Short, 4 * minute, minute, true},
	} {
		if got := c.terms.PingSaves(c.o, c.kept, c.idle, c.left); got > 0 != c.want {
			t.Errorf("%s: a ping saves %.0f tokens, want more than 0: %v", c.name, got, c.want)
		}
	}
}
