package past

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
)

// How an id becomes a passage of the conversation: e41 or 41 is an event, t3 a
// turn, t3-7 some turns; anything else is the id of a tool call, or the name of
// a stored text, whole or its beginning. An overlay stands for what it speaks
// of, and a result of recall for what was recalled, so that there are no chains.

// minBlobPrefix is how much of the name of a stored text has to be given.
const minBlobPrefix = 4

// RecallParams are the parameters of recall.
var RecallParams = []params.Param{
	{Name: "id", Kind: params.Text, About: "an event (e41), a turn (t3) or turns (t3-7), a tool call's id, or a stored text's name"},
	{Name: "query", Kind: params.Text, About: "show only the lines that hold this"},
	{Name: "offset", Kind: params.Whole, Min: 0, Max: math.MaxInt32, About: "characters to skip"},
	{Name: "limit", Kind: params.Whole, Min: 1, Max: math.MaxInt32, About: "most characters to show"},
}

// ID is what a call of recall asks for, without what models put around ids.
func ID(args params.Values) string {
	return strings.Trim(strings.TrimSpace(args.Text("id")), "\"'`#[]() ")
}

// passage is what an id stands for.
type passage struct {
	id     string // to recall it by
	events []int  // indices, ascending
	many   bool   // all texts in events, rather than the one event
	listed bool   // may be answered by a list, because it was not asked for by turns
	about  string // of many: "turn 3"
}

func (l *log) find(id string) (passage, error) {
	number, isNumber := conversation.ParseRecallID(id)
	if isNumber && strings.ContainsAny(id[:1], "eEtT") { // as stubs write it: no id of a call comes before that
		if at, ok := l.numbered(number); ok {
			return at, nil
		}
	}
	for i, e := range slices.Backward(l.events) {
		if r, ok := e.Body.(conversation.ToolResult); ok && r.CallID == id {
			return l.at(i), nil
		}
	}
	if isNumber {
		if at, ok := l.numbered(number); ok {
			return at, nil
		}
	}
	for i, e := range slices.Backward(l.events) {
		reply, _ := e.Body.(conversation.AssistantMessage) // others have no calls
		if slices.ContainsFunc(reply.Calls, func(c conversation.ToolCall) bool { return c.ID == id }) {
			return l.at(i), nil
		}
	}
	return l.blob(id)
}

