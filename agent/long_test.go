package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// longConversation is an agent that runs many turns with a server that has a window. After toolSteps(n) calls of
// look, the server answers message n with "answer to" and the beginning of the message.
type longConversation struct {
	*rig
	server *agenttest.Provider
	sent   []string // messages, in the order they were sent

	mu     sync.Mutex // guards looked
	looked map[string]int
}

// longWindow is the window of most servers here, in tokens.
const longWindow = 8192

func startLong(t *testing.T, server func(*longConversation), options func(*core.Options)) *longConversation {
	t.Helper()
	l := &longConversation{server: &agenttest.Provider{Window: longWindow}, looked: map[string]int{}}
	l.server.Answer = l.answer
	l.server.StoredEvents = func() int { return len(l.memory.Events()) }
	if server != nil {
		server(l)
	}
	l.rig = prepare(t, func(o *core.Options) {
		o.Provider, o.Toolbox = l.server, agenttest.NewToolbox(longLookTool())
		o.Model.Window = meter.Window{Tokens: longWindow, Source: meter.WindowConfig}
		if options != nil {
			options(o)
		}
	})
	l.run()
	l.waitIdle()
	return l
}

// longLookTool returns a tool that answers {"of":TEXT, "chars":N} with a result of N characters.
func longLookTool() agenttest.Tool {
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
		return okOutcome(b.String())
	})
}

// turnText returns the n-th message: about a hundred tokens.
func turnText(n int) string {
	text := fmt.Sprintf("turn %d: what is in part %d?", n, n)
	if n%7 == 4 {
		return text + strings.Repeat(fmt.Sprintf("请看第%d部分的内容。", n), 9)
	}
	return text + strings.Repeat(fmt.Sprintf(" Tell me of item %d as well.", n%13), 15)
}

// toolSteps returns how many replies of turn n call tools.
func toolSteps(n int) int {
	switch {
	case n%10 == 5:
		return 3
	case n%7 == 0:
		return 1
	}
	return 0
}

// resultChars are the lengths of tool results: about 300 to 3,000 tokens. Some repeat.
var resultChars = [...]int{1100, 5000, 1400, 2000, 10_800, 1200, 3000, 1500, 7000, 1100}

func (l *longConversation) answer(int, llm.Request) agenttest.Reply {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, n := lastUserText(l.memory.Events()), -1
	name, _, _ := strings.Cut(text, ":")
	if _, err := fmt.Sscanf(text, "turn %d:", &n); err != nil {
		n = -1
	}
	if did := l.looked[name]; n >= 0 && did < toolSteps(n) {
		l.looked[name]++
		chars := resultChars[(3*n+n/10+5*did)%len(resultChars)]
		return callsReply(agenttest.StreamCall(0, fmt.Sprintf("c%d_%d", n, did), "look", fmt.Sprintf(`{"of":%q,"chars":%d}`, name, chars)))
	}
	return textReply("answer to " + name + strings.Repeat(". As far as it can be told it is as you say", 11))
}

func lastUserText(events []conversation.Event) string {
	said := bodies[conversation.UserMessage](events)
	if len(said) == 0 {
		return ""
	}
	return said[len(said)-1].Text
}

// sendAndSettle sends a message and waits until the conversation stays idle for 20 s.
func (l *longConversation) sendAndSettle(text string) {
	l.sent = append(l.sent, text)
	l.Send(text)
	l.waitUntilSettled()
}

func (l *longConversation) waitUntilSettled() {
	const most = 200 // times that a turn is looked at
	for range most {
		l.waitIdle()
		if phases := l.watch.Phases(); len(phases) == 0 || phases[len(phases)-1] == updates.Idle {
			time.Sleep(20 * time.Second)
			l.waitIdle()
			if phases := l.watch.Phases(); len(phases) == 0 || phases[len(phases)-1] == updates.Idle {
				return
			}
		}
		time.Sleep(5 * time.Second)
	}
	l.t.Fatal("the turn does not end")
}

func (l *longConversation) requestsFor(p conversation.Purpose) []agenttest.Served {
	return slices.DeleteFunc(l.server.Served(), func(s agenttest.Served) bool { return s.Purpose != p })
}

// longCase is one setup of a long conversation. The zero value has a healthy server.
type longCase struct {
	server  func(*longConversation)
	options func(*core.Options)
	before  func(l *longConversation, n int) // the n-th message

	refused int  // requests of one purpose that the server may refuse in a row for their size
	rare    bool // a compaction comes at most every fifth turn
	evicts  bool // a note replaces what is left out, and nothing waits
}

const longTurns = 60

func withSummaries(s agenttest.Summariser) func(*longConversation) {
	return func(l *longConversation) { l.server.Summary = s }
}

