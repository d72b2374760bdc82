package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
	"plimsoll/tools/words"
)

// What recall and search_history read: the conversation as it was said, hidden
// or not, and of no other. Each may be asked maxLookups times in a turn, and
// what a turn has been given once is not given a second time, unless an overlay
// came since that may have hidden it.

// maxLookups is how often recall, and how often search_history, answers in one
// turn.
const maxLookups = 8

// takenBack stands behind the turn of what a rewind took back.
const takenBack = " (taken back)"

// history answers from the conversation that an Archive holds.
type history struct {
	archive Archive
	most    func() int              // characters an answer may have now
	visible func(event uint64) bool // nil: never

	mu    sync.Mutex // guards what follows
	turn  int
	asked map[string]int     // by tool, in that turn
	given map[question]given // in that turn
}

// question is one thing asked of a tool.
type question struct {
	tool, id, query string
	offset          int
}

// given is how a question was answered.
type given struct {
	overlay uint64 // Seq of the newest overlay then
	limit   int    // most that was wanted
	next    int    // offset to go on from, -1 if nothing is left
}

// answer is a text, and where it goes on.
type answer struct {
	text string
	next int // offset to go on from, -1 if nothing is left
}

// newHistory reads the limits of the options.
func newHistory(o Options) *history {
	return &history{
		archive: o.Archive, visible: o.Visible, asked: map[string]int{}, given: map[question]given{},
		most: func() int {
			if o.RecallChars == nil {
				return o.ResultChars()
			}
			return min(o.ResultChars(), max(o.RecallChars(), minRecallChars))
		},
	}
}

// read loads the conversation for one call of a tool.
func (h *history) read(ctx context.Context) (*past, error) {
	if h.archive == nil {
		return nil, errors.New("this conversation keeps no originals")
	}
	events, err := h.archive.Events(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the conversation: %w", err)
	}
	return &past{ctx: ctx, archive: h.archive, visible: h.visible, events: events}, nil
}

// spent counts a call of a tool and reports whether the turn has had its share.
// The caller holds mu.
func (h *history) spent(tool string, turn int) bool {
	if turn != h.turn {
		h.turn = turn
		clear(h.asked)
		clear(h.given)
	}
	h.asked[tool]++
	return h.asked[tool] > maxLookups
}

// once answers a question unless this turn has its answer already; then a note
// says so. what names the thing in that note. The caller holds mu.
func (h *history) once(p *past, q question, limit int, what string, find func() (answer, error)) (result, error) {
	overlay := p.newestOverlay()
	if g, ok := h.given[q]; ok && g.overlay == overlay && (g.next < 0 || limit <= g.limit) {
		text := what + " was given in this turn already, with the same query and offset; it stands above. Read it there"
		if g.next >= 0 {
			text += fmt.Sprintf(", or go on with offset %d", g.next)
		}
		return result{text: text, detail: "given already in this turn"}, nil
	}
	a, err := find()
	if err != nil {
		return result{}, err
	}
	h.given[q] = given{overlay: overlay, limit: limit, next: a.next}
	return result{text: a.text}, nil
}

// past is the conversation as it stands at one call.
type past struct {
	ctx     context.Context // of that call
	archive Archive
	visible func(event uint64) bool
	events  []conversation.Event

	calls  map[int]conversation.ToolCall // by index of a result: the call it answers; made when first needed
	gone   []uint64                      // by index: the rewind that took it back, nil for none; made when first needed
	active []int                         // overlays in force; made with gone

	resolved bool // gone and active are made
}

// turn is the newest one.
func (p *past) turn() int {
	if len(p.events) == 0 {
		return 0
	}
	return p.events[len(p.events)-1].Turn
}

// index is where an event stands, -1 if there is none of this number.
func (p *past) index(seq uint64) int {
	return slices.IndexFunc(p.events, func(e conversation.Event) bool { return e.Seq == seq })
}

func (p *past) newestOverlay() uint64 {
	for _, e := range slices.Backward(p.events) {
		if e.Body.Kind().Overlay() {
			return e.Seq
		}
	}
	return 0
}

// call is the call that a result answers; false if none is known.
func (p *past) call(i int) (conversation.ToolCall, bool) {
	if p.calls == nil {
		p.calls = map[int]conversation.ToolCall{}
		open := map[string]conversation.ToolCall{}
		for i, e := range p.events {
			switch b := e.Body.(type) {
			case conversation.AssistantMessage:
				for _, c := range b.Calls {
					open[c.ID] = c
				}
			case conversation.ToolResult:
				if c, ok := open[b.CallID]; ok {
					p.calls[i] = c
				}
			}
		}
	}
	c, ok := p.calls[i]
	return c, ok
}

// resolve finds out which overlays are in force, and what was taken back.
func (p *past) resolve() {
	if p.resolved {
		return
	}
	p.resolved = true
	p.active, p.gone = conversation.InForce(p.events), conversation.TakenBack(p.events)
}

// isGone reports whether an event was taken back.
func (p *past) isGone(i int) bool { return p.gone != nil && p.gone[i] != 0 }

// said reports whether an event is a message of the user, a reply or a result.
func said(e conversation.Event) bool {
	switch e.Body.(type) {
	case conversation.UserMessage, conversation.AssistantMessage, conversation.ToolResult:
		return true
	}
	return false
}

// what names an event in a few words: "result of read_file {"path":"x"} (ok)".
func (p *past) what(i int) string {
	switch b := p.events[i].Body.(type) {
	case conversation.UserMessage:
		return "message of the user"
	case conversation.AssistantMessage:
		if b.Stop.Complete() {
			return "reply"
		}
		return "reply (" + words.Line(string(b.Stop), 20) + ")"
	case conversation.ToolResult:
		title := b.Tool
		if c, ok := p.call(i); ok {
			title = c.Name + " " + c.Arguments
		}
		title = "result of " + words.Line(title, 120)
		if b.Status != "" {
			title += " (" + words.Line(string(b.Status), 20) + ")"
		}
		return title
	}
	return words.Line(string(p.events[i].Body.Kind()), 20)
}

// when is the turn of an event, and whether it was taken back.
func (p *past) when(i int) string {
	p.resolve()
	text := fmt.Sprintf("turn %d", p.events[i].Turn)
	if p.isGone(i) {
		text += takenBack
	}
	return text
}

// beginning is the first line of what was said, for lists; "" for results,
// which their call describes.
func (p *past) beginning(i int) string {
	text := ""
	switch b := p.events[i].Body.(type) {
	case conversation.UserMessage:
		text = b.Text
	case conversation.AssistantMessage:
		text = b.Text
		if strings.TrimSpace(text) == "" && len(b.Calls) > 0 {
			text = "calls " + b.Calls[0].Name
		}
	}
	if text = words.Line(text, 60); text != "" {
		return ": " + text
	}
	return ""
}

// chars is how long the original of an event is, about.
func (p *past) chars(i int) int {
	switch b := p.events[i].Body.(type) {
	case conversation.UserMessage:
		return b.Size.Chars()
	case conversation.AssistantMessage:
		n := b.Size.Chars() + b.ReasoningSize.Chars()
		for _, c := range b.Calls {
			n += c.Size.Chars()
		}
		return n
	case conversation.ToolResult:
		return max(b.Total, b.Size.Chars())
	}
	return 0
}
