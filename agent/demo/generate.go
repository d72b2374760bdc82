package demo

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"plimsoll/agent/wire"
)

// generate answers a request, or refuses it if its prompt fills the window.
func (s *Server) generate(r *request) (*generation, *apiError) {
	prompt := r.prompt()
	size := countTokens(prompt)
	if size >= s.options.Window {
		return nil, overflow(size, s.options.Window)
	}
	room := s.options.Window - size
	if limit := r.limit(); limit > 0 {
		room = min(room, limit)
	}
	g := newGeneration(newTurn(r, size, s.options.Window, room).answer(), room)
	g.usage.Prompt = size
	g.usage.Total = size + g.usage.Completion

	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Now()
	g.usage.PromptPart.Cached = s.cache.match(prompt, now)
	s.cache.store(prompt+g.sent(), now)
	return g, nil
}

// stream sends a reply at the pace asked for. The pace is kept against the
// clock, not for each token, so that late timers do not add up. When the client
// goes away nothing more is written.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, g *generation, withUsage bool) {
	begun := s.options.Now()
	out := wire.NewStream(w)
	out.ID, out.Model, out.Created = "chatcmpl-"+rand.Text(), ModelID, begun.Unix()
	out.Send(wire.Delta{Role: "assistant"})
	pace := time.Duration(s.options.pace(len(g.deltas)))
	for i, d := range g.deltas {
		if pace > 0 {
			if early := begun.Add(time.Duration(i+1) * time.Second / pace).Sub(s.options.Now()); early > 0 {
				abortIf(s.options.Wait(r.Context(), early))
			}
		}
		out.Send(d)
		abortIf(errors.Join(out.Err(), r.Context().Err()))
	}
	out.Finish(g.finish)
	if withUsage {
		out.Usage(g.usage)
	}
	out.Done()
}

// generation is a reply on its way out: one delta for each token.
type generation struct {
	deltas []wire.Delta
	finish string
	usage  wire.Usage
}

// sent is the reply as the history will show it.
func (g *generation) sent() string {
	var b strings.Builder
	for _, d := range g.deltas {
		b.WriteString(d.Content)
		for _, c := range d.Calls {
			if c.ID != "" {
				writeCall(&b, c.Function.Name, "")
			}
			b.WriteString(c.Function.Arguments)
		}
	}
	return b.String()
}

// newGeneration cuts a reply into tokens, at most room of them.
func newGeneration(r reply, room int) *generation {
	g := &generation{finish: "stop"}
	for _, p := range pieces(r.text) {
		g.deltas = append(g.deltas, wire.Delta{Content: p})
	}
	for i, c := range r.calls {
		g.finish = "tool_calls"
		// The id must not repeat in a conversation that another run began.
		g.deltas = append(g.deltas, wire.Delta{Calls: []wire.Call{wire.NewCall(i, "call_"+rand.Text(), c.tool, "")}})
		for _, p := range pieces(c.arguments) {
			g.deltas = append(g.deltas, wire.Delta{Calls: []wire.Call{{Index: i, Function: wire.Function{Arguments: p}}}})
		}
	}
	if len(g.deltas) > room {
		g.deltas, g.finish = g.deltas[:room], "length"
	}
	g.usage.Completion = len(g.deltas)
	return g
}