// mixedSummaries writes one summary of three at once, fails one, and takes longer for one than a request waits.
func mixedSummaries(n int, r llm.Request) agenttest.Reply {
	switch n % 4 {
	case 1, 2: // and once more
		return agenttest.Fail(serverFault())
	case 3:
		return agenttest.Join(agenttest.Pause(50*time.Second), agenttest.ReplyWithSummary(n, r))
	}
	return agenttest.ReplyWithSummary(n, r)
}

func withWindow(tokens int, source meter.WindowSource) func(*core.Options) {
	return func(o *core.Options) { o.Model.Window = meter.Window{Tokens: tokens, Source: source} }
}

func withPreset(p preset.Name) func(*core.Options) {
	return func(o *core.Options) { o.Rules = preset.RulesOf(p) }
}

// A conversation grows to many times its window, and the server may fail its summaries:
// no message is lost, every request is valid and every message is answered.
func TestLongConversationLosesNothing(t *testing.T) {
	for name, c := range map[string]longCase{
		"healthy":            {rare: true, evicts: true},
		"summaries fail":     {server: withSummaries(failingSummaries(serverFault())), evicts: true},
		"summaries hang":     {server: withSummaries(func(int, llm.Request) agenttest.Reply { return agenttest.WaitAtGate(agenttest.NewGate()) }), evicts: true},
		"all kinds":          {server: withSummaries(mixedSummaries), evicts: true},
		"no usage":           {server: func(l *longConversation) { l.server.OmitsUsage = true }, refused: 1},
		"cuts silently":      {server: func(l *longConversation) { l.server.Truncates = true }, options: withWindow(0, meter.WindowUnknown)},
		"window never named": {server: func(l *longConversation) { l.server.OmitsSizes = true }, options: withWindow(0, ""), refused: 1},
		"a night between": {rare: true, evicts: true, before: func(_ *longConversation, n int) {
			if n%20 == 17 {
				time.Sleep(10 * time.Hour)
			}
		}},
		"smaller window": {rare: true, before: func(l *longConversation, n int) {
			if n == longTurns/2 {
				l.SwitchModel(llm.Model{Provider: "test", ID: "small", Window: meter.Window{Tokens: longWindow, Source: meter.WindowConfig}}, l.server)
				l.waitUntilSettled()
			}
		}, options: withWindow(4*longWindow, meter.WindowConfig), server: func(l *longConversation) {
			l.server.Windows = map[string]int{testModel.ID: 4 * longWindow}
		}},
		"oneclaw": {options: withPreset(preset.OneClaw), server: withSummaries(mixedSummaries)},
		"jcli": {options: func(o *core.Options) {
			o.Rules = preset.RulesOf(preset.JCLI)
			o.Rules.TokenThreshold = 5000
		}, server: withSummaries(mixedSummaries)},
		"jp-auto": {options: withPreset(preset.JPAuto)},
	} {
		runBubble(t, name, func(t *testing.T) {
			l := startLong(t, c.server, c.options)
			for n := range longTurns {
				if c.before != nil {
					c.before(l, n)
				}
				l.sendAndSettle(turnText(n))
			}
			time.Sleep(time.Hour)
			l.waitUntilSettled()
			l.checkRequests(c.refused)
			l.checkMessages()
			l.checkOverlays()
			l.checkIdleMeter()
			if n := len(conversation.Epochs(l.memory.Events())); c.rare && (n == 0 || n >= longTurns/5) {
				t.Errorf("%d compactions in %d turns", n, longTurns)
			}
			if c.evicts {
				l.checkRecallable()
				l.checkUndo()
			}
			l.finish()
		})
	}
}

// checkRequests checks the requests that the server got. inARow is how many requests of one purpose it may refuse in
// a row for their size: background summary requests can come between any two others.
func (l *longConversation) checkRequests(inARow int) {
	l.t.Helper()
	refused := map[conversation.Purpose]int{}
	for i, s := range l.server.Served() {
		for _, wrong := range s.Problems {
			l.t.Errorf("request %d: %s", i, wrong)
		}
		if refused[s.Purpose]++; !s.Refused {
			refused[s.Purpose] = 0
		}
		if n := refused[s.Purpose]; n > inARow {
			l.t.Errorf("request %d (%q, after event %d): %d tokens are refused, the %d-th time in a row", i, s.Purpose, s.After, s.Tokens, n)
		}
	}
	events, before := l.memory.Events(), 0
	for i, s := range l.requestsFor(conversation.PurposeReply) {
		newest := lastUserText(events[:s.After])
		if !slices.ContainsFunc(s.Request.Messages, func(m projection.Message) bool { return m.Role == projection.RoleUser && m.Text == newest }) {
			l.t.Errorf("reply %d (after event %d): %.20q is not in the request", i, s.After, newest)
		}
		changed := slices.ContainsFunc(events[before:s.After], func(e conversation.Event) bool {
			return e.Body.Kind().IsOverlay() || e.Body.Kind() == conversation.KindInstructions
		})
		if !changed && s.Unchanged < s.Previous {
			l.t.Errorf("reply %d (after event %d): the prefix breaks after %d of %d messages, and no overlay was made", i, s.After, s.Unchanged, s.Previous)
		}
		before = s.After
	}
}

