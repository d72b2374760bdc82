package conversation

import "slices"

// Unit is a run of events that is never split: a user message, or an assistant
// message with all its calls and their results. Events that are neither sent
// nor answered (usage, notices, overlays) belong to no unit.
type Unit struct {
	Turn   int
	Events []int // indices into the log, ascending
	Open   bool  // a call of it has no result yet
}

// Units groups events. It is total: a result whose call is unknown is a unit
// of its own, so nothing disappears.
func Units(events []Event) []Unit {
	g := unitBuilder{unit: make([]int32, len(events)), calls: map[string]callState{}}
	for i := range events {
		g.place(i, &events[i])
	}
	units := make([]Unit, len(g.begun))
	members := make([]int, g.members)
	for u, b := range g.begun {
		// Each unit gets its part of one array, so that none grows into the next.
		units[u] = Unit{Turn: b.turn, Open: b.missing > 0, Events: members[:0:b.members]}
		members = members[b.members:]
	}
	for i, u := range g.unit {
		if u >= 0 {
			units[u].Events = append(units[u].Events, i)
		}
	}
	return units
}

// unitBuilder assigns events to units.
type unitBuilder struct {
	unit    []int32 // by index into the log, -1 for events of no unit
	begun   []unitStart
	members int                  // of all units
	calls   map[string]callState // by id, the newest
}

type unitStart struct{ turn, members, missing int }

type callState struct {
	unit     int32
	answered bool
}

func (g *unitBuilder) place(i int, e *Event) {
	switch b := e.Body.(type) {
	case UserMessage:
		g.begin(i, e.Turn)
	case AssistantMessage:
		g.begin(i, e.Turn)
		u := len(g.begun) - 1
		for k := range b.Calls {
			g.calls[b.Calls[k].ID] = callState{unit: int32(u)}
			g.begun[u].missing++
		}
	case ToolResult:
		c, ok := g.calls[b.CallID]
		if !ok {
			g.begin(i, e.Turn)
			return
		}
		g.join(i, c.unit)
		if !c.answered {
			g.calls[b.CallID] = callState{unit: c.unit, answered: true}
			g.begun[c.unit].missing--
		}
	default:
		g.unit[i] = -1
	}
}

func (g *unitBuilder) begin(i, turn int) {
	g.begun = append(g.begun, unitStart{turn: turn})
	g.join(i, int32(len(g.begun)-1))
}

func (g *unitBuilder) join(i int, unit int32) {
	g.unit[i] = unit
	g.begun[unit].members++
	g.members++
}

// fewCalls is how many calls are looked for one by one among their results.
const fewCalls = 16

// AllAnswered reports whether each call has a result; id gives the call of the
// i-th of n results. A server may make tens of thousands of calls in a reply.
func AllAnswered(calls []ToolCall, n int, id func(i int) string) bool {
	if len(calls) <= fewCalls {
		return !slices.ContainsFunc(calls, func(c ToolCall) bool {
			for i := range n {
				if id(i) == c.ID {
					return false
				}
			}
			return true
		})
	}
	answered := make(map[string]bool, n)
	for i := range n {
		answered[id(i)] = true
	}
	return !slices.ContainsFunc(calls, func(c ToolCall) bool { return !answered[c.ID] })
}
