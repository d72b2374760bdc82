package transcript

import (
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/transcript/markdown"
)

// What happens becomes items here: events of the log, and updates that are for
// the eye only. An item is changed where it stands when more becomes known of
// it: a call when its result is there, a reply when it ends.

// Append shows events that are in the log now.
func (m *Model) Append(events []conversation.Event) {
	for _, e := range events {
		m.add(e)
	}
	m.overlays.judge(m.items.entries)
	m.dirty = true
}

func (m *Model) add(e conversation.Event) {
	m.adding = placeOf(e)
	if m.failed != nil && (conversation.IsMessage(e.Body) || e.Body.Kind() == conversation.KindRewind || e.Body.Kind() == conversation.KindTurnFailed) {
		m.failed.over = true
		m.failed.bump()
		m.failed = nil
	}
	defer func() { m.adding = placed{} }()
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		m.overlays.begin(e)
		m.push(newUser(b))
	case conversation.AssistantMessage:
		m.addReply(b)
	case conversation.ToolResult:
		m.addResult(b)
	case conversation.Notice:
		m.push(&noticeItem{level: b.Level, text: b.Text})
	case conversation.TurnFailed:
		m.fail(b)
	case conversation.ModelChanged:
		m.changeModel(b.Name())
	case conversation.Attempt:
		if !automatic(b.Source) || b.Model != "" { // the user does not wait for the others; the log has them
			m.push(m.items.look.attempted(e, b))
		}
	case conversation.Unknown:
		m.push(&noticeItem{level: conversation.NoticeInfo, text: "written by a newer version of Plimsoll (" + string(b.Name) + ")"})
	default:
		if b.Kind().IsOverlay() {
			m.overlays.add(e, m.push)
		}
	}
}

// fail says why a turn failed: once, also where a reply broke off with it.
func (m *Model) fail(b conversation.TurnFailed) {
	for _, e := range slices.Backward(m.items.entries) {
		if r, reply := e.item.(*replyItem); reply && r.failure == b.Message {
			r.failure = ""
			r.bump()
		}
		if _, user := e.item.(*userItem); user {
			break
		}
	}
	m.failed = &noticeItem{level: conversation.NoticeError, text: b.Message, hint: b.Hint, again: true}
	m.push(m.failed)
}

// changeModel says that the model changed. The one a conversation begins with
// is in the header, and an event that only tells its window is not news here.
func (m *Model) changeModel(name string) {
	if m.model != "" && m.model != name {
		m.push(&noticeItem{level: conversation.NoticeInfo, text: "model: " + name})
	}
	m.model = name
}

func (m *Model) addReply(b conversation.AssistantMessage) {
	live := m.live
	m.live = nil
	says := strings.TrimSpace(b.Text) != "" || strings.TrimSpace(b.Reasoning) != "" || b.Error != "" || len(b.Calls) == 0
	switch {
	case live != nil && !says:
		m.scroll.remove(live)
	case live != nil:
		live.item.(*replyItem).finish(b, &m.items.look)
		live.placed = m.adding
	case says:
		m.push(newReply(b))
	}
	for _, c := range b.Calls {
		m.pushCall(c)
	}
}

func (m *Model) addResult(b conversation.ToolResult) {
	if m.calls[b.CallID] == nil {
		m.pushCall(conversation.ToolCall{ID: b.CallID, Name: b.Tool, Arguments: "{}"})
	}
	m.calls[b.CallID].finish(b)
}

func (m *Model) pushCall(c conversation.ToolCall) {
	t := newToolItem(c)
	m.push(t)
	m.calls[c.ID] = t
}

// push adds an item at the end.
func (m *Model) push(it item) {
	m.items.entries = append(m.items.entries, &entry{item: it, placed: m.adding})
	switch it.(type) {
	case *noticeItem, *outputItem:
	default:
		m.said = true
	}
	m.scroll.added()
	m.dirty = true
}