// checkMessages checks that every sent message is in the log, in order, with an answer.
func (l *longConversation) checkMessages() {
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
	if diff := cmp.Diff(l.sent, logged); diff != "" || len(unanswered)+len(l.memory.Waiting())+len(l.returned())+len(l.failures()) > 0 {
		l.t.Errorf("%.80q have no answer, failures %v, of what was sent: %s", unanswered, l.failures(), diff)
	}
}

// checkOverlays checks that the summaries in force do not overlap in part, that each is a text that the model wrote
// as a summary, and that updates report dropped messages exactly when an epoch drops some.
func (l *longConversation) checkOverlays() {
	l.t.Helper()
	events := l.memory.Events()
	var bands []conversation.Summary
	for _, i := range conversation.OverlaysInForce(events) {
		s, isSummary := events[i].Body.(conversation.Summary)
		if !isSummary || s.Policies != nil || s.Text == "" {
			continue
		}
		if !strings.HasPrefix(s.Text, "### Goal\nAccount ") {
			l.t.Errorf("%.80q is stored as a summary", s.Text)
		}
		for _, older := range bands {
			if n, all := countShared(events, s.Spans, older.Spans); n != 0 && n != all {
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
	for _, c := range l.compactions() {
		if c.Trimmed {
			told[c.Epoch] = true
		}
	}
	if diff := cmp.Diff(left, told); diff != "" {
		l.t.Errorf("epochs with omitted messages (-log +updates): %s", diff)
	}
}

// countShared returns how many messages of the older spans the newer spans cover, and how many the older spans have.
func countShared(events []conversation.Event, newer, older []conversation.Span) (n, all int) {
	held := func(spans []conversation.Span, seq uint64) bool {
		return slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.First <= seq && seq <= s.Last })
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

// checkIdleMeter checks that the agent is idle and its meter agrees with the log.
func (l *longConversation) checkIdleMeter() {
	l.t.Helper()
	l.checkIdle()
	if n := l.server.Running(); n != 0 {
		l.t.Errorf("%d streams run", n)
	}
	m := l.currentMeter()
	if want := m.WithView(projection.Project(l.memory.Events())).RequestEstimate(); m.RequestEstimate() != want {
		l.t.Errorf("the meter estimates %v tokens, and %v make up the next request", m.RequestEstimate(), want)
	}
}

var noteHead = regexp.MustCompile(`## Note on turns? [\d–]+ \(e(\d+)-(\d+)\)`)

// checkRecallable checks that no request waited for a summary, and that the note in the view names every evicted message
// for recall.
func (l *longConversation) checkRecallable() {
	l.t.Helper()
	for _, c := range agenttest.UpdatesOf[updates.Compacting](l.watch) {
		if c.RequestWaits {
			l.t.Errorf("a request waits for the summary of %s", c.Since)
		}
	}
	shown := map[uint64]bool{}
	var hidden []uint64
	note := ""
	for _, m := range projection.Project(l.memory.Events()).Messages {
		for _, seq := range m.Events {
			shown[seq] = true
			if m.State == projection.StateSummarised {
				hidden = append(hidden, seq)
			}
		}
		if m.State == projection.StateSummarised && note == "" {
			note = m.Text
		}
	}
	ids := noteHead.FindStringSubmatch(note)
	if ids == nil || !strings.Contains(note, "recall") {
		l.t.Fatalf("the view has no note: %.300q", note)
	}
	first, _ := strconv.ParseUint(ids[1], 10, 64)
	last, _ := strconv.ParseUint(ids[2], 10, 64)
	for _, seq := range hidden {
		if seq < first || seq > last {
			l.t.Errorf("e%d is evicted, and the note names e%d to e%d", seq, first, last)
		}
	}
	for _, e := range l.memory.Events() {
		switch e.Body.Kind() {
		case conversation.KindUser, conversation.KindAssistant, conversation.KindResult:
			if !shown[e.Seq] {
				l.t.Errorf("e%d is not in the view", e.Seq)
			}
		}
	}
}

// checkUndo checks that undo changes the view, and that redo restores it to the byte.
func (l *longConversation) checkUndo() {
	l.t.Helper()
	before := l.view()
	l.UndoCompaction(0)
	l.waitUntilSettled()
	if cmp.Equal(before, l.view()) {
		l.t.Error("an undo changes nothing")
	}
	l.RedoCompaction()
	l.waitUntilSettled()
	if diff := cmp.Diff(before, l.view()); diff != "" {
		l.t.Errorf("the view after the redo (-want +got): %.2000s", diff)
	}
}
