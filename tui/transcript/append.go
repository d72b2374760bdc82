package transcript

import (
	"math"
	"slices"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/transcript/markdown"
)

// Events of the log, and updates that are only shown, become items here. An
// existing item is updated when more is known: a tool call when its result
// arrives, a reply when it ends.

// Append shows events that were added to the log.
func (m *Model) Append(events []conversation.Event) {
	for _, e := range events {
		m.add(e)
	}
	m.wantPictures(events)
	m.overlays.updateStates(m.items.entries)
	m.dirty = true
}

func (m *Model) add(e conversation.Event) {
	m.adding = logPositionOf(e)
	kind := e.Body.Kind()
	if m.failed != nil && (conversation.IsMessage(e.Body) || kind == conversation.KindRewind || kind == conversation.KindTurnFailed) {
		m.failed.resumed = true
		m.failed.bump()
		m.failed = nil
	}
	defer func() { m.follow(e); m.adding = logPosition{} }()
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		m.overlays.requests, m.overlays.filesBack = nil, false
		m.turn, m.turnLine = &turnEnd{last: e.Time}, nil
		m.push(newUser(b))
	case conversation.AssistantMessage:
		m.addReply(b)
	case conversation.ToolResult:
		if m.calls[b.CallID] == nil {
			m.pushCall(conversation.ToolCall{ID: b.CallID, Name: b.Tool, Arguments: "{}"})
		}
		m.calls[b.CallID].finish(b)
	case conversation.Notice:
		m.push(&noticeItem{level: b.Level, text: b.Text})
	case conversation.TurnFailed:
		m.fail(b)
	case conversation.ModelChanged: // the first model is in the header, and a change only of the window gets no notice
		if m.model != "" && m.model != b.Name() {
			m.push(&noticeItem{level: conversation.NoticeInfo, text: "model: " + b.Name()})
		}
		m.model = b.Name()
	case conversation.Attempt:
		if !automatic(b.Source) || b.Model != "" { // an automatic attempt without a model call is only in the log
			m.push(m.items.options.failedCompaction(b))
		}
	case conversation.Usage:
		m.overlays.addCost(b)
		if m.turn != nil {
			m.turn.addUsage(b)
		}
	case conversation.JobStarted:
		if b.Moved { // else a call shows it
			m.push(&noticeItem{level: conversation.NoticeInfo, text: b.Text()})
		}
	case conversation.JobEnded:
		if !b.Told { // else a result shows it
			m.push(&noticeItem{level: conversation.NoticeInfo, text: b.Text()})
		}
	case conversation.Rewound:
		m.overlays.filesBack = true
	case conversation.HookRan:
		if text := hookLine(b); text != "" {
			m.push(&noticeItem{level: conversation.NoticeInfo, text: text})
		}
	case conversation.Unknown:
		m.push(&noticeItem{level: conversation.NoticeInfo, text: "written by a newer version of Plimsoll (" + string(b.Name) + ")"})
	default:
		if b.Kind().IsOverlay() {
			m.overlays.add(e, m.push)
		}
	}
}

// hookLine says what a hook refused or added; "" if neither. A failure has a notice of its own.
func hookLine(b conversation.HookRan) string {
	name := "hook " + conversation.CommandName(b.Command)
	switch subject := hookSubjects[b.Moment]; {
	case b.Refused:
		return name + " refused the " + subject + ": " + b.Reason
	case b.Added.Chars() > 0:
		if b.Moment == conversation.HookBeforeTool {
			subject = "result"
		}
		return name + " added ~" + numbers.Count(int(math.Ceil(meter.Estimate(b.Added))), "token") + " to the " + subject
	case len(b.Keep) > 0:
		return name + " wants kept: " + conversation.OneLine(strings.Join(b.Keep, "; "), 200)
	}
	return ""
}

// hookSubjects are what hooks refuse or add to, by moment.
var hookSubjects = map[string]string{
	conversation.HookBeforeTool: "call", conversation.HookAfterTool: "result", conversation.HookMessage: "message",
	conversation.HookBeforeCompaction: "compaction",
}

// fail shows why a turn failed, once: a reply of the turn that shows the same failure no longer does.
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
	m.failed = &noticeItem{level: conversation.NoticeError, text: b.Message, hint: b.Hint, canRetry: true}
	m.push(m.failed)
}

func (m *Model) addReply(b conversation.AssistantMessage) {
	live := m.live
	m.live = nil
	hasContent := strings.TrimSpace(b.Text) != "" || strings.TrimSpace(b.Reasoning) != "" || b.Error != "" || len(b.Calls) == 0
	switch {
	case live != nil && !hasContent:
		m.scroll.remove(live)
	case live != nil:
		live.item.(*replyItem).finish(b)
		live.logPosition = m.adding
	case hasContent:
		reply := &replyItem{}
		reply.finish(b)
		m.push(reply)
	}
	for _, c := range b.Calls {
		m.pushCall(c)
	}
}

