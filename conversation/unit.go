package conversation

import "slices"

// Unit is a group of events that a compaction never splits: a user message, or an
// assistant message with all its calls and their results. Other events (usage,
// notices, overlays) belong to no unit.
type Unit struct {
	Turn   int
	Events []int // indices into the log, ascending
	Open   bool  // a call has no result yet
}

// Units groups the messages of a log into units. A result whose call is unknown is a
// unit of its own, so every message is in a unit.
func Units(events []Event) []Unit {
	g := unitBuilder{unitOf: make([]int32, len(events)), calls: map[string]callState{}}
	for i := range events {
		g.add(i, &events[i])
	}
	units := make([]Unit, len(g.units))
	members := make([]int, g.members)
	for u, b := range g.units {
		// All units share one array; the capacity keeps one unit from overwriting the next.
		units[u] = Unit{Turn: b.turn, Open: b.missing > 0, Events: members[:0:b.members]}
		members = members[b.members:]
	}
	for i, u := range g.unitOf {
		if u >= 0 {
			units[u].Events = append(units[u].Events, i)
		}
	}
	return units
}

// unitBuilder assigns events to units.
type unitBuilder struct {
	unitOf  []int32 // unit by index into the log, -1 for events outside units
	units   []unitCounts
	members int                  // of all units
	calls   map[string]callState // the newest call by its id
}

type unitCounts struct{ turn, members, missing int }

type callState struct {
	unit     int32
	answered bool
}

func (g *unitBuilder) add(i int, e *Event) {
	switch b := e.Body.(type) {
	case UserMessage:
		g.startUnit(i, e.Turn)
	case AssistantMessage:
		g.startUnit(i, e.Turn)
		u := len(g.units) - 1
		for k := range b.Calls {
			g.calls[b.Calls[k].ID] = callState{unit: int32(u)}
			g.units[u].missing++
		}
	case ToolResult:
		c, ok := g.calls[b.CallID]
		if !ok {
			g.startUnit(i, e.Turn)
			return
		}
		g.addToUnit(i, c.unit)
		if !c.answered {
			g.calls[b.CallID] = callState{unit: c.unit, answered: true}
			g.units[c.unit].missing--
		}
	default:
		g.unitOf[i] = -1
	}
}

func (g *unitBuilder) startUnit(i, turn int) {
	g.units = append(g.units, unitCounts{turn: turn})
	g.addToUnit(i, int32(len(g.units)-1))
}

func (g *unitBuilder) addToUnit(i int, unit int32) {
	g.unitOf[i] = unit
	g.units[unit].members++
	g.members++
}

// fewCalls is the number of calls up to which AllAnswered searches the results without a map.
const fewCalls = 16

// AllAnswered reports whether each call has a result. id returns the call ID of the
// i-th of n results. A reply may have tens of thousands of calls.
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
