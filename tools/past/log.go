package past

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// undone marks what a rewind left out, behind its turn.
const undone = " (undone)"

// Archive holds the conversation.
type Archive interface {
	// Events returns the log so far, in order.
	Events(ctx context.Context) ([]conversation.Event, error)
	// Blob returns the text stored under a name found in those events.
	Blob(ctx context.Context, name string) (string, error)
}

// part is a text, and where it goes on.
type part struct {
	text string
	next int // offset to go on from, -1 if nothing is left
}

// log is the conversation as it stands at one call.
type log struct {
	ctx     context.Context // of that call
	archive Archive
	visible func(event uint64) bool
	events  []conversation.Event

	calls   map[int]conversation.ToolCall // by index of a result: the call it answers; made when first needed
	rewinds []uint64                      // by index: the rewind that left the event out, 0 without one; made when first needed
	active  []int                         // overlays in force; made with rewinds

	resolved bool // rewinds and active are made
}

// turn is the newest one.
func (l *log) turn() int {
	if len(l.events) == 0 {
		return 0
	}
	return l.events[len(l.events)-1].Turn
}

func (l *log) newestOverlay() uint64 {
	for _, e := range slices.Backward(l.events) {
		if e.Body.Kind().Overlay() {
			return e.Seq
		}
	}
	return 0
}

// call is the call that a result answers; false if none is known.
func (l *log) call(i int) (conversation.ToolCall, bool) {
	if l.calls == nil {
		l.calls = map[int]conversation.ToolCall{}
		open := map[string]conversation.ToolCall{}
		for i, e := range l.events {
			switch b := e.Body.(type) {
			case conversation.AssistantMessage:
				for _, c := range b.Calls {
					open[c.ID] = c
				}
			case conversation.ToolResult:
				if c, ok := open[b.CallID]; ok {
					l.calls[i] = c
				}
			}
		}
	}
	c, ok := l.calls[i]
	return c, ok
}

// resolve finds out which overlays are in force, and which turns were undone.
func (l *log) resolve() {
	if l.resolved {
		return
	}
	l.resolved = true
	l.active, l.rewinds = conversation.InForce(l.events), conversation.TakenBack(l.events)
}

// rewound reports whether an event was undone.
func (l *log) rewound(i int) bool { return l.rewinds != nil && l.rewinds[i] != 0 }

// what names an event in a few words: "result of read_file {"path":"x"} (ok)".
func (l *log) what(i int) string {
	switch b := l.events[i].Body.(type) {
	case conversation.UserMessage:
		return "message of the user"
	case conversation.AssistantMessage:
		if b.Stop.Complete() {
			return "reply"
		}
		return "reply (" + conversation.OneLine(string(b.Stop), 20) + ")"
	case conversation.ToolResult:
		title := b.Tool
		if c, ok := l.call(i); ok {
			title = c.Name + " " + c.Arguments
		}
		title = "result of " + conversation.OneLine(title, 120)
		if b.Status != "" {
			title += " (" + conversation.OneLine(string(b.Status), 20) + ")"
		}
		return title
	}
	return conversation.OneLine(string(l.events[i].Body.Kind()), 20)
}

// when is the turn of an event, and whether it was undone.
func (l *log) when(i int) string {
	l.resolve()
	text := fmt.Sprintf("turn %d", l.events[i].Turn)
	if l.rewound(i) {
		text += undone
	}
	return text
}

// chars is how long the original of an event is, about.
func (l *log) chars(i int) int {
	switch b := l.events[i].Body.(type) {
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

// opening is how an event begins, on one short line.
func (l *log) opening(i int) string {
	text := ""
	switch b := l.events[i].Body.(type) {
	case conversation.UserMessage:
		text = b.Text
	case conversation.AssistantMessage:
		text = b.Text
		if strings.TrimSpace(text) == "" && len(b.Calls) > 0 {
			text = "calls " + b.Calls[0].Name
		}
	case conversation.ToolResult:
		text = b.Text
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return conversation.OneLine(line, 60)
}

// line names an event in a list. A result is described by its call.
func (l *log) line(i int) string {
	opening := l.opening(i)
	if _, result := l.events[i].Body.(conversation.ToolResult); opening != "" && !result {
		opening = ": " + opening
	} else {
		opening = ""
	}
	return fmt.Sprintf("e%d  %s  %s%s  %s characters", l.events[i].Seq, l.when(i), l.what(i), opening, numbers.Grouped(l.chars(i)))
}

// inFull reports whether the model is shown all of an event.
func (l *log) inFull(i int) bool {
	return l.visible != nil && l.visible(l.events[i].Seq) && !l.partial(i)
}

// partial reports whether a request that shows an event may still lack some of
// it: what was cut when it arrived, and reasoning, which few servers accept.
func (l *log) partial(i int) bool {
	switch b := l.events[i].Body.(type) {
	case conversation.AssistantMessage:
		return b.Reasoning != ""
	case conversation.ToolResult:
		return b.Total > 0 || b.Blob != ""
	}
	return false
}
