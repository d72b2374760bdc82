package inspect

import (
	"math"
	"slices"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// What fills the window most, and what each of it is called. Texts are read for
// what is listed only.

// mostItems is how many of the heaviest things are listed.
const mostItems = 10

// labelChars is how long a label is at most, in code points.
const labelChars = 120

// prompt weighs the system prompt and the tools.
func (t *weigher) prompt() {
	m := &t.check.Meter
	for _, part := range []struct {
		kind  projection.Segment
		label string
	}{{projection.System, "system prompt"}, {projection.Tools, "tools"}} {
		if n := int(math.Round(m.Factor() * m.SegmentEstimate(part.kind))); n > 0 {
			t.list(-1, Item{Kind: part.kind, Label: part.label, Tokens: n, Before: n, State: projection.StateVerbatim})
		}
	}
}

// weigh lists a message if it is among the heaviest.
func (t *weigher) weigh(i int, m *projection.Message, tokens float64) {
	n := int(math.Round(tokens))
	if len(t.heaviest) == mostItems && n <= t.heaviest[mostItems-1].Tokens {
		return
	}
	item := Item{Event: m.Events[0], Turn: m.Turn, Kind: m.Segment(), Tokens: n, Before: n, State: m.State, Why: m.Why}
	if m.Role == projection.RoleAssistant && item.Kind == projection.Assistant && m.Text == "" && len(m.Calls) > 0 {
		item.Kind = projection.Calls
	}
	if m.State != projection.StateVerbatim && m.State != projection.StatePinned || m.Repeats != 0 {
		item.Before = int(math.Round(t.scale.Weigh(m.Before) + t.framing*float64(len(m.Events)+len(m.Calls))))
	}
	t.list(i, item)
}

// list puts an item in its place; of those that are as heavy the oldest comes
// first.
func (t *weigher) list(message int, item Item) {
	i, _ := slices.BinarySearchFunc(t.heaviest, item, func(a, b Item) int {
		if a.Tokens >= b.Tokens {
			return -1
		}
		return 1
	})
	t.heaviest, t.at = slices.Insert(t.heaviest, i, item), slices.Insert(t.at, i, message)
	if len(t.heaviest) > mostItems {
		t.heaviest, t.at = t.heaviest[:mostItems], t.at[:mostItems]
	}
}

// label names what is listed.
func (t *weigher) label() {
	for i := range t.heaviest {
		if at := t.at[i]; at >= 0 {
			t.heaviest[i].Label = t.labelOf(&t.check.View.Messages[at])
		}
	}
}

func (t *weigher) labelOf(m *projection.Message) string {
	switch {
	case projection.OnlyNoted(m.State, m.Why):
		return "note on " + t.turnsOf(m)
	case m.State == projection.StateSummarised:
		return "summary of " + t.turnsOf(m)
	case m.State == projection.StateDropped:
		return t.turnsOf(m) + ", left out"
	case m.Role == projection.RoleTool:
		return callLabel(m.Tool, t.argumentsOf(m))
	case m.Text == "" && len(m.Calls) > 0:
		text := callLabel(m.Calls[0].Name, m.Calls[0].Arguments)
		if more := len(m.Calls) - 1; more > 0 {
			text += " and " + numbers.Count(more, "more call")
		}
		return text
	}
	return firstLine(m.Text)
}

// turnsOf names the turns that a message stands for.
func (t *weigher) turnsOf(m *projection.Message) string {
	to := m.Turn
	if i := conversation.IndexOf(t.check.Log, m.Events[len(m.Events)-1]); i >= 0 {
		to = t.check.Log[i].Turn
	}
	return numbers.Turns(m.Turn, to)
}

// argumentsOf is the arguments of the call that a result answers, as they were
// said; "" if the log does not hold it.
func (t *weigher) argumentsOf(m *projection.Message) string {
	for i := conversation.IndexOf(t.check.Log, m.Events[0]) - 1; i >= 0; i-- {
		b, ok := t.check.Log[i].Body.(conversation.AssistantMessage)
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

// callLabel is a tool and what its call is about, on one line.
func callLabel(tool, arguments string) string {
	return conversation.OneLine(tool+" "+conversation.ToolCall{Arguments: arguments}.Subject(), labelChars)
}

// firstLine is the first line of a text that says something.
func firstLine(text string) string {
	text = strings.TrimLeft(text, " \t\r\n")
	line, _, _ := strings.Cut(text, "\n")
	return conversation.OneLine(line, labelChars)
}

// Item is one thing that fills the window.
type Item struct {
	Event  uint64 // the first it stands for, 0 for the system prompt and the tools
	Turn   int
	Kind   projection.Segment
	Label  string // what it is, on one line: the tool and what it was about, the beginning of a text. Not sanitised.
	Tokens int
	Before int // tokens as it was said
	State  projection.State
	Why    string
}

// weigher weighs a view against what was said.
type weigher struct {
	check    planner.Check
	scale    meter.Scale
	framing  float64 // calibrated tokens of a message or call beyond its text
	echo     bool    // reasoning is sent
	heaviest []Item
	at       []int // of heaviest, the indices of messages; -1 for none
	kinds    [savingKinds]Saving
	tokens   [savingKinds]float64
	run      uint64 // Seq of the first event of the last message that stands for many
	pins     int
}

// Saving is what one kind of overlay saves in the next request.
type Saving struct {
	Kind   string // masks, caps, summaries, drops, reasoning, arguments, pointers, turns taken back
	Items  int    // messages or events
	Tokens int    // that are not sent because of it; negative if it costs more
}

// The kinds of savings, in the order they are told.
const (
	savedMasks = iota
	savedCaps
	savedArguments
	savedReasoning
	savedSummaries
	savedDrops
	savedPointers
	savedTurns
	savingKinds
)

// savingNames are the kinds in words.
var savingNames = [savingKinds]string{"masks", "caps", "arguments", "reasoning", "summaries", "drops", "pointers", "turns undone"}
