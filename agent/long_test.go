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

// longTalk is an agent that talks for many turns to a server with a window. The
// server answers "answer to" and how the message began, after as many calls of look
// as the message's number tells.
type longTalk struct {
	*rig
	server *agenttest.Server
	sent   []string // messages, in the order they were sent

	mu     sync.Mutex // guards looked
	looked map[string]int
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
	said := bodies[conversation.UserMessage](events)
	if len(said) == 0 {
		return ""
	}
	return said[len(said)-1].Text
}

// sends sends a message, and lets time pass until nothing goes on, and then a while.
func (l *longTalk) sends(text string) {
	l.sent = append(l.sent, text)
	l.Send(text)
	l.rests()
}

func (l *longTalk) rests() {
	const most = 200 // times that a turn is looked at
	for range most {
		l.wait()
		if phases := l.watch.Phases(); len(phases) == 0 || phases[len(phases)-1] == updates.Idle {
			time.Sleep(20 * time.Second)
			l.wait()
			if phases := l.watch.Phases(); len(phases) == 0 || phases[len(phases)-1] == updates.Idle {
				return
			}
		}
		time.Sleep(5 * time.Second)
	}
	l.t.Fatal("the turn does not end")
}

// requests are those of a purpose.
func (l *longTalk) requests(p conversation.Purpose) []agenttest.Served {
	return slices.DeleteFunc(l.server.Served(), func(s agenttest.Served) bool { return s.Purpose != p })
}

// longCase is what a long talk meets with. The zero value is a healthy server.
type longCase struct {
	server  func(*longTalk)
	options func(*core.Options)
	before  func(l *longTalk, n int) // the n-th message

	refused int  // requests of one purpose that the server may refuse in a row for their size
	rare    bool // a compaction comes at most every fifth turn
	evicts  bool // a note replaces what is left out, and nothing waits
}

const longTurns = 60

// summary has the server write summaries in some way.
func summary(s agenttest.Summariser) func(*longTalk) {
	return func(l *longTalk) { l.server.Summary = s }
}

// mixed writes one summary of three at once, fails at one, and takes longer over one than the conversation waits.
func mixed(n int, r llm.Request) agenttest.Reply {
	switch n % 4 {
	case 1, 2: // and once more
		return agenttest.Fail(fault())
	case 3:
		return agenttest.Join(agenttest.Pause(50*time.Second), agenttest.Healthy(n, r))
	}
	return agenttest.Healthy(n, r)
}

func window(tokens int, source meter.WindowSource) func(*core.Options) {
	return func(o *core.Options) { o.Model.Window = meter.Window{Tokens: tokens, Source: source} }
}

func byPreset(p preset.Name) func(*core.Options) {
	return func(o *core.Options) { o.Rules = preset.RulesOf(p) }
}

