package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// longTalk is an agent that talks for many turns to a server with a window. The
// server answers "answer to" and how the message began, after as many calls of look
// as the message's number tells.
type longTalk struct {
	*rig
	server *agenttest.Server
	sent   []string // messages, in the order they were sent
	asides int

	mu     sync.Mutex // guards all below
	looked map[string]int
	gates  []*agenttest.Gate // at which requests for summaries wait
}

// longWindow is the window of most servers that are talked to for long.
const longWindow = 8192

// startLong returns an idle agent and the server that it talks to.
func startLong(t *testing.T, server func(*longTalk), options func(*core.Options)) *longTalk {
	t.Helper()
	l := &longTalk{server: &agenttest.Server{Window: longWindow}, looked: map[string]int{}}
	l.server.Answer = l.answer
	l.server.Mark = func() int { return len(l.memory.Events()) }
	if server != nil {
		server(l)
	}
	l.rig = prepare(t, func(o *core.Options) {
		o.Provider, o.Toolbox = l.server, agenttest.NewToolbox(looksLong())
		o.Model.Window = meter.Window{Tokens: longWindow, Source: meter.WindowConfig}
		if options != nil {
			options(o)
		}
	})
	l.run()
	l.wait()
	return l
}

// looksLong is the tool that gives a result of so many characters for {"of":TEXT,
// "chars":N}.
func looksLong() agenttest.Tool {
	return agenttest.Reader("look", func(_ context.Context, c conversation.ToolCall, _ func(string)) conversation.Outcome {
		var args struct {
			Of    string
			Chars int
		}
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			return conversation.Outcome{Status: conversation.ResultError, Text: err.Error()}
		}
		var b strings.Builder
		for i := 0; b.Len() < args.Chars; i++ {
			fmt.Fprintf(&b, "%d: entry %x of the listing for %s\n", i, (i*7919+args.Chars)%65536, args.Of)
		}
		return ok(b.String())
	})
}

// turnText is the n-th message: about a hundred tokens.
func turnText(n int) string {
	text := fmt.Sprintf("turn %d: what is in part %d?", n, n)
	if n%7 == 4 {
		return text + strings.Repeat(fmt.Sprintf("请看第%d部分的内容。", n), 9)
	}
	return text + strings.Repeat(fmt.Sprintf(" Tell me of item %d as well.", n%13), 15)
}

// looksIn is how many requests of a turn ask for tools.
func looksIn(n int) int {
	switch {
	case n%10 == 5:
		return 3
	case n%7 == 0:
		return 1
	}
	return 0
}

// lookChars is how long results are: about 300 to 3,000 tokens. Some come twice.
var lookChars = [...]int{1100, 5000, 1400, 2000, 10_800, 1200, 3000, 1500, 7000, 1100}

// answer is the reply to the message that the log has last.
func (l *longTalk) answer(int, llm.Request) agenttest.Reply {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, n := lastSaid(l.memory.Events()), -1
	name, _, _ := strings.Cut(text, ":")
	if _, err := fmt.Sscanf(text, "turn %d:", &n); err != nil {
		n = -1
	}
	if did := l.looked[name]; n >= 0 && did < looksIn(n) {
		l.looked[name]++
		chars := lookChars[(3*n+n/10+5*did)%len(lookChars)]
		return asks(agenttest.Call(0, fmt.Sprintf("c%d_%d", n, did), "look", fmt.Sprintf(`{"of":%q,"chars":%d}`, name, chars)))
	}
	return answers("answer to " + name + strings.Repeat(". As far as it can be told it is as you say", 11))
}

// lastSaid is the newest message of the user.
func lastSaid(events []conversation.Event) string {
	for _, e := range slices.Backward(events) {
		if b, isUser := e.Body.(conversation.UserMessage); isUser {
			return b.Text
		}
	}
	return ""
}

// sends sends a message.
func (l *longTalk) sends(text string) {
	l.sent = append(l.sent, text)
	l.Send(text)
}

