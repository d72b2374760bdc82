// Package transcript shows a conversation: what was said, streaming replies,
// and the tools that ran.
//
// It is drawn only where it is visible: an item renders when it is on screen,
// keeps its lines while it is near, and is measured only then, so that the
// length of a conversation costs nothing. It follows the end unless the reader
// scrolled up, and never jumps: the position is an item and a line of it.
//
// All text from models, tools and files passes package plain before it is
// drawn.
package transcript

import (
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/transcript/markdown"
)

// Model is the transcript. It is owned by the program's one goroutine.
type Model struct {
	width, height int
	look          look
	entries       []entry
	calls         map[string]int // call id -> entry
	live          int            // entry of the reply that streams, -1 without one

	top, offset int  // first visible line: entry, line of it
	follow      bool // the end stays in view
	unseen      int  // entries added below while the reader is further up

	selection selection
	view      string
	dirty     bool
	rendered  []int // entries that keep lines, oldest first
}

// entry is an item with the lines it was last drawn as.
type entry struct {
	item  item
	lines []string
	key   drawKey
}

// drawKey is everything an item's lines depend on.
type drawKey struct {
	width, version, generation int
	expanded                   bool
}

// maxRendered is how many entries keep their lines.
const maxRendered = 256

// New returns an empty transcript.
func New(s Styles, md *markdown.Renderer) *Model {
	return &Model{calls: map[string]int{}, live: -1, follow: true, dirty: true,
		look: look{styles: s, markdown: md, factor: 1}}
}

// SetSize gives the transcript its place in cells.
func (m *Model) SetSize(width, height int) {
	if width == m.width && height == m.height {
		return
	}
	if width != m.width {
		m.look.markdown.SetWidth(textWidth(width))
		m.selection = selection{}
	}
	m.width, m.height, m.dirty = width, max(height, 0), true
}

// SetStyles draws everything anew in another theme.
func (m *Model) SetStyles(s Styles, md *markdown.Renderer) {
	md.SetWidth(textWidth(m.width))
	m.look.styles, m.look.markdown = s, md
	m.look.generation++
	m.dirty = true
}

// SetFactor sets how many tokens of the model an estimated token is, for the
// weights of tool results.
func (m *Model) SetFactor(factor float64) {
	if factor <= 0 || factor == m.look.factor {
		return
	}
	if roughly(factor) != roughly(m.look.factor) {
		m.look.generation++
		m.dirty = true
	}
	m.look.factor = factor
}

// roughly rounds a factor so that a small change does not redraw everything.
func roughly(f float64) int { return int(f * 20) }

// SetFrame moves the spinner of running calls; it redraws only if one is
// running.
func (m *Model) SetFrame(frame int) {
	for i := len(m.entries) - 1; i >= max(0, len(m.entries)-64); i-- {
		if t, ok := m.entries[i].item.(*toolItem); ok && t.state == callRunning {
			t.frame = frame
			t.bump()
			m.dirty = true
		}
	}
}

// Reset empties the transcript and shows other events.
func (m *Model) Reset(events []conversation.Event) {
	m.entries, m.rendered = m.entries[:0], m.rendered[:0]
	clear(m.calls)
	m.live, m.top, m.offset, m.follow, m.unseen = -1, 0, 0, true, 0
	m.selection = selection{}
	m.Append(events)
}

// Append shows events that are in the log now.
func (m *Model) Append(events []conversation.Event) {
	for _, e := range events {
		m.add(e)
	}
	m.dirty = true
}

func (m *Model) add(e conversation.Event) {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		m.push(&userItem{text: b.Text})
	case conversation.AssistantMessage:
		m.addReply(b)
	case conversation.ToolResult:
		m.addResult(b)
	case conversation.Notice:
		m.push(&noticeItem{level: b.Level, text: b.Text})
	case conversation.ModelChanged:
		if len(m.entries) > 0 {
			m.push(&noticeItem{level: conversation.NoticeInfo, text: "model: " + b.Name()})
		}
	case conversation.Unknown:
		m.push(&noticeItem{level: conversation.NoticeInfo, text: "an event of a newer Plimsoll (" + string(b.Name) + ")"})
	}
}

func (m *Model) addReply(b conversation.AssistantMessage) {
	reply := m.takeLive()
	if reply == nil && (b.Text != "" || b.Reasoning != "" || b.Error != "" || len(b.Calls) == 0) {
		reply = &replyItem{}
		m.push(reply)
	}
	if reply != nil {
		reply.finish(b)
	}
	for _, c := range b.Calls {
		m.push(newToolItem(c))
		m.calls[c.ID] = len(m.entries) - 1
	}
}

