package history

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Requests that were sent are made again by the parent. While one is made, the screen
// says so and stays usable; an answer that is not for the request in sight is thrown
// away.

// requestState is how far a request is.
type requestState int

const (
	requestAsked requestState = iota
	requestMade
	requestFailed
)

// request is one of the requests that were sent.
type request struct {
	at    int // index into Content.Requests
	sent  compact.SentRequest
	state requestState
	made  compact.Rebuilt
	err   error
	from  uint64 // event under the cursor before
}

// step goes to the request before or after; from the conversation as it is now to the
// one that was made of what is under the cursor, or else the nearest.
func (m *Model) step(by int) pane.Action {
	list := m.book.Requests
	if len(list) == 0 {
		return m.say("no request of this conversation was recorded", true)
	}
	at, from := 0, m.here()
	if m.request != nil {
		at, from = m.request.at+by, m.request.from
	} else {
		at = nearest(list, from, by)
	}
	switch {
	case at < 0:
		return m.say("this is the first request", false)
	case at >= len(list):
		return m.say("this is the newest request", false)
	}
	m.request = &request{at: at, sent: list[at], from: from}
	m.search.stale = true
	m.redraw()
	m.lay()
	return Wanted{Event: list[at].Event}
}

// nearest is the last request that was made before an event was said, of a reply the
// one that brought it, or with by > 0 the first made of it; at the ends the last there
// is.
func nearest(list []compact.SentRequest, seq uint64, by int) int {
	behind := slices.IndexFunc(list, func(r compact.SentRequest) bool { return seq != 0 && r.Through >= seq })
	switch {
	case behind < 0:
		return len(list) - 1
	case by > 0:
		return behind
	}
	return max(0, behind-1)
}

// leaveRequest goes back to the conversation as it is now.
func (m *Model) leaveRequest() {
	seq := m.here()
	if seq == 0 {
		seq = m.request.from
	}
	m.request = nil
	m.search.stale = true
	m.redraw()
	m.lay()
	m.goTo(seq)
}

// Request is the answer to Wanted: the request, or why it cannot be made again.
func (m *Model) Request(r compact.Rebuilt, err error) {
	q := m.request
	if q == nil || r.Event != q.sent.Event && (err == nil || r.Event != 0) {
		return
	}
	q.made, q.err, q.state = r, err, requestMade
	if err == nil && len(r.Messages) == 0 && r.System == "" && r.Why != "" {
		q.err = errors.New(r.Why)
	}
	if q.err != nil {
		q.state, q.made.Messages = requestFailed, nil
	}
	m.redraw()
	m.lay()
	m.list.ToEnd(rows{m})
}

// place is which of the requests is shown.
func (m *Model) place() string {
	return fmt.Sprintf("%d of %d", m.request.sent.Number, len(m.book.Requests))
}

// requestLines are what is known of a request, and whether it is what was sent.
func (m *Model) requestLines() []string {
	u := m.request.sent.Usage
	parts := []string{orElse(plain.Line(u.Model), "model unknown"), m.clock(m.request.sent.Time), "turn " + numbers.Grouped(m.request.sent.Turn)}
	if u.Reported() {
		tokens := numbers.Grouped(u.Prompt) + " tokens"
		if u.Cached > 0 {
			tokens += ", " + numbers.Grouped(u.Cached) + " of them cached"
		}
		parts = append(parts, tokens)
	}
	if n := len(m.request.made.Body); n > 0 {
		parts = append(parts, numbers.Grouped(n)+" bytes")
	}
	return []string{m.styles.Pane.Detail.Render(strings.Join(parts, " · ")), m.verdict()}
}

// verdict says whether the request is, byte for byte, what was sent.
func (m *Model) verdict() string {
	q := m.request
	switch {
	case q.state == requestAsked:
		return m.styles.Pane.Muted.Render("building…")
	case q.state == requestFailed:
		return m.styles.Pane.Error.Render("it cannot be made again")
	case q.made.Same:
		return m.styles.ToolOK.Render("byte for byte as sent ✓") + m.styles.Pane.Muted.Render(" sha256 "+plain.Line(head(q.made.Hash, 12))+"…")
	}
	return m.styles.Pane.Warning.Render("not verified: " + orElse(plain.Line(q.made.Why), "no hash was recorded with it"))
}

// requestBody is what stands in place of the messages of a request that is not there.
func (m *Model) requestBody() []string {
	if m.request.state == requestFailed {
		return pane.Each(m.styles.Pane.Error, pane.Wrap("  "+plain.Text(m.request.err.Error()), m.width-2))
	}
	return []string{m.styles.Pane.Muted.Render("  building…")}
}

// sketchInstructions draws the system prompt or the tools of a request.
func (m *Model) sketchInstructions(it item, open bool, width int) sketch {
	name, text := m.instructions(it)
	right := m.styles.Pane.Muted.Render(pane.Tokens(m.book.tokens(conversation.Measure(text))))
	s := sketch{lines: []string{m.headLine(m.styles.Assistant.Render(name), right, width)}}
	body := m.fold(text, m.styles.Sent, foldLines, width)
	if open {
		body = m.spread(text, m.styles.Sent, width)
	}
	if text == "" {
		body = styled(m.styles.Pane.Muted, "none")
	}
	s.lines = append(s.lines, m.paintAll(body)...)
	return s
}

// instructions is the system prompt or the tools of a request, as a text.
func (m *Model) instructions(it item) (name, text string) {
	if it.kind == kindPrompt {
		return "system prompt", m.request.made.System
	}
	var b strings.Builder
	for _, t := range m.request.made.Tools {
		fmt.Fprintf(&b, "%s  %s\n%s\n", t.Name, t.Description, t.Parameters)
	}
	return numbers.Count(len(m.request.made.Tools), "tool"), strings.TrimSpace(b.String())
}
