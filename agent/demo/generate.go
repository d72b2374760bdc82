package demo

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"
)

// A reply is made whole, cut to the room it has, and then sent token by token:
// one piece of text, of reasoning or of arguments is one token, the head of a
// call as many as it counts in a history. So the usage is exact, and what a
// client sends back as history is what was cached.

// generation is a reply on its way out.
type generation struct {
	id      string
	created int64
	pieces  []delta
	costs   []int // tokens of each piece
	message delta // the whole
	finish  string
	usage   usage
	fault   string
}

// generate answers a request, or refuses it if its prompt fills the window.
func (s *Server) generate(r *request) (*generation, *apiError) {
	p := tokenize(s.seed, r)
	if len(p.tokens) >= s.options.Window {
		return nil, overflow(len(p.tokens), s.options.Window)
	}
	room := s.options.Window - len(p.tokens)
	if limit := r.limit(); limit > 0 {
		room = min(room, limit)
	}
	answered := answer(newTurn(r, len(p.tokens), s.options.Window, room))

	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	now := s.options.Now()
	g := &generation{id: fmt.Sprintf("chatcmpl-demo-%06d", s.requests), created: now.Unix()}
	g.fill(answered, fingerprintOf(r, s.requests), room)
	g.usage.Prompt = len(p.tokens)
	g.usage.Total = g.usage.Prompt + g.usage.Completion
	g.usage.PromptPart.Cached = s.cache.match(r.CacheKey, p.tokens, now)
	// The reply is cached as the history will show it.
	p.text(g.message.Reasoning)
	if g.message.Content != nil {
		p.text(*g.message.Content)
	}
	p.calls(g.message.Calls)
	s.cache.store(r.CacheKey, p.tokens, now)
	return g, nil
}

// fingerprintOf tells requests apart: ids of calls must not repeat within a
// conversation, even one that goes on in another run of the program.
func fingerprintOf(r *request, n int) [sha256.Size]byte {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, uint64(n)) // a hash takes every write
	for _, m := range r.Messages {
		fmt.Fprintf(h, "%q %q %q", m.Role, m.Content.Text, m.CallID)
		for _, c := range m.Calls {
			fmt.Fprintf(h, "%q %q", c.ID, c.Function.Arguments)
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// fill cuts a reply into pieces until room tokens are used up.
func (g *generation) fill(r reply, print [sha256.Size]byte, room int) {
	g.finish = "stop"
	add := func(d delta, cost int) bool {
		if g.usage.Completion+cost > room {
			g.finish = "length"
			return false
		}
		g.usage.Completion += cost
		g.pieces, g.costs = append(g.pieces, d), append(g.costs, cost)
		return true
	}
	for _, p := range pieces(r.reasoning) {
		if !add(delta{Reasoning: p}, 1) {
			return
		}
		g.usage.CompletionPart.Reasoning++
		g.message.Reasoning += p
	}
	var text []byte
	empty := ""
	g.message.Content = &empty
	for _, p := range pieces(r.text) {
		if !add(delta{Content: &p}, 1) {
			break
		}
		text = append(text, p...)
	}
	whole := string(text)
	g.message.Content = &whole
	for i, c := range r.calls {
		if g.finish == "length" || !g.fillCall(i, c, print, add) {
			return
		}
	}
	if len(r.calls) > 0 {
		g.finish = "tool_calls"
	}
}

func (g *generation) fillCall(i int, c call, print [sha256.Size]byte, add func(delta, int) bool) bool {
	print[0] ^= byte(i)
	sum := sha256.Sum256(print[:])
	head := wireCall{Index: &i, ID: "call_" + hex.EncodeToString(sum[:10]), Type: "function", Function: wireFunction{Name: c.name}}
	if !add(delta{Calls: []wireCall{head}}, 3+countTokens(c.name)) {
		return false
	}
	head.Index = nil
	g.message.Calls = append(g.message.Calls, head)
	mine := &g.message.Calls[len(g.message.Calls)-1].Function
	for _, p := range pieces(c.arguments) {
		if !add(delta{Calls: []wireCall{{Index: &i, Function: wireFunction{Arguments: p}}}}, 1) {
			return false
		}
		mine.Arguments += p
	}
	return true
}

// whole answers without a stream, after the time the reply takes.
func (s *Server) whole(w http.ResponseWriter, r *http.Request, g *generation) {
	if s.options.Pace > 0 {
		if s.options.Wait(r.Context(), time.Duration(g.usage.Completion)*time.Second/time.Duration(s.options.pace(g.usage.Completion))) != nil {
			drop(w)
			return
		}
	}
	m := g.message
	m.Role = "assistant"
	switch g.fault {
	case "slow":
		if s.options.Wait(r.Context(), slowStart) != nil {
			drop(w)
			return
		}
	case "cut":
		drop(w)
		return
	case "empty":
		none := ""
		m, g.finish = delta{Role: "assistant", Content: &none}, "stop"
		g.usage.Completion, g.usage.CompletionPart.Reasoning, g.usage.Total = 0, 0, g.usage.Prompt
	}
	if m.Content == nil {
		none := ""
		m.Content = &none
	}
	writeJSON(w, http.StatusOK, chunk{
		Choices: []choice{{Finish: &g.finish, Message: &m}},
		Created: g.created, ID: g.id, Model: ModelID, Fingerprint: fingerprint, Object: "chat.completion", Usage: &g.usage,
	})
}

// drop breaks the connection without a word.
func drop(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/1.1 without TLS can always be hijacked
		return
	}
	_ = conn.Close() // breaking it is the point
}