func (m *Model) addResult(b conversation.ToolResult) {
	t := m.tool(b.CallID)
	if t == nil {
		t = newToolItem(conversation.ToolCall{ID: b.CallID, Name: b.Tool, Arguments: "{}"})
		m.push(t)
		m.calls[b.CallID] = len(m.entries) - 1
	}
	t.finish(b)
}

// push adds an item at the end.
func (m *Model) push(it item) {
	m.entries = append(m.entries, entry{item: it})
	if !m.follow {
		m.unseen++
	}
	m.dirty = true
}

func (m *Model) tool(callID string) *toolItem {
	i, ok := m.calls[callID]
	if !ok {
		return nil
	}
	t, _ := m.entries[i].item.(*toolItem)
	return t
}

// Delta adds text to the reply that streams, beginning one if there is none.
func (m *Model) Delta(text, reasoning string) {
	if text == "" && reasoning == "" {
		return
	}
	if m.live < 0 {
		m.push(&replyItem{})
		m.live = len(m.entries) - 1
	}
	m.entries[m.live].item.(*replyItem).stream(text, reasoning, m.look.markdown)
	m.dirty = true
}

// Discard removes the reply that streams: its request is tried again.
func (m *Model) Discard() {
	if m.live < 0 {
		return
	}
	m.entries = append(m.entries[:m.live], m.entries[m.live+1:]...)
	for id, i := range m.calls {
		if i > m.live {
			m.calls[id] = i - 1
		}
	}
	m.live = -1
	m.rendered = m.rendered[:0]
	for i := range m.entries {
		m.entries[i].lines = nil
	}
	m.dirty = true
}

// takeLive ends the reply that streams and returns it, nil without one.
func (m *Model) takeLive() *replyItem {
	if m.live < 0 {
		return nil
	}
	r := m.entries[m.live].item.(*replyItem)
	m.live = -1
	return r
}

// ToolStarted shows that a call runs.
func (m *Model) ToolStarted(callID, title string) {
	if t := m.tool(callID); t != nil {
		t.start(title)
		m.dirty = true
	}
}

// ToolOutput shows output of a running call.
func (m *Model) ToolOutput(callID, text string) {
	if t := m.tool(callID); t != nil {
		t.output(text)
		m.dirty = true
	}
}

// Note shows a word of the program that is not part of the log.
func (m *Model) Note(text string) {
	m.push(&noticeItem{level: conversation.NoticeInfo, text: text})
}

// Fault shows a failure that is not part of the log.
func (m *Model) Fault(text string) {
	m.push(&noticeItem{level: conversation.NoticeError, text: text})
}

// ToggleExpanded unfolds everything that folds, or folds it again.
func (m *Model) ToggleExpanded() {
	m.anchorTop()
	m.look.expanded = !m.look.expanded
	m.dirty = true
}

// Expanded reports whether folding is off.
func (m *Model) Expanded() bool { return m.look.expanded }

// Empty reports whether there is nothing to show.
func (m *Model) Empty() bool { return len(m.entries) == 0 }

// LastReply is the source text of the newest reply that has any, "" without
// one.
func (m *Model) LastReply() string {
	for i := len(m.entries) - 1; i >= 0; i-- {
		if r, ok := m.entries[i].item.(*replyItem); ok && strings.TrimSpace(r.text) != "" {
			return r.text
		}
	}
	return ""
}

// LastExchange is the newest message of the user and what was answered, as
// plain text; "" if nothing was said.
func (m *Model) LastExchange() string {
	var parts []string
	for i := len(m.entries) - 1; i >= 0; i-- {
		switch it := m.entries[i].item.(type) {
		case *replyItem:
			if it.text != "" {
				parts = append(parts, plain.Text(it.text))
			}
		case *userItem:
			parts = append(parts, "> "+strings.ReplaceAll(plain.Text(it.text), "\n", "\n> "))
			slices.Reverse(parts)
			return strings.Join(parts, "\n\n")
		}
	}
	return ""
}

// Height is the number of lines View has.
func (m *Model) Height() int { return m.height }

// View is the transcript in exactly its height of lines.
func (m *Model) View() string {
	if !m.dirty {
		return m.view
	}
	lines := m.visible()
	m.selection.highlight(lines, m.look.styles.Selected)
	m.view = strings.Join(lines, "\n")
	m.dirty = false
	return m.view
}
