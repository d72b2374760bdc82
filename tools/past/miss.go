package past

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/words"
)

// What recall says when it was asked for nothing, or for what is not there: ids
// that it would find.

// listMost is how many results and how many overlays the list of recall names.
const listMost = 10

// contents lists what is hidden, newest first: results that were cut or are
// shown as stubs, and the ranges that other overlays hide.
func (l *log) contents(most int) string {
	l.resolve()
	var short []conversation.Span
	var ranges []string
	for _, i := range slices.Backward(l.active) {
		switch b := l.events[i].Body.(type) {
		case conversation.Cap, conversation.Mask:
			short = append(short, l.spans(i, map[int]bool{})...)
		case conversation.Summary, conversation.Drop, conversation.Rewind:
			ranges = append(ranges, fmt.Sprintf("e%d  %s: %s", l.events[i].Seq, b.Kind(), numbers.Count(len(l.covered(i)), "original")))
		}
	}
	shortened := conversation.Disjoint(short)
	var results []string
	for i, e := range slices.Backward(l.events) {
		_, result := e.Body.(conversation.ToolResult)
		if conversation.IsMessage(e.Body) && (shortened.Holds(e.Seq) || result && l.partial(i)) && !l.inFull(i) {
			line := ""
			if len(results) < listMost {
				line = l.line(i)
			}
			results = append(results, line)
		}
	}
	if len(results)+len(ranges) == 0 {
		return "nothing of this conversation was cut or shortened. The id of an event (e41), a turn (t3) or a tool call shows its original"
	}
	text := "shortened in this conversation, newest first; recall one by its id:" + several(results) + several(ranges)
	return text[:runeOffset(text, most)]
}

// several are the first lines of a list, and how many more there are.
func several(lines []string) string {
	text := ""
	for _, l := range lines[:min(len(lines), listMost)] {
		text += "\n" + l
	}
	if more := len(lines) - listMost; more > 0 {
		text += fmt.Sprintf("\nand %d more; search_history finds them by text", more)
	}
	return text
}

// miss says that nothing has an id, and which ids come close.
func (l *log) miss(id string) error {
	if len(l.events) == 0 {
		return errors.New("nothing has been said yet")
	}
	shown := conversation.OneLine(id, 80)
	last := l.events[len(l.events)-1]
	if n, ok := conversation.ParseRecallID(id); ok {
		if n.Turns {
			return fmt.Errorf("there is no turn %s; the turns are t0 to t%d", shown, last.Turn)
		}
		return fmt.Errorf("there is no event %s; the events are e%d to e%d. %s", shown, l.events[0].Seq, last.Seq, l.near(n.First))
	}
	var names []string
	for _, e := range l.events {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				names = append(names, c.ID)
			}
		case conversation.ToolResult:
			if b.Blob != "" {
				names = append(names, b.Blob)
			}
		}
	}
	if near := words.Nearest(id, names, 3); len(near) > 0 {
		return fmt.Errorf("nothing has the id %s. Close to it: %s", shown, conversation.OneLine(strings.Join(near, ", "), 300))
	}
	return fmt.Errorf("nothing has the id %s. %s", shown, l.near(last.Seq))
}

// near names the events with text closest to seq.
func (l *log) near(seq uint64) string {
	var list []int
	for i, e := range l.events {
		if conversation.IsMessage(e.Body) {
			list = append(list, i)
		}
	}
	distance := func(i int) uint64 { return max(l.events[i].Seq, seq) - min(l.events[i].Seq, seq) }
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(distance(i), distance(j)) })
	var names []string
	for _, i := range list[:min(len(list), 5)] {
		name := l.what(i)
		if r, ok := l.events[i].Body.(conversation.ToolResult); ok {
			name = "result of " + conversation.OneLine(r.Tool, 40)
		}
		names = append(names, fmt.Sprintf("e%d (%s, %s)", l.events[i].Seq, name, l.when(i)))
	}
	if len(names) == 0 {
		return "No event with text is there yet"
	}
	return "Close to it: " + strings.Join(names, ", ") + ". recall without id lists what was shortened"
}
