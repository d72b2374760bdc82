package planner

import (
	"github.com/go-json-experiment/json/jsontext"

	"plimsoll/compact/ordered"
	"plimsoll/compact/preset"
	"plimsoll/compact/preset/adachsoft"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Between our log and identity dedup (ADA). Rules:
//
//   - Choosing runs Dedupe over a view and writes down which fields it omitted;
//     showing omits just these, so that it never depends on rules again.
//   - A result that is no JSON object counts as one with the field content.
//   - Results that are stubs already, and what is pinned, take part in telling
//     what is newest, but nothing of them is chosen. One that points to another
//     counts as its text.
//   - Arguments that cannot be read, or that are not those of the call any
//     more, say nothing about its identity: the call and its result stay.

const contentField = "content"

// dedupeItems chooses what identity dedup omits in a view, oldest first; nil unless
// rules.Dedupe is enabled. The event of an item is the first of its message; messages
// without events give none.
func dedupeItems(messages []projection.Message, rules preset.Rules) []conversation.MaskItem {
	if !rules.Dedupe.Enabled {
		return nil
	}
	params := rules.RepeatParams()
	before := make([]adachsoft.Message, len(messages))
	at := make(map[uint64]int, len(messages)) // by event
	for i := range messages {
		m := messages[i]
		if len(m.Events) > 0 {
			at[m.Events[0]] = i
		}
		if k, ok := at[m.Repeats]; ok { // a pointer counts as what it stands for
			m.Text, m.State = messages[k].Text, messages[k].State
		}
		before[i] = dedupeMessage(&m)
	}
	after := adachsoft.Dedupe(before, params)
	var items []conversation.MaskItem
	for i, m := range messages {
		if len(m.Events) == 0 || m.State == projection.StatePinned {
			continue
		}
		for k, c := range after[i].Calls {
			if fields := adachsoft.OmittedFields(before[i].Calls[k].Arguments, c.Arguments); fields != nil {
				items = append(items, conversation.MaskItem{
					Event: m.Events[0], Part: conversation.PartArguments, Call: c.ID, Fields: fields, Threshold: params.InputTrimBytes,
				})
			}
		}
		for k, r := range after[i].Results {
			if fields := adachsoft.OmittedFields(before[i].Results[k].Result, r.Result); fields != nil {
				items = append(items, conversation.MaskItem{
					Event: m.Events[0], Part: conversation.PartResult, Fields: fields, Threshold: params.OutputTrimBytes,
				})
			}
		}
	}
	return items
}

func dedupeMessage(m *projection.Message) adachsoft.Message {
	d := adachsoft.Message{Role: string(m.Role), Content: m.Text}
	for _, c := range m.Calls {
		arguments, ok := ordered.Parse(c.Arguments)
		stripped := m.State == projection.StateMasked && len(arguments) == 0
		if ok && !stripped && m.State != projection.StateCapped {
			d.Calls = append(d.Calls, adachsoft.Call{ID: c.ID, Tool: c.Name, Arguments: arguments})
		}
	}
	if m.Role != projection.RoleTool {
		return d
	}
	r := adachsoft.Result{ID: m.CallID, Tool: m.Tool}
	if m.State != projection.StateMasked {
		r.Result = resultObject(m.Text)
	}
	d.Results = []adachsoft.Result{r}
	return d
}

// resultObject is the text of a result as an object; nil for text that cannot
// be encoded, of which nothing is omitted.
func resultObject(text string) ordered.Object {
	if object, ok := ordered.Parse(text); ok {
		return object
	}
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return nil
	}
	return ordered.Object{{Key: contentField, Value: quoted}}
}
