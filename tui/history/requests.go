package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// The parent rebuilds the requests that were sent. Until the answer arrives, the screen
// shows "building…" and stays usable. An answer for another request than the shown one is
// ignored.

// request is one of the requests that were sent.
type request struct {
	at      int // index into Content.Requests
	sent    inspect.SentRequest
	pending bool // it is not rebuilt yet
	rebuilt inspect.RebuiltRequest
	err     error  // why it cannot be rebuilt
	from    uint64 // event with the cursor before the request was shown
}

// description describes a request: its model, time, turn, tokens and bytes.
func (q *request) description(zone *time.Location) string {
	u := q.sent.Usage
	parts := []string{cmp.Or(plain.Line(u.Model), "model unknown"), clock(q.sent.Time, zone), "turn " + pane.Turn(q.sent.Turn)}
	if u.HasPromptCount() {
		tokens := numbers.Grouped(u.Prompt) + " tokens"
		if u.Cached > 0 {
			tokens += ", " + numbers.Grouped(u.Cached) + " of them cached"
		}
		parts = append(parts, tokens)
	}
	if n := len(q.rebuilt.Body); n > 0 {
		parts = append(parts, numbers.Grouped(n)+" bytes")
	}
	return strings.Join(parts, " · ")
}

// verdict says whether the rebuilt request is byte for byte the one that was sent.
func (q *request) verdict(s *Styles) string {
	switch {
	case q.pending:
		return s.Muted.Render("building…")
	case q.err != nil:
		return s.Error.Render("it cannot be rebuilt")
	case q.rebuilt.MatchesSent:
		return s.Success.Render("byte for byte as sent ✓") + s.Muted.Render(" sha256 "+plain.Line(conversation.Beginning(q.rebuilt.Hash, 12))+"…")
	}
	return s.Warning.Render("not verified: " + cmp.Or(plain.Line(q.rebuilt.Why), "no hash was recorded"))
}

// answer sets the rebuilt request, or the error. It returns false if the answer is for another request.
func (q *request) answer(r inspect.RebuiltRequest, err error) bool {
	if q == nil || r.Event != q.sent.Event && (err == nil || r.Event != 0) {
		return false
	}
	q.rebuilt, q.err, q.pending = r, err, false
	if err == nil && len(r.Messages) == 0 && r.System == "" && r.Why != "" {
		q.err = errors.New(r.Why)
	}
	if q.err != nil {
		q.rebuilt.Messages = nil
	}
	return true
}

// instructions returns the system prompt or the tools of a request as text.
func (q *request) instructions(k kind) (name, text string) {
	if k == kindPrompt {
		return "system prompt", q.rebuilt.System
	}
	var b strings.Builder
	for _, t := range q.rebuilt.Tools {
		fmt.Fprintf(&b, "%s  %s\n%s\n", t.Name, t.Description, t.Parameters)
	}
	return numbers.Count(len(q.rebuilt.Tools), "tool"), strings.TrimSpace(b.String())
}

// stepTo returns the request before or after the shown one. If the conversation is shown, it returns the request nearest to the
// event from. Without such a request, it returns the reason.
func (d *document) stepTo(by int, from uint64) (*request, string) {
	at := 0
	if d.request != nil {
		at, from = d.request.at+by, d.request.from
	} else {
		at = nearest(d.Requests, from, by)
	}
	switch {
	case at < 0:
		return nil, "this is the first request"
	case at >= len(d.Requests):
		return nil, "this is the newest request"
	}
	return &request{at: at, sent: d.Requests[at], pending: true, from: from}, ""
}

// nearest returns the index of the last request before an event, for a reply the request that it answers. With by > 0 it returns
// the first request that contains the event, or the newest if there is none.
func nearest(list []inspect.SentRequest, seq uint64, by int) int {
	containing := slices.IndexFunc(list, func(r inspect.SentRequest) bool { return seq != 0 && r.Through >= seq })
	switch {
	case containing < 0:
		return len(list) - 1
	case by > 0:
		return containing
	}
	return max(0, containing-1)
}