// rests lets time pass until nothing goes on, and then a while. Whenever a summary
// waits at a gate a message is sent before it may go on.
func (l *longTalk) rests() {
	const most = 200 // times that a turn is looked at
	for range most {
		l.wait()
		if l.aside() {
			continue
		}
		if l.phase() == updates.Idle {
			time.Sleep(20 * time.Second)
			l.wait()
			if !l.aside() && l.phase() == updates.Idle {
				return
			}
			continue
		}
		time.Sleep(5 * time.Second)
	}
	l.t.Fatalf("the turn does not end: %s", l.phase())
}

// aside says something beside a summary that waits, and lets it go on.
func (l *longTalk) aside() bool {
	l.mu.Lock()
	gates := l.gates
	l.gates = nil
	l.mu.Unlock()
	for _, g := range gates {
		l.asides++
		l.sends(fmt.Sprintf("aside %d: and besides, do not forget the others", l.asides))
		l.wait()
		g.Open()
	}
	return len(gates) > 0
}

// gate is one at which a request for a summary waits until something was said.
func (l *longTalk) gate(int) *agenttest.Gate {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := agenttest.NewGate()
	l.gates = append(l.gates, g)
	return g
}

// phase is what goes on.
func (l *longTalk) phase() updates.Phase {
	for _, u := range slices.Backward(l.watch.Updates()) {
		if s, isStatus := u.(updates.Status); isStatus {
			return s.Phase
		}
	}
	return updates.Idle
}

// requests are those of a purpose.
func (l *longTalk) requests(p conversation.Purpose) []agenttest.Served {
	return slices.DeleteFunc(l.server.Served(), func(s agenttest.Served) bool { return s.Purpose != p })
}

// checkRequests checks what the server was sent. inARow is how many requests of one
// purpose it may refuse, one after the other, for their size: a summary is asked for
// beside the conversation, so that its requests come between any two others.
func (l *longTalk) checkRequests(inARow int) {
	l.t.Helper()
	refused := map[conversation.Purpose]int{}
	for i, s := range l.server.Served() {
		for _, wrong := range s.Wrong {
			l.t.Errorf("request %d: %s", i, wrong)
		}
		if refused[s.Purpose]++; !s.Refused {
			refused[s.Purpose] = 0
		}
		if n := refused[s.Purpose]; n > inARow {
			l.t.Errorf("request %d (%q, behind event %d): %d tokens are refused, the %d-th time in a row", i, s.Purpose, s.Mark, s.Tokens, n)
		}
	}
	events, before := l.memory.Events(), 0
	for i, s := range l.requests(conversation.ForReply) {
		newest := lastSaid(events[:s.Mark])
		if !slices.ContainsFunc(s.Request.Messages, func(m projection.Message) bool { return m.Role == projection.RoleUser && m.Text == newest }) {
			l.t.Errorf("reply %d (behind event %d): %.20q is not in the request", i, s.Mark, newest)
		}
		changed := slices.ContainsFunc(events[before:s.Mark], func(e conversation.Event) bool {
			return e.Body.Kind().Overlay() || e.Body.Kind() == conversation.KindInstructions
		})
		if !changed && s.Shared < s.Before {
			l.t.Errorf("reply %d (behind event %d): the prefix breaks after %d of %d messages, and no overlay was made", i, s.Mark, s.Shared, s.Before)
		}
		before = s.Mark
	}
}

