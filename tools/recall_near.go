package tools

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
func (p *past) contents(most int) string {
	p.resolve()
	short := make([]bool, len(p.events))
	var ranges []string
	for _, i := range slices.Backward(p.active) {
		switch b := p.events[i].Body.(type) {
		case conversation.Cap, conversation.Mask:
			p.mark(i, short, map[int]bool{})
		case conversation.Summary, conversation.Drop, conversation.Rewind:
			ranges = append(ranges, fmt.Sprintf("e%d  %s: %s", p.events[i].Seq, b.Kind(), numbers.Count(len(p.covered(i)), "original")))
		}
	}
	var results []string
	for i, e := range slices.Backward(p.events) {
		_, result := e.Body.(conversation.ToolResult)
		if said(e) && (short[i] || result && p.partial(i)) && !p.inFull(i) {
			line := ""
			if len(results) < listMost {
				line = p.line(i)
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
func (p *past) miss(id string) error {
	if len(p.events) == 0 {
		return errors.New("nothing has been said yet")
	}
	shown := words.Line(id, 80)
	last := p.events[len(p.events)-1]
	if n, ok := conversation.ParseRecallID(id); ok {
		if n.Turns {
			return fmt.Errorf("there is no turn %s; the turns are t0 to t%d", shown, last.Turn)
		}
		return fmt.Errorf("there is no event %s; the events are e%d to e%d. %s", shown, p.events[0].Seq, last.Seq, p.near(n.First))
	}
	var names []string
	for _, e := range p.events {
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
		return fmt.Errorf("nothing has the id %s. Close to it: %s", shown, words.Line(strings.Join(near, ", "), 300))
	}
	return fmt.Errorf("nothing has the id %s. %s", shown, p.near(last.Seq))
}

// near names the events with text closest to seq.
func (p *past) near(seq uint64) string {
	var list []int
	for i, e := range p.events {
		if said(e) {
			list = append(list, i)
		}
	}
	distance := func(i int) uint64 { return max(p.events[i].Seq, seq) - min(p.events[i].Seq, seq) }
	slices.SortStableFunc(list, func(i, j int) int { return cmp.Compare(distance(i), distance(j)) })
	var names []string
	for _, i := range list[:min(len(list), 5)] {
		name := p.what(i)
		if r, ok := p.events[i].Body.(conversation.ToolResult); ok {
			name = "result of " + words.Line(r.Tool, 40)
		}
		names = append(names, fmt.Sprintf("e%d (%s, %s)", p.events[i].Seq, name, p.when(i)))
	}
	if len(names) == 0 {
		return "No event with text is there yet"
	}
	return "Close to it: " + strings.Join(names, ", ") + ". recall without id lists what was shortened"
}