// Whatever a server does to summaries, a conversation of many times its window goes
// on: nothing is lost, nothing is sent that cannot be, every message has its answer.
func TestLongTalk(t *testing.T) {
	for name, c := range map[string]longCase{
		"healthy":            {rare: true, evicts: true},
		"summaries fail":     {server: summary(alwaysDown(fault())), evicts: true},
		"summaries hang":     {server: summary(func(int, llm.Request) agenttest.Reply { return agenttest.Hold(agenttest.NewGate()) }), evicts: true},
		"all kinds":          {server: summary(mixed), evicts: true},
		"no usage":           {server: func(l *longTalk) { l.server.Quiet = true }, refused: 1},
		"cuts silently":      {server: func(l *longTalk) { l.server.Truncates = true }, options: window(0, meter.WindowUnknown)},
		"window never named": {server: func(l *longTalk) { l.server.OmitsSizes = true }, options: window(0, ""), refused: 1},
		"a night between": {rare: true, evicts: true, before: func(_ *longTalk, n int) {
			if n%20 == 17 {
				time.Sleep(10 * time.Hour)
			}
		}},
		"smaller window": {rare: true, before: func(l *longTalk, n int) {
			if n == longTurns/2 {
				l.SwitchModel(llm.Model{Provider: "test", ID: "small", Window: meter.Window{Tokens: longWindow, Source: meter.WindowConfig}}, l.server)
				l.rests()
			}
		}, options: window(4*longWindow, meter.WindowConfig), server: func(l *longTalk) {
			l.server.Windows = map[string]int{testModel.ID: 4 * longWindow}
		}},
		"oneclaw": {options: byPreset(preset.OneClaw), server: summary(mixed)},
		"jcli": {options: func(o *core.Options) {
			o.Rules = preset.RulesOf(preset.JCLI)
			o.Rules.TokenThreshold = 5000
		}, server: summary(mixed)},
		"jp-auto": {options: byPreset(preset.JPAuto)},
	} {
		runBubble(t, name, func(t *testing.T) {
			l := startLong(t, c.server, c.options)
			for n := range longTurns {
				if c.before != nil {
					c.before(l, n)
				}
				l.sends(turnText(n))
			}
			time.Sleep(time.Hour)
			l.rests()
			l.checkRequests(c.refused)
			l.checkSaid()
			l.checkOverlays()
			l.checkRest()
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
	for i, s := range l.requests(conversation.PurposeReply) {
		newest := lastSaid(events[:s.Mark])
		if !slices.ContainsFunc(s.Request.Messages, func(m projection.Message) bool { return m.Role == projection.RoleUser && m.Text == newest }) {
			l.t.Errorf("reply %d (behind event %d): %.20q is not in the request", i, s.Mark, newest)
		}
		changed := slices.ContainsFunc(events[before:s.Mark], func(e conversation.Event) bool {
			return e.Body.Kind().IsOverlay() || e.Body.Kind() == conversation.KindInstructions
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
	if diff := cmp.Diff(l.sent, logged); diff != "" || len(unanswered)+len(l.memory.Waiting())+len(l.returned())+len(l.failures()) > 0 {
		l.t.Errorf("%.80q have no answer, failures %v, of what was sent: %s", unanswered, l.failures(), diff)
	}
}

// checkOverlays checks that the summaries in force do not overlap in part, that
// none is anything but what a model wrote as one, and that whoever watches is told
// when messages were left out, and only then.
func (l *longTalk) checkOverlays() {
	l.t.Helper()
	events := l.memory.Events()
	var bands []conversation.Summary
	for _, i := range conversation.OverlaysInForce(events) {
		s, isSummary := events[i].Body.(conversation.Summary)
		if !isSummary || s.Policies != nil || s.Text == "" {
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
		return slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Contains(seq) })
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

var noteHead = regexp.MustCompile(`## Note on turns? [\d–]+ \(e(\d+)-(\d+)\)`)

// checkRecallable checks that no request waited, and that every message that the view does not show belongs to a block
// whose note names it for recall.
func (l *longTalk) checkRecallable() {
	l.t.Helper()
	for _, c := range agenttest.Of[updates.Compacting](l.watch) {
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
		l.t.Fatalf("no note stands in front: %.300q", note)
	}
	first, _ := strconv.ParseUint(ids[1], 10, 64)
	last, _ := strconv.ParseUint(ids[2], 10, 64)
	for _, seq := range hidden {
		if seq < first || seq > last {
			l.t.Errorf("e%d is hidden, and the note speaks of e%d to e%d", seq, first, last)
		}
	}
	for _, e := range l.memory.Events() {
		switch e.Body.Kind() {
		case conversation.KindUser, conversation.KindAssistant, conversation.KindResult:
			if !shown[e.Seq] {
				l.t.Errorf("e%d stands nowhere in the view", e.Seq)
			}
		}
	}
}

// checkUndo checks that the newest step is undone and redone to the byte.
func (l *longTalk) checkUndo() {
	l.t.Helper()
	before := l.view()
	l.UndoCompaction(0)
	l.rests()
	if cmp.Equal(before, l.view()) {
		l.t.Error("an undo changes nothing")
	}
	l.RedoCompaction()
	l.rests()
	if diff := cmp.Diff(before, l.view()); diff != "" {
		l.t.Errorf("redone: %.2000s", diff)
	}
}
