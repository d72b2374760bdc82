package projection

import (
	"slices"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Role is the author of a message, as in requests.
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// State says how a message differs from the original event.
type State string

// The states of messages, as `print --json` writes them in x_state.
const (
	StateVerbatim   State = "verbatim"
	StateCapped     State = "capped"
	StateMasked     State = "masked"
	StateSummarised State = "summarised"
	StateDropped    State = "dropped"
	StatePinned     State = "pinned"
)

// Word returns the state as screens show it. The stored word of a summarized message keeps its British spelling for scripts.
func (s State) Word() string {
	if s == StateSummarised {
		return "summarized"
	}
	return string(s)
}

// Message is one message of a view or of a request, with the events that it comes from.
type Message struct {
	Role      Role
	Text      string
	Reasoning string                          // assistant only; sent only where the endpoint requires it
	Calls     []conversation.ToolCall         // assistant only
	CallID    string                          // tool only
	Tool      string                          // tool only: the tool's name
	Failed    bool                            // tool only: the call did not succeed
	Model     string                          // assistant only: provider/id it came from, "" unknown
	Extras    map[string]conversation.RawJSON // assistant only: provider fields to echo
	Images    []conversation.Image            // sent before the Text of a user, and after that of a result

	Events []uint64 // Seq of every event it shows or replaces, ascending; empty if synthetic
	Turn   int
	State  State
	Why    string // why it differs from the event, "" if it does not

	Overlay           uint64 // Seq of the newest overlay that shaped it, 0 without one
	Repeats           uint64 // Seq of the earlier result that it points to, 0 if it is no pointer
	ReasoningStripped bool   // Reasoning is stripped, or kept only for endpoints that require it

	Size          conversation.Size // of Text and Images
	ReasoningSize conversation.Size // of Reasoning
	Before        conversation.Size // of the original text and calls of Events; only one message of a pair for a range has it
}

// After returns the size of the message's text and calls.
func (m *Message) After() conversation.Size {
	s := m.Size
	for i := range m.Calls {
		s = s.Plus(m.Calls[i].Size)
	}
	return s
}

// SameContent reports whether two messages are sent alike, reasoning aside, whatever events they come from.
func (m *Message) SameContent(other *Message) bool {
	return m.Role == other.Role && m.Text == other.Text && m.CallID == other.CallID && m.Failed == other.Failed &&
		slices.Equal(m.Images, other.Images) && slices.EqualFunc(m.Calls, other.Calls, func(x, y conversation.ToolCall) bool {
		return x.ID == y.ID && x.Name == y.Name && x.Arguments == y.Arguments
	})
}

// CameFrom reports whether a reply came from a model, provider/id, or from an unknown one.
func (m *Message) CameFrom(model string) bool { return m.Model == "" || m.Model == model }

// Absence is an event that no message shows or replaces: it was undone, or left out
// without a replacement.
type Absence struct {
	Event   uint64
	Turn    int
	Overlay uint64 // Seq of the overlay that removes it
	State   State
	Why     string
}

// Segment returns the category that the message's text counts in.
func (m *Message) Segment() Segment {
	if m.State == StateSummarised || m.State == StateDropped {
		return Summary
	}
	switch m.Role {
	case RoleSystem:
		return System
	case RoleUser:
		return User
	case RoleTool:
		if m.State == StateMasked {
			return Stubs
		}
		return Results
	}
	return Assistant
}

// AddTo adds the sizes of the message to a sum.
func (m *Message) AddTo(s *Sizes) {
	s.Add(m.Segment(), m.Size)
	if m.Reasoning != "" {
		s.Add(Reasoning, m.ReasoningSize)
	}
	for _, c := range m.Calls {
		s.Add(Calls, c.Size)
	}
}

// View is the conversation as the model is sent it, without system prompt and tools:
// the messages in order, and the sum of their sizes. Every message event of the log is
// in the Events of a message or in Absent.
type View struct {
	Messages []Message
	Absent   []Absence
	Sizes    Sizes
	Revision uint64   // Seq of the newest overlay in the log
	Through  uint64   // Seq of the newest event that it includes
	Notes    []string // messages for the user about overlays that could not be applied

	sharedLen  *int // length of the longest view that shares the array of Messages
	eventCount int  // number of events that it was projected from

	fullResult  map[uint64]uint64 // of results with the same text, by the first one: the one shown in full
	pinnedCalls map[string]bool   // calls whose results are pinned
}

// Segment is a category of text in the window.
type Segment int

// The segments, in the order they are drawn and printed.
const (
	System Segment = iota
	Tools
	Summary
	User
	Assistant
	Reasoning
	Calls
	Results
	Stubs
	Draft        // text of the composer and the queue; not part of the used tokens
	SegmentCount // how many there are
)

// Segments lists the segments of the used tokens, that is all but Draft.
func Segments() []Segment {
	return []Segment{System, Tools, Summary, User, Assistant, Reasoning, Calls, Results, Stubs}
}

// String returns the segment's name as in `context --json`.
func (s Segment) String() string {
	return [...]string{"system", "tools", "summary", "user", "assistant", "reasoning", "calls", "results", "stubs", "draft"}[s]
}

// Sizes is the size of the text of each segment, and the number of its messages and
// calls (each costs a few tokens of framing).
type Sizes struct {
	Text     [SegmentCount]conversation.Size
	Messages [SegmentCount]int
}

// Add adds the text of one message or call to a segment.
func (s *Sizes) Add(seg Segment, size conversation.Size) {
	s.Text[seg] = s.Text[seg].Plus(size)
	s.Messages[seg]++
}

// Length returns the sum of the lengths of all texts, in code points.
func (s Sizes) Length() int {
	n := 0
	for _, size := range s.Text {
		n += size.Length()
	}
	return n
}

// MessageOf returns the original message of an event, without Events; false for events
// that are not messages.
func MessageOf(e *conversation.Event) (Message, bool) {
	m := Message{Turn: e.Turn, State: StateVerbatim}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		m.Role, m.Text, m.Size, m.Images = RoleUser, b.Text, b.Size, b.Images
	case conversation.AssistantMessage:
		m.Role, m.Text, m.Size = RoleAssistant, b.Text, b.Size
		m.Reasoning, m.ReasoningSize = b.Reasoning, b.ReasoningSize
		m.Calls, m.Extras, m.Model = b.Calls, b.Extras, b.Model
	case conversation.ToolResult:
		m.Role, m.Text, m.Size, m.Images = RoleTool, b.Text, b.Size, b.Images
		m.CallID, m.Tool, m.Failed = b.CallID, b.Tool, b.Status != conversation.ResultOK
		if b.Total > 0 {
			m.State = StateCapped
			m.Why = "cut on arrival: " + numbers.Grouped(b.Total) + " characters"
			m.Before = conversation.Size{ASCII: b.Total, Images: b.Size.Images}
		}
	default:
		return Message{}, false
	}
	if m.State == StateVerbatim {
		m.Before = m.After()
	}
	return m, true
}

func (v *View) add(m Message) {
	v.Messages = append(v.Messages, m)
	m.AddTo(&v.Sizes)
}

// addOriginal adds an event that no overlay affects. Root is the first result it repeats,
// 0 if it repeats none; seqs is its Seq as a list.
func (v *View) addOriginal(events []conversation.Event, i int, root uint64, seqs []uint64) {
	v.Through = events[i].Seq
	m, ok := MessageOf(&events[i])
	if !ok {
		return
	}
	m.Events = seqs
	if root != 0 && root != events[i].Seq {
		v.showRepeated(&m, events, i, root)
	}
	v.add(m)
}

// seqsOf returns the Seq of every event. Messages for one event share parts of this list.
func seqsOf(events []conversation.Event) []uint64 {
	seqs := make([]uint64, len(events))
	for i := range events {
		seqs[i] = events[i].Seq
	}
	return seqs
}

// UnitEnd returns the index after the unit that begins at index i of a view. A unit is a reply
// with its results, or a user message.
func UnitEnd(messages []Message, i int) (end int) {
	end = i + 1
	if len(messages[i].Calls) == 0 {
		return end
	}
	for end < len(messages) && messages[end].Role == RoleTool {
		end++
	}
	return end
}
