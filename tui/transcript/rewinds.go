package transcript

import (
	"strconv"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// Turns that a rewind took back are folded away, and its line says how many they
// are. Unfolded they are as they were, without colour and with a word below what
// the user said. What happened is decided as package conversation decides it: a
// call goes with the turn it was made in, and only what was said before goes.

// placed is where in the log an entry stands; seq is 0 for what no rewind takes
// back.
type placed struct {
	seq  uint64
	turn int
}

// placeOf is where what an event says stands.
func placeOf(e conversation.Event) placed {
	switch e.Body.(type) {
	case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
		return placed{e.Seq, e.Turn}
	}
	return placed{}
}

// rewound says what a rewind took back.
func rewound(turn int) string {
	if turn <= 0 {
		return "went back to the beginning"
	}
	return "went back to the end of turn " + strconv.Itoa(turn-1)
}

// rewind is a rewind as the log has it.
type rewind struct {
	seq  uint64
	turn int
	line *epochItem
}

// takes reports whether it takes back what stands at a place.
func (r rewind) takes(p placed) bool { return p.seq != 0 && p.seq < r.seq && p.turn >= r.turn }

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
			if _, said := e.item.(*userItem); said {
				s := states[r.line]
				s.turns++
				states[r.line] = s
			}
			break
		}
	}
}

// takenWords says how many turns a rewind took back, "" if none that is here.
func (it *epochItem) takenWords(l *look) string {
	if it.state.turns == 0 {
		return ""
	}
	words := numbers.Count(it.state.turns, "turn") + " taken back"
	if l.hint != "" && !l.expanded {
		words += " " + l.hint
	}
	return words
}

// rewound is an entry that was rewound: nothing while it is folded.
func (e *entry) rewound(l *look, width int) []string {
	if !l.expanded {
		return nil
	}
	lines := append([]string(nil), e.item.draw(l, width)...)
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
	}
	if _, said := e.item.(*userItem); said {
		lines = append(lines, pane.Clip("  taken back", width))
	}
	return styled(l.styles.Undone, lines)
}