// Delta adds text to the reply that streams, beginning one if there is none.
func (m *Model) Delta(text, reasoning string) {
	if text == "" && reasoning == "" {
		return
	}
	if m.live == nil {
		m.push(&replyItem{})
		m.live = m.items.entries[len(m.items.entries)-1]
	}
	m.live.item.(*replyItem).stream(text, reasoning, &m.items.look)
	m.dirty = true
}

// Discard removes the reply that streams: its request is tried again.
func (m *Model) Discard() {
	if m.live == nil {
		return
	}
	m.scroll.remove(m.live)
	m.live, m.dirty = nil, true
}

// ToolStarted shows that a call runs.
func (m *Model) ToolStarted(callID, title string) {
	if t := m.calls[callID]; t != nil && t.state != callDone {
		t.start(title)
		m.running = append(slices.DeleteFunc(m.running, func(t *toolItem) bool { return t.state == callDone }), t)
		m.dirty = true
	}
}

// ToolOutput shows output of a running call.
func (m *Model) ToolOutput(callID, text string) {
	if t := m.calls[callID]; t != nil && t.state == callRunning {
		t.output(text)
		m.dirty = true
	}
}

// Note shows a word of the program that is not part of the log.
func (m *Model) Note(text string) {
	m.push(&noticeItem{level: conversation.NoticeInfo, text: text})
}

// Fault shows a failure, and what to do about it if hint is not "". If the
// newest reply failed with these words, or a compaction just now, it is said
// there and only once.
func (m *Model) Fault(text, hint string) { m.tell(conversation.NoticeError, text, hint) }

// Refusal shows why something the user asked for was not done, as Fault does.
func (m *Model) Refusal(text, hint string) { m.tell(conversation.NoticeInfo, text, hint) }

func (m *Model) tell(level conversation.NoticeLevel, text, hint string) {
	for i, e := range slices.Backward(m.items.entries) {
		if _, user := e.item.(*userItem); user {
			break
		}
		if _, notice := e.item.(*noticeItem); notice && i < len(m.items.entries)-1 {
			continue // the user asked again and expects a new answer
		}
		if it, ok := e.item.(explainer); ok && it.explain(text, hint) {
			m.dirty = true
			return
		}
	}
	m.push(&noticeItem{level: level, text: text, hint: hint})
}

// explainer is an item that can take in the whole of a failure, and what to do
// about it. It reports false if it is not the one that is meant.
type explainer interface{ explain(text, hint string) bool }

// LastReply is the source text of the newest reply that has any, "" without
// one. One that is still arriving, or was rewound, does not count.
func (m *Model) LastReply() string {
	for _, e := range slices.Backward(m.items.entries) {
		if r, ok := e.item.(*replyItem); ok && !e.gone && strings.TrimSpace(r.text) != "" {
			return r.text
		}
	}
	return ""
}

// LastCode is the code blocks of the last reply.
func (m *Model) LastCode() []markdown.Code { return m.items.look.markdown.CodeOf(m.LastReply()) }

// LastExchange is the newest message of the user and what was answered, as
// plain text; "" if there is none.
func (m *Model) LastExchange() string {
	var parts []string
	for _, e := range slices.Backward(m.items.entries) {
		if e.gone {
			continue
		}
		switch it := e.item.(type) {
		case *replyItem:
			if text := strings.TrimSpace(it.textSoFar()); text != "" {
				parts = append(parts, plain.Text(text))
			}
		case *userItem:
			parts = append(parts, "> "+strings.ReplaceAll(plain.Text(strings.TrimSpace(it.typed)), "\n", "\n> "))
			slices.Reverse(parts)
			return strings.Join(parts, "\n\n")
		}
	}
	return ""
}

// Output shows a text that came when its user did other things, folded to a line.
func (m *Model) Output(title, text string) {
	text = strings.TrimRight(text, " \n")
	m.push(&outputItem{title: title, text: text, size: conversation.Measure(text)})
}
