package replay

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// What other clients and a provider do when a window fills, so that a report compares with what people use. Each rule is as its
// source has it, with these differences:
//
//   - An extract of the recorded text stands in for a summary, the same for all of them. It is made of the original messages,
//     where a client reads its own earlier summary.
//   - The newest user message and the last unit stay, so that the request can be sent.
//   - Cleared results leave a placeholder in this program's words. Nothing can be recalled.
//   - A summary that covers less than a tenth of the request is not asked for again.

// Client is the rule of another client, or of a provider.
type Client struct {
	Name preset.Name
	Rule string // in a few words
	From string // who does so, and where it is written

	share   float64 // load line as a share of the window; 0: no summaries
	reserve float64 // tokens below the window at which the load line is, in place of a share
	text    int     // most tokens of a summary
	files   int     // newest files that were read and stand behind the summary, each up to fileTokens
	words   float64 // tokens of the user's newest messages that stay
	tail    float64 // tokens of the newest messages that stay, at most a quarter of the window
	fresh   bool    // the summary request shares no prefix with the conversation
	prunes  bool    // old results are cleared at the end of a turn: see prune
	clears  float64 // tokens above which results are cleared; 0: never
}

const (
	fileTokens   = 5000
	keptResults  = 3      // newest results that the provider's clearing keeps
	pruneProtect = 40_000 // tokens of the newest results that pruning keeps, besides those of the last two turns
	pruneLeast   = 20_000 // tokens that pruning has to free
	clearedLeast = 200    // code points of a result that a placeholder makes shorter
	leastCovered = 0.1    // of the request
)

// Clients lists the rules that a report is compared with.
func Clients() []Client {
	return []Client{
		{Name: "sum-2k", Rule: "at 92 %, all becomes a summary of 2k tokens", From: "the usual rule, of no one maker", share: 0.92, text: 2000},
		{Name: "sum-4k", Rule: "the same with 4k tokens", From: "the same", share: 0.92, text: 4000},
		{Name: "sum-files", Rule: "at 83 %, a summary of 4k and the 5 files read last", From: "Claude Code, by third parties: zhanghandong.github.io/harness-engineering-from-cc-to-ai-coding", share: 0.835, text: 4000, files: 5},
		{Name: "sum-words", Rule: "at 90 %, a summary of 2k and 20k of the user's text", From: "Codex: github.com/openai/codex, codex-rs/core/src/compact.rs", share: 0.9, text: 2000, words: 20_000},
		{Name: "prune-old", Rule: "results before the newest 40k go, then a summary of 4k at 20k below the window", From: "opencode with compaction.prune: github.com/sst/opencode, packages/opencode/src/session/compaction.ts", reserve: 20_000, text: 4000, tail: 15_000, fresh: true, prunes: true},
		{Name: "clear-old", Rule: "above 100k, all results but the newest 3 go", From: "Anthropic's API: docs.claude.com, context editing", clears: 100_000},
	}
}

// Policy returns the client's rule as a policy to replay.
func (c Client) Policy() NamedPolicy {
	return NamedPolicy{Name: c.Name, Rules: preset.RulesOf(baselineRaw), Maker: func(s PolicySetting) Policy {
		return Policy{Decide: func(in PolicyInput) (Decision, error) { return c.decide(in), nil }}
	}}
}

func (c Client) decide(in PolicyInput) Decision {
	switch {
	case in.TurnEnd && c.prunes:
		return maskResults(prunable(in.View.Messages))
	case in.TurnEnd:
	case c.clears > 0 && in.Used > c.clears:
		var results []*projection.Message
		for i := range in.View.Messages {
			if m := &in.View.Messages[i]; isClearable(m) {
				results = append(results, m)
			}
		}
		return maskResults(results[:max(0, len(results)-keptResults)])
	case in.Window > 0 && c.text > 0 && in.Used > c.loadLine(float64(in.Window)):
		return c.summarise(in)
	}
	return Decision{}
}

// loadLine returns the load line in tokens. In a window that the reserve would fill, it is half of the window.
func (c Client) loadLine(window float64) float64 {
	if c.reserve > 0 {
		return max(window-c.reserve, window/2)
	}
	return c.share * window
}

