package replay

import (
	"errors"
	"slices"

	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// Presets as policies. What they decide is what the planner decides live, with
// the same rules, words and projection; here stands how it is carried out:
//
//   - S64 is a command. It is given at the start of every turn, and keeps the
//     newest turns before that one.
//   - Summaries are extracts and are there at once. What a model would have read
//     for one is the request as it was sent last with Plimsoll's own rules, from
//     the provider's cache while that lives; ONE and JCL have what is covered read
//     at full price, as the call shares no prefix; S64 what was said.

// unlessNothingToDo is an error, but for one that only says that a rule found nothing to do.
func unlessNothingToDo(err error) error {
	if errors.Is(err, edit.ErrNoRange) || errors.Is(err, edit.ErrNothingToGain) || errors.Is(err, summary.ErrRefused) {
		return nil
	}
	return err
}

// transcript stands for the file that JCL writes before it compresses.
const transcript = "transcripts/transcript_0.jsonl"

// editInputs is what a pass depends on.
func (l PolicyInput) editInputs(r preset.Rules) edit.Inputs {
	s := edit.Inputs{Meter: l.Meter, Now: l.Now, Cold: l.Cold(), Answering: !l.TurnEnd}
	if r.Preset.Design().WritesTranscript {
		s.Transcript = transcript
	}
	return s
}

// carryOutRequest does what a request asks for, with an extract where it is a summary.
func carryOutRequest(l PolicyInput, r preset.Rules, w edit.Request) (Decision, error) {
	pass, err := edit.NewProposal(l.Log, r, l.editInputs(r), w)
	if err == nil && pass.Job != nil {
		return extractSummary(pass, originalChars(l.Log, pass.Spans))
	}
	if err != nil {
		return Decision{}, unlessNothingToDo(err)
	}
	return Decision{Overlays: pass.Bodies(0)}, nil
}

// extractSummary takes an extract for a pass; input is what a model would have read,
// in code points.
func extractSummary(pass edit.Proposal, input int) (Decision, error) {
	if err := pass.Extract(); err != nil {
		return Decision{}, unlessNothingToDo(err)
	}
	act := Decision{Overlays: pass.Bodies(0)}
	for _, b := range act.Overlays {
		if s, ok := b.(conversation.Summary); ok {
			act.SummaryCalls = append(act.SummaryCalls, SummaryCall{Input: tokens(input), Output: tokens(conversation.Measure(s.Text).Chars())})
		}
	}
	return act, nil
}

// originalChars is the size of what was said in spans, in code points.
func originalChars(log []conversation.Event, spans []conversation.Span) int {
	n, held := 0, conversation.Disjoint(spans)
	for _, e := range log {
		if !held.Contains(e.Seq) {
			continue
		}
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			n += b.Size.Chars()
		case conversation.ToolResult:
			n += b.Size.Chars()
		case conversation.AssistantMessage:
			n += b.Size.Chars()
			for _, c := range b.Calls {
				n += c.Size.Chars()
			}
		}
	}
	return n
}

// coveredChars is the size of what a view shows of spans, in code points.
func coveredChars(v projection.View, spans []conversation.Span) int {
	n, held := 0, conversation.Disjoint(spans)
	for i := range v.Messages {
		m := &v.Messages[i]
		if held.ContainsAny(m.Events) {
			n += chars(m)
		}
	}
	return n
}

// newCommandPolicy is S64: the rules' default profile as a command, given at the start of
// every turn.
func newCommandPolicy(s PolicySetting, rules preset.Rules) Policy {
	p := Policy{Decide: func(l PolicyInput) (Decision, error) {
		if !l.TurnStart {
			return Decision{}, nil
		}
		w := edit.NewRequest()
		w.KeepLast = rules.KeepLast + 1 // and the turn that begins
		return carryOutRequest(l, rules, w)
	}}
	if rules.Preset.Design().HasAdditions { // a profile, in its own words
		p.StoreResult, p.HasRecall = StoreResults(s.Window), true
	}
	return p
}

// summarizeSpans puts an extract in place of spans.
func summarizeSpans(l PolicyInput, r preset.Rules, spans []conversation.Span, made conversation.Origin) (Decision, error) {
	pass, err := edit.ProposeSummary(l.Log, r, l.editInputs(r), spans, made)
	if err != nil {
		return Decision{}, unlessNothingToDo(err)
	}
	return extractSummary(pass, coveredChars(l.View, pass.Spans))
}

// payloadFields are arguments that carry what a call is about to do, not what it
// is about.
var payloadFields = []string{
	"content", "contents", "file_text", "text", "body", "input", "patch", "diff", "code", "prompt", "plan", "todos", "thought",
	"old_string", "new_string", "old_str", "new_str", "old_text", "new_text", "oldText", "newText", "string_to_replace",
	"edits", "patterns", "message", "summary",
}

// identifierFields declares the identifier fields of every tool, and lists the tools
// that have none.
func identifierFields(arguments map[string][]string) (fields map[string][]string, excluded []string) {
	fields = map[string][]string{}
	for tool, names := range arguments {
		for _, name := range names {
			payload := slices.ContainsFunc(oldAndNew, func(pair [2]string) bool {
				return (name == pair[0] || name == pair[1]) && slices.Contains(names, pair[0]) && slices.Contains(names, pair[1])
			})
			if !payload && !slices.Contains(payloadFields, name) {
				fields[tool] = append(fields[tool], name)
			}
		}
		if len(fields[tool]) == 0 {
			excluded = append(excluded, tool)
		}
	}
	slices.Sort(excluded)
	return fields, excluded
}
