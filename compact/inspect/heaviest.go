package inspect

import (
	"math"
	"slices"
	"strings"

	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Item is one part of a request, such as a message.
type Item struct {
	Event    uint64 // first event that it represents, 0 for the system prompt and the tools
	Turn     int
	Kind     projection.Segment
	Label    string // one line: the tool and its subject, or the start of the text; not sanitised
	Tokens   int
	Original int // tokens of the original messages
	State    projection.State
	Why      string
	ToTurn   int // the last turn that Label names, from Turn on, for a text in place of turns
}

// Saving is the effect of one kind of overlay on the next request.
type Saving struct {
	Kind   string // masks, caps, arguments, reasoning, summaries, drops, pointers, turns undone
	Items  int    // messages or events
	Tokens int    // saved tokens; negative if the overlays add tokens
}

const (
	maxItems   = 10  // largest parts listed
	labelChars = 120 // code points of a label
)

// heaviestOf lists the largest parts of a request. Equally large parts keep their order, oldest first. Labels are
// made only for listed parts.
func heaviestOf(c planner.Check) []Item {
	type weighed struct {
		Item
		message *projection.Message // nil for the system prompt and the tools
	}
	var all []weighed
	add := func(m *projection.Message, kind projection.Segment, label string, tokens float64) {
		if n := int(math.Round(tokens)); n > 0 || m != nil {
			all = append(all, weighed{Item{Kind: kind, Label: label, Tokens: n, Original: n, State: projection.StateVerbatim}, m})
		}
	}
	add(nil, projection.System, "system prompt", c.Meter.Factor()*c.Meter.SegmentEstimate(projection.System))
	add(nil, projection.Tools, "tools", c.Meter.Factor()*c.Meter.SegmentEstimate(projection.Tools))
	for i := range c.View.Messages {
		m := &c.View.Messages[i]
		add(m, m.Segment(), "", c.Meter.MessageTokens(m))
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return b.Tokens - a.Tokens })
	var items []Item
	for _, w := range all[:min(len(all), maxItems)] {
		if m := w.message; m != nil {
			w.Event, w.Turn, w.State, w.Why, w.Label = m.Events[0], m.Turn, m.State, m.Why, labelOf(c.Log, m)
			w.ToTurn = lastTurn(c.Log, m)
			if w.Kind == projection.Assistant && m.Text == "" && len(m.Calls) > 0 {
				w.Kind = projection.Calls
			}
			if m.State != projection.StateVerbatim && m.State != projection.StatePinned || m.Repeats != 0 {
				parts := float64(len(m.Events) + len(m.Calls))
				w.Original = int(math.Round(c.Meter.TextTokens(m.Before) + c.Meter.Factor()*c.Meter.MessageOverhead()*parts))
			}
		}
		items = append(items, w.Item)
	}
	return items
}

func labelOf(log []conversation.Event, m *projection.Message) string {
	switch {
	case projection.OnlyNoted(m.State, m.Why):
		return "excerpt of " + turnsOf(log, m)
	case m.State == projection.StateSummarised:
		return "summary of " + turnsOf(log, m)
	case m.State == projection.StateDropped:
		return turnsOf(log, m) + ", left out"
	case m.Role == projection.RoleTool:
		return callLabel(m.Tool, argumentsOf(log, m))
	case m.Text == "" && len(m.Calls) > 0:
		text := callLabel(m.Calls[0].Name, m.Calls[0].Arguments)
		if more := len(m.Calls) - 1; more > 0 {
			text += " and " + numbers.Count(more, "more call")
		}
		return text
	}
	line, _, _ := strings.Cut(strings.TrimLeft(m.Text, " \t\r\n"), "\n")
	return conversation.OneLine(line, labelChars)
}

func turnsOf(log []conversation.Event, m *projection.Message) string {
	return numbers.Turns(m.Turn, lastTurn(log, m))
}

func lastTurn(log []conversation.Event, m *projection.Message) int {
	if i := conversation.IndexOf(log, m.Events[len(m.Events)-1]); i >= 0 {
		return log[i].Turn
	}
	return m.Turn
}

// argumentsOf returns the original arguments of the call that a result answers; "" if the log lacks the call.
func argumentsOf(log []conversation.Event, m *projection.Message) string {
	for i := conversation.IndexOf(log, m.Events[0]) - 1; i >= 0; i-- {
		b, ok := log[i].Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		for k := range b.Calls {
			if b.Calls[k].ID == m.CallID {
				return b.Calls[k].Arguments
			}
		}
	}
	return ""
}

func callLabel(tool, arguments string) string {
	return conversation.OneLine(tool+" "+conversation.ToolCall{Arguments: arguments}.Subject(), labelChars)
}
