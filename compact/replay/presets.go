package replay

import (
	"slices"

	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Presets as policies. The planner decides as in the program. A replay differs from the program in this:
//
//   - The profile of preset jp is run as a command at the start of every turn. It keeps the newest turns before that turn.
//   - An extract replaces each summary, without delay. The summary request is billed by the text that a model would
//     have read. With Plimsoll's own rules that is the previous request, at the price of cached tokens while the
//     cache lives. With presets oneclaw and jcli it is the covered part of the view at full price,
//     because the request shares no prefix. With jp it is the original messages at full price.

// editInputs returns the state on which a proposal depends.
func (in PolicyInput) editInputs(r preset.Rules) edit.Inputs {
	inputs := edit.Inputs{Meter: in.Meter, Now: in.Now, Cold: in.First || !in.Sheet.isWarm(in.Idle), TurnInProgress: !in.TurnEnd}
	if r.Preset.Design().WritesTranscript {
		inputs.Transcript = "transcripts/transcript_0.jsonl" // as preset jcli would name it
	}
	return inputs
}

// applyRequest carries out a compaction request.
func applyRequest(in PolicyInput, r preset.Rules, request edit.Request) (Decision, error) {
	proposal, err := edit.NewProposal(in.Log, r, in.editInputs(r), request)
	return applyProposal(proposal, err, originalChars(in.Log, proposal.Spans))
}

// applyProposal returns the overlays of a proposal, with an extract in place of a summary; none if there is nothing to
// do. inputChars is the size of the text that a model would have read for the summary, in code points.
func applyProposal(proposal edit.Proposal, err error, inputChars int) (Decision, error) {
	if err == nil && proposal.Job != nil {
		err = proposal.Extract()
	}
	switch {
	case edit.IsNothingToDo(err):
		return Decision{}, nil
	case err != nil:
		return Decision{}, err
	}
	decision := Decision{Overlays: proposal.Bodies(0)}
	for _, b := range decision.Overlays {
		if s, ok := b.(conversation.Summary); ok && s.Text != "" {
			decision.SummaryCalls = append(decision.SummaryCalls, SummaryCall{Input: tokens(inputChars), Output: tokens(conversation.Measure(s.Text).Chars())})
		}
	}
	return decision, nil
}

// originalChars returns the size of the original messages in spans, in code points.
func originalChars(log []conversation.Event, spans []conversation.Span) int {
	n, covered := 0, conversation.Disjoint(spans)
	for _, e := range log {
		if size, ok := conversation.MessageSize(e.Body); ok && covered.Contains(e.Seq) {
			n += length(size)
		}
	}
	return n
}

// coveredChars returns the size of the messages of a view that contain or replace events of spans, in code points.
func coveredChars(v projection.View, spans []conversation.Span) int {
	n, covered := 0, conversation.Disjoint(spans)
	for i := range v.Messages {
		m := &v.Messages[i]
		if covered.ContainsAny(m.Events) {
			n += chars(m)
		}
	}
	return n
}

// newCommandPolicy returns a policy that runs the default profile of the rules as a command at the start of every turn, as for
// preset jp.
func newCommandPolicy(s PolicySetting, rules preset.Rules) Policy {
	p := Policy{Decide: func(in PolicyInput) (Decision, error) {
		if !in.TurnStart {
			return Decision{}, nil
		}
		request := edit.NewRequest()
		request.KeepLast = rules.KeepLast + 1 // the turn that starts counts, too
		return applyRequest(in, rules, request)
	}}
	if rules.Preset.Design().OwnFeatures { // a profile of Plimsoll's own rules
		p.StoreResult, p.HasRecall = StoreResults(s.Window), true
	}
	return p
}

// payloadFields are arguments with the content that a call writes or sends. They do not identify its object, such as a file.
var payloadFields = []string{
	"content", "contents", "file_text", "text", "body", "input", "patch", "diff", "code", "prompt", "plan", "todos", "thought",
	"old_string", "new_string", "old_str", "new_str", "old_text", "new_text", "oldText", "newText", "string_to_replace",
	"edits", "patterns", "message", "summary",
}

// identifierFields returns the arguments that identify the calls of each tool, and the tools without such arguments.
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
