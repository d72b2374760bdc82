package planner

import (
	"github.com/go-json-experiment/json/jsontext"

	"plimsoll/compact/ordered"
	"plimsoll/compact/preset"
	"plimsoll/compact/preset/adachsoft"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// This file applies the identity dedup of the preset adachsoft to a view: it omits
// fields that newer calls and results with the same identity repeat. Rules:
//
//   - A mask item records the fields that Dedupe omitted. The projection omits these
//     fields, so that it does not depend on the rules.
//   - A result that is not a JSON object is treated as an object with the field content.
//   - Stubs and pinned results count as occurrences, but no item masks them. A pointer to
//     another result counts as the text of that result.
//   - A call whose arguments cannot be parsed, or are masked or capped, has no identity:
//     the call and its result stay.

const contentField = "content"

// dedupeItems returns the fields that identity dedup omits in a view, oldest first; nil
// unless rules.Dedupe is enabled. An item names the first event of its message, so messages
// without events have no items.
func dedupeItems(messages []projection.Message, rules preset.Rules) []conversation.MaskItem {
	if !rules.Dedupe.Enabled {
		return nil
	}
	params := rules.ResolvedDedupe()
	before := make([]adachsoft.Message, len(messages))
	at := make(map[uint64]int, len(messages)) // by event
	for i := range messages {
		m := messages[i]
		if len(m.Events) > 0 {
			at[m.Events[0]] = i
		}
		if k, ok := at[m.Repeats]; ok { // a pointer counts as the result it points to
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

// resultObject returns the text of a result as an object, or nil if the text cannot be
// encoded; then nothing of it is omitted.
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
