package tools

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
)

// How an id becomes a passage of the conversation: e41 or 41 is an event, t3 a
// turn, t3-7 some turns; anything else is the id of a tool call, or the name of
// a stored text, whole or its beginning. An overlay stands for what it speaks
// of, and a result of recall for what was recalled, so that there are no chains.

// minBlobPrefix is how much of the name of a stored text has to be given.
const minBlobPrefix = 4

// passage is what an id stands for.
type passage struct {
	id     string // to recall it by
	events []int  // indices, ascending
	many   bool   // all that was said in events, rather than the one event
	listed bool   // may be answered by a list, because it was not asked for by turns
	about  string // of many: "turn 3"
}

func (p *past) find(id string) (passage, error) {
	number, isNumber := conversation.ParseRecallID(id)
	if isNumber && strings.ContainsAny(id[:1], "eEtT") { // as stubs write it: no id of a call comes before that
		if at, ok := p.numbered(number); ok {
			return at, nil
		}
	}
	for i, e := range slices.Backward(p.events) {
		if r, ok := e.Body.(conversation.ToolResult); ok && r.CallID == id {
			return p.at(i), nil
		}
	}
	if isNumber {
		if at, ok := p.numbered(number); ok {
			return at, nil
		}
	}
	for i, e := range slices.Backward(p.events) {
		reply, _ := e.Body.(conversation.AssistantMessage) // others have no calls
		if slices.ContainsFunc(reply.Calls, func(c conversation.ToolCall) bool { return c.ID == id }) {
			return p.at(i), nil
		}
	}
	return p.blob(id)
}

// numbered finds events and turns; false if there are none of these numbers.
func (p *past) numbered(id conversation.RecallID) (passage, bool) {
	if seq, one := id.Event(); one {
		i := p.index(seq)
		if i < 0 {
			return passage{}, false
		}
		return p.at(i), true
	}
	at := passage{many: true}
	exists := false
	first, last := uint64(0), uint64(0)
	for i, e := range p.events {
		n := e.Seq
		if id.Turns {
			n = uint64(max(0, e.Turn))
		}
		if n < id.First || n > id.Last {
			continue
		}
		if !exists {
			first = n
		}
		exists, last = true, n
		if said(e) {
			at.events = append(at.events, i)
		}
	}
	shown := conversation.RecallID{Turns: id.Turns, First: first, Last: last}
	at.id = shown.String()
	noun := "event"
	if id.Turns {
		noun = "turn"
	}
	at.about = fmt.Sprintf("%s %d", noun, first)
	if first != last {
		at.about = fmt.Sprintf("%ss %d-%d", noun, first, last)
	}
	p.resolve()
	if len(at.events) > 0 && !slices.ContainsFunc(at.events, func(i int) bool { return !p.isGone(i) }) {
		at.about += takenBack
	}
	return at, exists
}

// at is the passage of one event.
func (p *past) at(i int) passage {
	e := p.events[i]
	at := passage{id: fmt.Sprintf("e%d", e.Seq), events: []int{i}}
	if e.Body.Kind().Overlay() {
		at.many, at.listed = true, true
		at.about, at.events = p.overlay(i), p.covered(i)
		return at
	}
	target, ok := p.recalled(i)
	if !ok {
		return at
	}
	if id, ok := conversation.ParseRecallID(target.id); ok && target.many && !target.listed {
		target, _ = p.numbered(id) // it is there: the turn may have gone on since
	}
	return target
}

// recalled is what the result of a recall gave back. It reports false for other
// events, and for answers that were a list or a miss.
func (p *past) recalled(i int) (passage, bool) {
	r, ok := p.events[i].Body.(conversation.ToolResult)
	if !ok || r.Tool != conversation.ToolRecall || r.Status != conversation.ResultOK {
		return passage{}, false
	}
	c, _ := p.call(i) // without one there is no id
	args, err := params.Decode(conversation.ToolRecall, recallParams, c.Arguments)
	id := recallID(args)
	if err != nil || id == "" {
		return passage{}, false
	}
	before := *p
	before.events = p.events[:i]
	target, err := before.find(id)
	return target, err == nil
}

// blob is the result whose full text is stored under a name that begins so.
func (p *past) blob(prefix string) (passage, error) {
	if len(prefix) < minBlobPrefix {
		return passage{}, p.miss(prefix)
	}
	found, name := -1, ""
	for i, e := range p.events {
		r, ok := e.Body.(conversation.ToolResult)
		if !ok || len(r.Blob) < len(prefix) || !strings.EqualFold(r.Blob[:len(prefix)], prefix) {
			continue
		}
		if found >= 0 && name != r.Blob {
			return passage{}, fmt.Errorf("several stored texts begin with %s: e%d, e%d. Give more of the name", prefix, p.events[found].Seq, e.Seq)
		}
		found, name = i, r.Blob
	}
	if found < 0 {
		return passage{}, p.miss(prefix)
	}
	return p.at(found), nil
}

// overlay names an overlay by what it did.
func (p *past) overlay(i int) string {
	e := p.events[i]
	text := fmt.Sprintf("the originals that the %s of e%d speaks of", e.Body.Kind(), e.Seq)
	switch b := e.Body.(type) {
	case conversation.Summary:
		text += fmt.Sprintf(", turns %d-%d", b.FromTurn, b.ToTurn)
	case conversation.Rewind:
		text += fmt.Sprintf(", turn %d and later ones", b.Turn)
	}
	return text
}

// covered lists what was said of the events that an overlay speaks of. A revert
// speaks of what the overlays speak of that it takes back.
func (p *past) covered(i int) []int {
	marks := make([]bool, len(p.events))
	p.mark(i, marks, map[int]bool{})
	var list []int
	for j, e := range p.events[:i] {
		if marks[j] && said(e) {
			list = append(list, j)
		}
	}
	return list
}

func (p *past) mark(i int, marks []bool, visited map[int]bool) {
	if visited[i] {
		return
	}
	visited[i] = true
	spans, revert := p.spans(p.events[i].Body)
	for _, s := range spans {
		from, _ := slices.BinarySearchFunc(p.events[:i], s.First, func(e conversation.Event, seq uint64) int {
			if e.Seq < seq {
				return -1
			}
			return 1
		})
		for j := from; j < i && p.events[j].Seq <= s.Last; j++ {
			marks[j] = true
		}
	}
	if revert == nil {
		return
	}
	for j, e := range p.events[:i] {
		if e.Body.Kind().Overlay() && (revert.Epoch != 0 && conversation.EpochOf(e) == revert.Epoch || revert.Epoch == 0 && e.Seq == revert.Event) {
			p.mark(j, marks, visited)
		}
	}
}

// spans are the runs of events an overlay names, or what it takes back.
func (p *past) spans(b conversation.Body) ([]conversation.Span, *conversation.Revert) {
	var spans []conversation.Span
	one := func(seq uint64) { spans = append(spans, conversation.Span{First: seq, Last: seq}) }
	switch b := b.(type) {
	case conversation.Summary:
		return b.Spans, nil
	case conversation.Drop:
		return b.Spans, nil
	case conversation.Revert:
		return nil, &b
	case conversation.Cap:
		for _, item := range b.Items {
			one(item.Event)
		}
	case conversation.Mask:
		for _, item := range b.Items {
			one(item.Event)
		}
	case conversation.Pin:
		for _, seq := range b.Events {
			one(seq)
		}
	case conversation.Unpin:
		for _, seq := range b.Events {
			one(seq)
		}
	case conversation.Rewind:
		for _, e := range p.events {
			if e.Turn >= b.Turn {
				one(e.Seq)
			}
		}
	}
	return spans, nil
}
