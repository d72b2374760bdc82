package transcript

import (
	"strconv"

	"plimsoll/conversation"
)

// Turns that a rewind took back are folded away, and its line says how many they
// are. Unfolded they are as they were, without colour and with a word below what
// the user said. What happened is decided as package conversation decides it: a
// call goes with the turn it was made in, and only earlier messages go.

// placeOf is where what an event says stands.
func placeOf(e conversation.Event) placed {
	switch e.Body.(type) {
	case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult, conversation.TurnFailed:
		return placed{e.Seq, e.Turn}
	}
	return placed{}
}

// rewound says what a rewind took back.
func rewound(b conversation.Rewind) string {
	switch {
	case b.Reply != 0:
		return "sent again without the reply that broke off"
	case b.Turn <= 0:
		return "went back to the beginning"
	}
	return "rewound to turn " + strconv.Itoa(b.Turn-1)
}

// rewind is a rewind as the log has it.
type rewind struct {
	conversation.Rewind
	seq  uint64
	line *epochItem
}

// takes reports whether it rewinds the item at a place.
func (r rewind) takes(p placed) bool { return p.seq != 0 && p.seq < r.seq && r.Takes(p.turn, p.seq) }

// takeBack folds away what the rewinds in force took back, and counts the turns
// in the state of their lines.
func (o *overlays) takeBack(entries []*entry, states map[*epochItem]epochState) {
	if len(o.rewinds) == 0 {
		return
	}
	var force []rewind
	for _, r := range o.rewinds {
		if states[r.line].gone == 0 {
			force = append(force, r)
		}
	}
	for _, e := range entries {
		e.gone = false
		for _, r := range force {
			if !r.takes(e.placed) {
				continue
			}
			e.gone = true
			s := states[r.line]
			switch it := e.item.(type) {
			case *userItem:
				s.turns++
			case *toolItem:
				s.edits = s.edits || it.change != nil && it.result.Status == conversation.ResultOK
			}
			states[r.line] = s
			break
		}
	}
}