func (m *Model) pushCall(c conversation.ToolCall) {
	t := &toolItem{call: c}
	t.join(m.items.entries)
	m.push(t)
	m.calls[c.ID] = t
}

func (m *Model) push(it item) {
	m.items.entries = append(m.items.entries, &entry{item: it, logPosition: m.adding})
	switch it.(type) {
	case *noticeItem, *outputItem, *turnEnd:
	default:
		m.hasMessages = true
	}
	if _, end := it.(*turnEnd); !m.scroll.follow && !end {
		m.scroll.unseen++
	}
	m.dirty = true
}

// Delta adds text to the streaming reply. The first text adds the reply.
func (m *Model) Delta(text, reasoning string) {
	if text == "" && reasoning == "" {
		return
	}
	if m.live == nil {
		m.push(&replyItem{})
		m.live = m.items.entries[len(m.items.entries)-1]
	}
	m.live.item.(*replyItem).stream(text, reasoning, &m.items.options)
	m.dirty = true
}

// Discard removes the streaming reply, because its request is tried again.
func (m *Model) Discard() {
	if m.live == nil {
		return
	}
	m.scroll.remove(m.live)
	m.live, m.dirty = nil, true
}

// SetAsked hides the line of a call that an open question shows, "" for none.
func (m *Model) SetAsked(callID string) {
	t := m.calls[callID]
	if t == m.asked {
		return
	}
	for _, changed := range []*toolItem{m.asked, t} {
		if changed != nil {
			changed.isAsked = changed == t
			changed.bump()
		}
	}
	m.asked, m.dirty = t, true
}

// ToolStarted shows that a call runs.
func (m *Model) ToolStarted(callID, title string) {
	if t := m.calls[callID]; t != nil && t.state != callDone {
		t.state, t.title, t.subjectKnown = callRunning, title, false
		t.bump()
		m.running = append(slices.DeleteFunc(m.running, func(t *toolItem) bool { return t.state == callDone }), t)
		m.dirty = true
	}
}

// ToolOutput shows output of a running call.
func (m *Model) ToolOutput(callID, text string) {
	if t := m.calls[callID]; t != nil && t.state == callRunning {
		t.tail = tail(t.tail+tail(text, maxTail), maxTail)
		t.bump()
		m.dirty = true
	}
}

// ShowNotice shows an information of the program that is not part of the log.
func (m *Model) ShowNotice(text string) {
	m.push(&noticeItem{level: conversation.NoticeInfo, text: text})
}

// ShowError shows a failure, and what to do about it if hint is not "". A line that
// already shows the beginning of the failure, such as a failed compaction, is extended instead.
func (m *Model) ShowError(text, hint string) { m.showProblem(conversation.NoticeError, text, hint) }

// ShowRefusal shows why something the user asked for was not done, as ShowError does.
func (m *Model) ShowRefusal(text, hint string) { m.showProblem(conversation.NoticeInfo, text, hint) }

func (m *Model) showProblem(level conversation.NoticeLevel, text, hint string) {
	for i, e := range slices.Backward(m.items.entries) {
		if _, user := e.item.(*userItem); user {
			break
		}
		notice, is := e.item.(*noticeItem)
		// Of earlier notices none is extended: the user asked again and expects a new answer.
		if is && i == len(m.items.entries)-1 && notice.explain(text, hint) {
			m.dirty = true
			return
		}
	}
	m.push(&noticeItem{level: level, text: text, hint: hint})
}

// LastReply returns the source text of the newest reply that has text, or "". Replies
// that are still streaming, or were rewound, do not count.
func (m *Model) LastReply() string {
	for _, e := range slices.Backward(m.items.entries) {
		if r, ok := e.item.(*replyItem); ok && !e.rewound && strings.TrimSpace(r.text) != "" {
			return r.text
		}
	}
	return ""
}

// LastCode returns the code blocks of the last reply.
func (m *Model) LastCode() []markdown.Code { return m.items.options.markdown.CodeOf(m.LastReply()) }

// LastExchange returns the newest user message and the replies to it as plain
// text, or "".
func (m *Model) LastExchange() string {
	var parts []string
	for _, e := range slices.Backward(m.items.entries) {
		if e.rewound {
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

// ShowOutput shows a text that arrived after the user had moved on, folded to a few lines.
func (m *Model) ShowOutput(title, text string) {
	text = strings.TrimRight(text, " \n")
	m.push(&outputItem{title: title, text: text, size: conversation.Measure(text)})
}