// numbered finds events and turns; false if there are none of these numbers.
func (l *log) numbered(id conversation.RecallID) (passage, bool) {
	if seq, one := id.Event(); one {
		i := conversation.IndexOf(l.events, seq)
		if i < 0 {
			return passage{}, false
		}
		return l.at(i), true
	}
	at := passage{many: true}
	exists := false
	first, last := uint64(0), uint64(0)
	for i, e := range l.events {
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
		if conversation.IsMessage(e.Body) {
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
	l.resolve()
	if len(at.events) > 0 && !slices.ContainsFunc(at.events, func(i int) bool { return !l.rewound(i) }) {
		at.about += undone
	}
	return at, exists
}

// at is the passage of one event.
func (l *log) at(i int) passage {
	e := l.events[i]
	at := passage{id: fmt.Sprintf("e%d", e.Seq), events: []int{i}}
	if e.Body.Kind().Overlay() {
		at.many, at.listed = true, true
		at.about, at.events = l.overlay(i), l.covered(i)
		return at
	}
	target, ok := l.recalled(i)
	if !ok {
		return at
	}
	if id, ok := conversation.ParseRecallID(target.id); ok && target.many && !target.listed {
		target, _ = l.numbered(id) // it is there: the turn may have gone on since
	}
	return target
}

// recalled is what the result of a recall gave back. It reports false for other
// events, and for answers that were a list or a miss.
func (l *log) recalled(i int) (passage, bool) {
	r, ok := l.events[i].Body.(conversation.ToolResult)
	if !ok || r.Tool != conversation.ToolRecall || r.Status != conversation.ResultOK {
		return passage{}, false
	}
	c, _ := l.call(i) // without one there is no id
	args, err := params.Decode(conversation.ToolRecall, RecallParams, c.Arguments)
	id := ID(args)
	if err != nil || id == "" {
		return passage{}, false
	}
	before := *l
	before.events = l.events[:i]
	target, err := before.find(id)
	return target, err == nil
}

// blob is the result whose full text is stored under a name that begins so.
func (l *log) blob(prefix string) (passage, error) {
	if len(prefix) < minBlobPrefix {
		return passage{}, l.miss(prefix)
	}
	found, name := -1, ""
	for i, e := range l.events {
		r, ok := e.Body.(conversation.ToolResult)
		if !ok || len(r.Blob) < len(prefix) || !strings.EqualFold(r.Blob[:len(prefix)], prefix) {
			continue
		}
		if found >= 0 && name != r.Blob {
			return passage{}, fmt.Errorf("several stored texts begin with %s: e%d, e%d. Give more of the name", prefix, l.events[found].Seq, e.Seq)
		}
		found, name = i, r.Blob
	}
	if found < 0 {
		return passage{}, l.miss(prefix)
	}
	return l.at(found), nil
}

// overlay names an overlay by what it did.
func (l *log) overlay(i int) string {
	e := l.events[i]
	text := fmt.Sprintf("the originals that the %s of e%d speaks of", e.Body.Kind(), e.Seq)
	switch b := e.Body.(type) {
	case conversation.Summary:
		text += fmt.Sprintf(", turns %d-%d", b.FromTurn, b.ToTurn)
	case conversation.Rewind:
		text += fmt.Sprintf(", turn %d and later ones", b.Turn)
	}
	return text
}

// covered lists the messages that an overlay speaks of.
func (l *log) covered(i int) []int {
	spans := conversation.Disjoint(l.spans(i, map[int]bool{}))
	var list []int
	for j, e := range l.events[:i] {
		if conversation.IsMessage(e.Body) && spans.Holds(e.Seq) {
			list = append(list, j)
		}
	}
	return list
}

// spans are the runs of events that an overlay speaks of. A revert speaks of what the
// overlays speak of that it undoes.
func (l *log) spans(i int, visited map[int]bool) (spans []conversation.Span) {
	if visited[i] {
		return nil
	}
	visited[i] = true
	one := func(seq uint64) { spans = append(spans, conversation.Span{First: seq, Last: seq}) }
	switch b := l.events[i].Body.(type) {
	case conversation.Summary:
		return b.Spans
	case conversation.Drop:
		return b.Spans
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
		for _, e := range l.events[:i] {
			if b.Takes(e.Turn, e.Seq) {
				one(e.Seq)
			}
		}
	case conversation.Revert:
		for j, e := range l.events[:i] {
			if e.Body.Kind().Overlay() && (b.Epoch != 0 && conversation.EpochOf(e) == b.Epoch || b.Epoch == 0 && e.Seq == b.Event) {
				spans = append(spans, l.spans(j, visited)...)
			}
		}
	}
	return spans
}

// inView says where the originals of a passage stand if the model is shown all of
// them in full anyway.
func (l *log) inView(at passage) (string, bool) {
	if len(at.events) == 0 || slices.ContainsFunc(at.events, func(i int) bool { return !l.inFull(i) }) {
		return "", false
	}
	i := at.events[0]
	ago := "in this turn"
	if n := l.turn() - l.events[i].Turn; n > 0 {
		ago = numbers.Count(n, "turn") + " back"
	}
	subject := fmt.Sprintf("%s (%s, %s)", at.id, l.what(i), l.when(i))
	if at.many {
		subject = fmt.Sprintf("all of %s (%s)", at.id, at.about)
	}
	text := fmt.Sprintf("%s stands above in full, %s", subject, ago)
	if line := l.opening(i); line != "" {
		text += fmt.Sprintf("; it begins %q", line)
	}
	return text + ". Read it there", true
}
