package demo

import (
	"context"
	"net/http"
	"time"

	"plimsoll/conversation"
)

// A stream is flushed piece by piece at the pace asked for. The pace is kept
// against the clock, not per piece, so that late timers do not add up. When the
// client goes away nothing more is written.

const (
	slowStart  = 3 * time.Second // of the fault "slow": before the first piece
	slowFactor = 10              // of the fault "slow": how much slower than the pace
)

// streamer writes the events of one reply.
type streamer struct {
	ctx     context.Context // of the request
	w       http.ResponseWriter
	flush   func() error
	options Options
	g       *generation
	broken  bool
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, g *generation, withUsage bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
	st := &streamer{ctx: r.Context(), w: w, flush: http.NewResponseController(w).Flush, options: s.options, g: g}
	st.send(&delta{Role: "assistant"}, nil)
	if g.fault == "slow" {
		st.pause(slowStart)
	}
	pieces := g.pieces
	switch g.fault {
	case "cut":
		pieces = pieces[:len(pieces)/2]
	case "empty":
		pieces, g.finish = nil, "stop"
		g.usage.Completion, g.usage.CompletionPart.Reasoning, g.usage.Total = 0, 0, g.usage.Prompt
	}
	st.body(pieces)
	if g.fault == "cut" || st.broken { // returning would end the stream as if it were complete
		drop(w)
		return
	}
	st.send(&delta{}, &g.finish)
	if withUsage {
		st.event(chunk{Choices: []choice{}, Usage: &g.usage})
	}
	st.write("data: [DONE]\n\n")
}

func (st *streamer) body(pieces []delta) {
	pace := time.Duration(st.options.pace(st.g.usage.Completion))
	if st.g.fault == "slow" {
		pace = max(pace/slowFactor, min(pace, 1))
	}
	start, sent := st.options.Now(), time.Duration(0)
	for i := range pieces {
		if st.broken {
			return
		}
		if pace > 0 {
			sent += time.Duration(st.g.costs[i])
			if early := start.Add(sent * time.Second / pace).Sub(st.options.Now()); early > 0 {
				st.pause(early)
			}
		}
		st.send(&pieces[i], nil)
	}
}

// pause waits for d; a long pause is filled with comments, which keep clients
// and proxies from giving up.
func (st *streamer) pause(d time.Duration) {
	for d > 0 && !st.broken {
		step := min(d, longPause)
		if st.options.Wait(st.ctx, step) != nil {
			st.broken = true
			return
		}
		if d -= step; d > 0 {
			st.write(": keep-alive\n\n")
		}
	}
}

func (st *streamer) send(d *delta, finish *string) {
	st.event(chunk{Choices: []choice{{Finish: finish, Delta: d}}})
}

func (st *streamer) event(c chunk) {
	c.Created, c.ID, c.Model, c.Fingerprint, c.Object = st.g.created, st.g.id, ModelID, fingerprint, "chat.completion.chunk"
	body, err := conversation.EncodeJSON(c)
	if err != nil { // the values are ours and always encode
		st.broken = true
		return
	}
	st.write("data: " + string(body) + "\n\n")
}

func (st *streamer) write(s string) {
	if st.broken {
		return
	}
	if st.ctx.Err() != nil {
		st.broken = true
		return
	}
	if _, err := st.w.Write([]byte(s)); err != nil {
		st.broken = true
		return
	}
	st.broken = st.flush() != nil
}