// checkSaid checks that everything sent is in the log, in order, and has an answer.
func (l *longTalk) checkSaid() {
	l.t.Helper()
	var logged, unanswered []string
	for _, e := range l.memory.Events() {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			logged = append(logged, b.Text)
			unanswered = append(unanswered, b.Text)
		case conversation.AssistantMessage:
			if n := len(unanswered); n > 0 && b.Stop == conversation.StopEnd && strings.HasPrefix(b.Text, "answer to ") {
				unanswered = unanswered[:n-1]
			}
		}
	}
	if diff := cmp.Diff(l.sent, logged); diff != "" || len(l.memory.Waiting()) > 0 || len(l.returned()) > 0 {
		l.t.Errorf("%d were sent and %d are logged, %d wait, %d came back: %s", len(l.sent), len(logged), len(l.memory.Waiting()), len(l.returned()), diff)
	}
	for _, f := range agenttest.Of[updates.Failed](l.watch) {
		l.t.Errorf("told that %v (%s)", f.Err, f.Err.Hint)
	}
	for _, text := range unanswered {
		l.t.Errorf("%.20q has no answer", text)
	}
}

// checkOverlays checks that the summaries in force do not overlap in part, that
// none is anything but what a model wrote as one, and that whoever watches is told
// when messages were left out, and only then.
func (l *longTalk) checkOverlays() {
	l.t.Helper()
	events := l.memory.Events()
	var bands []conversation.Summary
	for _, i := range conversation.InForce(events) {
		s, isSummary := events[i].Body.(conversation.Summary)
		if !isSummary || s.Policies != nil {
			continue
		}
		if s.Text == "" {
			if !strings.HasPrefix(s.Appendix, "## Note on ") {
				l.t.Errorf("%.80q is taken for a note", s.Appendix)
			}
			continue
		}
		if !strings.HasPrefix(s.Text, "### Goal\nAccount ") {
			l.t.Errorf("%.80q is taken for a summary", s.Text)
		}
		for _, older := range bands {
			if n, all := inCommon(events, s.Spans, older.Spans); n != 0 && n != all {
				l.t.Errorf("the summary %v covers %d of the %d events of %v", s.Spans, n, all, older.Spans)
			}
		}
		bands = append(bands, s)
	}
	left, told := map[uint64]bool{}, map[uint64]bool{}
	for _, e := range conversation.Epochs(events) {
		if slices.ContainsFunc(e.Overlays, func(o conversation.Event) bool { return o.Body.Kind() == conversation.KindDrop }) {
			left[e.ID] = true
		}
	}
	for _, c := range l.made() {
		if c.Trimmed {
			told[c.Epoch] = true
		}
	}
	if diff := cmp.Diff(left, told); diff != "" {
		l.t.Errorf("epochs that leave messages out, and those of which that was told: %s", diff)
	}
}

// inCommon is how many messages of the older spans the newer ones cover, and of how
// many.
func inCommon(events []conversation.Event, newer, older []conversation.Span) (n, all int) {
	held := func(spans []conversation.Span, seq uint64) bool {
		return slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Holds(seq) })
	}
	for _, e := range events {
		switch e.Body.Kind() {
		case conversation.KindUser, conversation.KindAssistant, conversation.KindResult:
			if held(older, e.Seq) {
				all++
				if held(newer, e.Seq) {
					n++
				}
			}
		}
	}
	return n, all
}

// checkRest checks that nothing goes on, and that the meter shows what the log says.
func (l *longTalk) checkRest() {
	l.t.Helper()
	l.idle()
	if n := l.server.Running(); n != 0 {
		l.t.Errorf("%d streams run", n)
	}
	m := l.meterOf()
	if want := m.WithView(projection.Project(l.memory.Events())).RequestEstimate(); m.RequestEstimate() != want {
		l.t.Errorf("the meter estimates %v tokens, and %v make up the next request", m.RequestEstimate(), want)
	}
}

// exhausted is how many events the log had when the third summary in a row came to
// nothing, 0 if that never was.
func (l *longTalk) exhausted() int {
	failed := 0
	for i, e := range l.memory.Events() {
		switch b := e.Body.(type) {
		case conversation.Attempt:
			if b.Outcome == conversation.OutcomeFailed && b.Model != "" {
				failed++
			}
		case conversation.Summary:
			if b.Text != "" {
				failed = 0
			}
		}
		if failed == 3 {
			return i + 1
		}
	}
	return 0
}