// summarise covers all messages but those that stay.
func (c Client) summarise(in PolicyInput) Decision {
	messages := in.View.Messages
	end, newest := lastUnit(messages), newestOfUser(messages)
	for left := min(c.tail, float64(in.Window)/4); end > 0; {
		start := lastUnit(messages[:end])
		if left -= tokensOfAll(messages[start:end]); left < 0 {
			break
		}
		end = start
	}
	words := c.words
	var spans []conversation.Span
	covered := 0.0
	for i, m := range slices.Backward(messages[:end]) {
		if i == newest {
			continue
		}
		if m.State != projection.StateSummarised {
			if m.Role == projection.RoleUser && words > 0 {
				if words -= tokens(chars(&messages[i])); words >= 0 {
					continue
				}
			}
			covered += tokens(chars(&messages[i]))
		}
		for _, seq := range m.Events {
			spans = append(spans, conversation.Span{First: seq, Last: seq})
		}
	}
	if covered < leastCovered*in.Used {
		return Decision{}
	}
	spans = conversation.Disjoint(spans)
	text := summary.Extract(in.Log, summary.Job{Spans: spans, MaxTokens: c.text}).Text
	call := SummaryCall{Input: in.Used, Output: tokens(conversation.Measure(text).Chars()), View: !c.fresh}
	b := conversation.Summary{Style: preset.OwnStyle, Version: projection.BlockVersion, Spans: spans, Text: text + c.newestFiles(in.Log, spans), Input: string(preset.InputExtract)}
	b.FromTurn, b.ToTurn = conversation.TurnRange(conversation.MessagesIn(in.Log, spans))
	return Decision{Overlays: []conversation.Body{b}, SummaryCalls: []SummaryCall{call}}
}

// newestFiles returns the files that covered calls read last, the oldest first.
func (c Client) newestFiles(log []conversation.Event, spans []conversation.Span) string {
	paths, seen := map[string]string{}, map[string]bool{} // by call
	text := ""
	events := conversation.MessagesIn(log, spans)
	for _, e := range events {
		reply, _ := e.Body.(conversation.AssistantMessage)
		for _, call := range reply.Calls {
			fields := fieldsOf(call)
			for _, name := range []string{"file_path", "filePath", "path"} {
				if path := textOf(fields, name); path != "" && strings.Contains(strings.ToLower(call.Name), "read") {
					paths[call.ID] = path
				}
			}
		}
	}
	for _, e := range slices.Backward(events) {
		result, ok := e.Body.(conversation.ToolResult)
		path := paths[result.CallID]
		if !ok || path == "" || seen[path] || len(seen) == c.files {
			continue
		}
		seen[path] = true
		content := []rune(result.Text)
		text = "\n\n" + path + ":\n" + string(content[:min(len(content), fileTokens*4)]) + text
	}
	return text
}

// prunable returns the results to clear at the end of a turn: those before the last two turns and before the newest
// pruneProtect tokens of results, if they are more than pruneLeast tokens.
func prunable(messages []projection.Message) []*projection.Message {
	turns, kept, freed := 0, 0.0, 0.0
	var out []*projection.Message
	for i := range slices.Backward(messages) {
		m := &messages[i]
		if m.Role == projection.RoleUser {
			turns++
		}
		if turns < 2 || !isClearable(m) {
			continue
		}
		size := tokens(chars(m))
		if kept += size; kept > pruneProtect {
			out, freed = append(out, m), freed+size
		}
	}
	if freed <= pruneLeast {
		return nil
	}
	return out
}

// isClearable reports whether a message is a result that is shown and long enough to be cleared.
func isClearable(m *projection.Message) bool {
	return m.Role == projection.RoleTool && m.State != projection.StateMasked && len(m.Events) == 1 && chars(m) > clearedLeast
}

func maskResults(results []*projection.Message) Decision {
	if len(results) == 0 {
		return Decision{}
	}
	mask := conversation.Mask{Style: preset.OwnStyle, Version: projection.StubVersion}
	for _, m := range results {
		mask.Items = append(mask.Items, conversation.MaskItem{Event: m.Events[0], Part: conversation.PartResult})
	}
	slices.SortFunc(mask.Items, func(a, b conversation.MaskItem) int { return cmp.Compare(a.Event, b.Event) })
	return Decision{Overlays: []conversation.Body{mask}}
}

func tokensOfAll(messages []projection.Message) float64 {
	n := 0
	for i := range messages {
		n += chars(&messages[i])
	}
	return tokens(n)
}
