package projection

import (
	"slices"
	"sort"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Role is who a message is from, as on the wire.
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// State says how a message relates to what was said.
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

// Word is the state as screens write it. The stored word of a summarized message is British, and scripts rely on it.
func (s State) Word() string {
	if s == StateSummarised {
		return "summarized"
	}
	return string(s)
}

// Message is one message of a view or of a request, with where it came from.
type Message struct {
	Role      Role
	Text      string
	Reasoning string                          // assistant only; sent only where the endpoint wants it back
	Calls     []conversation.ToolCall         // assistant only
	CallID    string                          // tool only
	Tool      string                          // tool only: the tool's name
	Failed    bool                            // tool only: the call did not succeed
	Model     string                          // assistant only: provider/id it came from, "" if nobody knows
	Extras    map[string]conversation.RawJSON // assistant only: provider fields to echo

	Events []uint64 // Seq of every event it stands for, ascending; empty if synthetic
	Turn   int
	State  State
	Why    string // why it looks as it does; "" for what nothing speaks of

	Overlay  uint64 // Seq of the newest overlay that shaped it, 0 if none did
	Repeats  uint64 // Seq of the result it points to instead of repeating it, 0 if none
	Stripped bool   // Reasoning is hidden, and kept only for endpoints that demand it back

	Size          conversation.Size // of Text as it is here
	ReasoningSize conversation.Size // of Reasoning
	Before        conversation.Size // of text and calls of Events as they were said; of a pair that stands for a range, on one of them
}

// After is the size of the message's text and calls as they are here.
func (m *Message) After() conversation.Size {
	s := m.Size
	for i := range m.Calls {
		s = s.Plus(m.Calls[i].Size)
	}
	return s
}

// SaysSame reports whether two messages say the same to an endpoint, thinking aside, wherever they came from.
func (m *Message) SaysSame(other *Message) bool {
	return m.Role == other.Role && m.Text == other.Text && m.CallID == other.CallID && m.Failed == other.Failed &&
		slices.EqualFunc(m.Calls, other.Calls, func(x, y conversation.ToolCall) bool {
			return x.ID == y.ID && x.Name == y.Name && x.Arguments == y.Arguments
		})
}

// CameFrom reports whether a reply came from a model, provider/id, as far as anybody knows.
func (m *Message) CameFrom(model string) bool { return m.Model == "" || m.Model == model }

// Absence is an event that is part of no message: undone, or left out
// without a line that stands for it.
type Absence struct {
	Event   uint64
	Turn    int
	Overlay uint64 // Seq of the overlay that hides it
	State   State
	Why     string
}

// Segment is the category the message's text belongs to.
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

// AddTo adds what the message holds to a sum.
func (m *Message) AddTo(s *Sizes) {
	s.Add(m.Segment(), m.Size)
	if m.Reasoning != "" {
		s.Add(Reasoning, m.ReasoningSize)
	}
	for _, c := range m.Calls {
		s.Add(Calls, c.Size)
	}
}

// View is what the model is sent, without the system prompt and the tools:
// the messages in order, and the sum of their sizes. Every event that is sent
// or could be stands in a message's Events or in Absent.
type View struct {
	Messages []Message
	Absent   []Absence
	Sizes    Sizes
	Revision uint64   // overlay revision it was projected under
	Through  uint64   // Seq of the newest event it takes into account
	Notes    []string // what could not be applied, for the user; empty if all is well

	tip  *int // length of the longest view on the array behind Messages
	read int  // events of the log it was projected from

	canonical map[uint64]uint64 // of results with one text, by the first: which stands in full
	pins      map[string]bool   // calls whose results are pinned
}

// Segment is a category of what fills the window.
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
	Draft        // what the composer and the queue would add; not part of used
	SegmentCount // how many there are
)

// Segments lists the segments that add up to what is used, without Draft.
func Segments() []Segment {
	return []Segment{System, Tools, Summary, User, Assistant, Reasoning, Calls, Results, Stubs}
}

// String is the segment's name as in `context --json`.
func (s Segment) String() string {
	return [...]string{"system", "tools", "summary", "user", "assistant", "reasoning", "calls", "results", "stubs", "draft"}[s]
}

// Sizes is how much text each segment holds, and in how many messages and
// calls (each costs a few tokens of framing).
type Sizes struct {
	Text     [SegmentCount]conversation.Size
	Messages [SegmentCount]int
}

// Add puts a text of one message or call into a segment.
func (s *Sizes) Add(seg Segment, size conversation.Size) {
	s.Text[seg] = s.Text[seg].Plus(size)
	s.Messages[seg]++
}

// Chars is how many code points all texts have.
func (s *Sizes) Chars() int {
	n := 0
	for _, size := range s.Text {
		n += size.Chars()
	}
	return n
}

// Plus adds two sums.
func (s Sizes) Plus(t Sizes) Sizes {
	for i := range s.Text {
		s.Text[i] = s.Text[i].Plus(t.Text[i])
		s.Messages[i] += t.Messages[i]
	}
	return s
}

// MessageOf is an event as it was said, but for Events; false for events that are
// not sent.
func MessageOf(e *conversation.Event) (Message, bool) {
	m := Message{Turn: e.Turn, State: StateVerbatim}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		m.Role, m.Text, m.Size = RoleUser, b.Text, b.Size
	case conversation.AssistantMessage:
		m.Role, m.Text, m.Size = RoleAssistant, b.Text, b.Size
		m.Reasoning, m.ReasoningSize = b.Reasoning, b.ReasoningSize
		m.Calls, m.Extras, m.Model = b.Calls, b.Extras, b.Model
	case conversation.ToolResult:
		m.Role, m.Text, m.Size = RoleTool, b.Text, b.Size
		m.CallID, m.Tool, m.Failed = b.CallID, b.Tool, b.Status != conversation.ResultOK
		if b.Total > 0 {
			m.State = StateCapped
			m.Why = "cut on arrival: " + numbers.Grouped(b.Total) + " characters"
			m.Before = conversation.Size{ASCII: b.Total}
		}
	default:
		return Message{}, false
	}
	if m.State == StateVerbatim {
		m.Before = m.After()
	}
	return m, true
}

func (m *Message) whole() bool { return m.Overlay == 0 && m.Repeats == 0 }

// ShowsInFull reports whether the view shows a result with this very text, so
// that a pointer to it tells as much.
func (v *View) ShowsInFull(seq uint64, text string) bool {
	i := sort.Search(len(v.Messages), func(i int) bool { return v.Messages[i].Events[0] >= seq })
	if i == len(v.Messages) {
		return false
	}
	m := &v.Messages[i]
	return m.Role == RoleTool && m.Events[0] == seq && m.whole() && m.Text == text
}

func (v *View) add(m Message) {
	v.Messages = append(v.Messages, m)
	m.AddTo(&v.Sizes)
}
