package projection

import (
	"errors"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// Hardening makes the messages of any view valid for an endpoint:
//
//   - The first message is the user's. Messages without content are left out.
//   - Every call has exactly one result, directly after its message and in the order of
//     the calls. Results without a call are left out, missing results are added.
//   - Call ids are unique, in the endpoint's format, and the same in call and result.
//     Tool names are valid for every endpoint.
//   - A result always has content.
//   - Neighbours of one role are merged where the endpoint requires alternating roles.
//
// It does not check texts: they were made valid when they were added to the log.

// ErrNothingToSend says that a view cannot be sent: its last message is the model's own, or it has no messages.
var ErrNothingToSend = errors.New("there is nothing to answer: the last message is the model's own")

// Texts that hardening adds. They never change, so that the same log always gives the same request.
const (
	NoOutput        = "(no output)"
	interruptedCall = "interrupted: the call was stopped before it had a result"
	firstWasReply   = "(the conversation begins with a reply)"
)

// Harden returns the messages of a view as an endpoint accepts them. It is pure and works for any view. With the error
// ErrNothingToSend the messages may still be shown.
func Harden(v View, c Capabilities) ([]Message, error) {
	h := hardener{caps: c, view: v.Messages, ids: callIDs{form: c.CallIDs, used: map[string]bool{}, tried: map[string]int{}},
		calls: indexCalls(v.Messages), out: make([]Message, 0, len(v.Messages))}
	for i := range v.Messages {
		h.add(i)
	}
	out := h.out
	if len(out) > 0 && out[0].Role != RoleUser {
		first := Message{Role: RoleUser, Text: firstWasReply, State: StateVerbatim, Why: "a request starts with the user",
			Size: conversation.Measure(firstWasReply), Turn: out[0].Turn}
		out = append([]Message{first}, out...)
	}
	if c.Alternate || c.NoTools {
		out = mergeNeighbours(out)
	}
	if len(out) == 0 || out[len(out)-1].Role == RoleAssistant {
		return out, ErrNothingToSend
	}
	return out, nil
}

type hardener struct {
	caps  Capabilities
	view  []Message
	calls map[string]*callSites
	ids   callIDs
	out   []Message
}

// callSites are the calls and results with one id, as ascending indices into the view.
type callSites struct{ calls, results []int }

func indexCalls(messages []Message) map[string]*callSites {
	sites := map[string]*callSites{}
	sitesOf := func(id string) *callSites {
		s := sites[id]
		if s == nil {
			s = &callSites{}
			sites[id] = s
		}
		return s
	}
	for i := range messages {
		if messages[i].Role == RoleTool {
			s := sitesOf(messages[i].CallID)
			s.results = append(s.results, i)
		}
		for _, c := range messages[i].Calls {
			s := sitesOf(c.ID)
			s.calls = append(s.calls, i)
		}
	}
	return sites
}

// nextResult returns the result of the next call with the id: the first one between this call and the one after it.
func (s *callSites) nextResult() (result int, ok bool) {
	call := s.calls[0]
	s.calls = s.calls[1:]
	for len(s.results) > 0 && s.results[0] < call {
		s.results = s.results[1:]
	}
	if len(s.results) == 0 || len(s.calls) > 0 && s.calls[0] > call && s.results[0] > s.calls[0] {
		return 0, false
	}
	result = s.results[0]
	s.results = s.results[1:]
	return result, true
}

func (h *hardener) add(i int) {
	switch m := h.view[i]; {
	case m.Role == RoleTool: // addCalls adds results after their call; results without a call are left out
	case m.Role == RoleAssistant && len(m.Calls) > 0:
		h.addCalls(m)
	case strings.TrimSpace(m.Text) != "" || m.Role != RoleAssistant && len(m.Images) > 0:
		h.out = append(h.out, m)
	}
}

func (h *hardener) addCalls(m Message) {
	calls := make([]conversation.ToolCall, len(m.Calls))
	results := make([]Message, len(m.Calls))
	for k, c := range m.Calls {
		id := h.ids.assign(c.ID)
		result := Message{Role: RoleTool, Text: interruptedCall, Turn: m.Turn, State: StateVerbatim, Why: "the call has no result",
			Failed: true, Size: conversation.Measure(interruptedCall)}
		if r, ok := h.calls[c.ID].nextResult(); ok {
			result = h.view[r]
		}
		if strings.TrimSpace(result.Text) == "" {
			result.Text, result.Size = NoOutput, conversation.Measure(NoOutput)
		}
		c.ID, c.Name = id, ToolName(c.Name)
		result.CallID, result.Tool = c.ID, c.Name
		calls[k], results[k] = c, result
	}
	m.Calls = calls
	if strings.TrimSpace(m.Text) == "" { // models write newlines before calls, and servers refuse blank text
		m.Text, m.Size = "", conversation.Size{}
	}
	if h.caps.NoTools {
		h.addAsText(m, results)
		return
	}
	h.out = append(append(h.out, m), results...)
}

// addAsText adds calls and results as text, for an endpoint without tools.
func (h *hardener) addAsText(m Message, results []Message) {
	var reply strings.Builder
	reply.WriteString(m.Text)
	for _, c := range m.Calls {
		if reply.Len() > 0 {
			reply.WriteString("\n\n")
		}
		reply.WriteString("[used " + c.Name + " " + c.Arguments + "]")
	}
	m.Text, m.Calls = reply.String(), nil
	m.Size = conversation.Measure(m.Text)
	h.out = append(h.out, m)
	for _, a := range results {
		a.Role, a.CallID = RoleUser, ""
		a.Text = "[result of " + a.Tool + "]\n" + a.Text
		a.Size = conversation.Measure(a.Text)
		h.out = append(h.out, a)
	}
}

// mergeNeighbours joins neighbouring messages of one role. Replies with calls, and results, stay apart: the protocol sets their
// order.
func mergeNeighbours(in []Message) []Message {
	out := make([]Message, 0, len(in))
	for _, m := range in {
		if n := len(out); n > 0 && mergeable(out[n-1], m) {
			out[n-1] = merged(out[n-1], m)
			continue
		}
		out = append(out, m)
	}
	return out
}

func mergeable(a, b Message) bool {
	return a.Role == b.Role && a.Role != RoleTool && len(a.Calls) == 0 && len(a.Extras) == 0 && len(b.Extras) == 0
}

func merged(a, b Message) Message {
	m := b
	m.Text = a.Text + "\n\n" + b.Text
	m.Size = a.Size.Plus(b.Size).Plus(conversation.Size{ASCII: 2})
	m.Before = a.Before.Plus(b.Before)
	m.Images = slices.Concat(a.Images, b.Images)
	m.Events = append(append([]uint64(nil), a.Events...), b.Events...)
	m.Turn, m.Overlay = a.Turn, max(a.Overlay, b.Overlay)
	if b.State == StateVerbatim {
		m.State, m.Why = a.State, a.Why
	}
	switch {
	case a.Reasoning == "":
	case b.Reasoning == "":
		m.Reasoning, m.ReasoningSize = a.Reasoning, a.ReasoningSize
	default:
		m.Reasoning = a.Reasoning + "\n\n" + b.Reasoning
		m.ReasoningSize = a.ReasoningSize.Plus(b.ReasoningSize)
	}
	return m
}
