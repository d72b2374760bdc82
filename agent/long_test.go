package agent_test

import (
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// longCase is what a long talk meets with. The zero value is a healthy server.
type longCase struct {
	server  func(*longTalk)
	options func(*core.Options)
	turn    func(l *longTalk, n int) // in place of sending the n-th message

	refused int  // requests that the server may refuse in a row
	most    int  // tokens of the longest prompt, where the server does not say: the window, and what an estimate is wrong by
	asides  int  // messages sent beside summaries, at least
	fails   bool // no summary ever comes
	rare    bool // a compaction comes at most every fifth turn
}

const longTurns = 120

// summary has the server write summaries in some way.
func summary(s agenttest.Summariser) func(*longTalk) {
	return func(l *longTalk) { l.server.Summary = s }
}

func fallsOver() agenttest.Summariser {
	return agenttest.Failing(&llm.Error{Class: llm.ServerFault, Message: "it fell over", Status: 500})
}

func window(tokens int, source meter.WindowSource) func(*core.Options) {
	return func(o *core.Options) { o.Model.Window = meter.Window{Tokens: tokens, Source: source} }
}

func byPreset(p preset.Name) func(*core.Options) {
	return func(o *core.Options) { o.Rules = preset.RulesOf(p) }
}

// jcliAt is J-CLI with a threshold that the window has room for.
func jcliAt(tokens int) func(*core.Options) {
	return func(o *core.Options) {
		o.Rules = preset.RulesOf(preset.JCLI)
		o.Rules.TokenThreshold = tokens
	}
}

func longCases() map[string]longCase {
	return map[string]longCase{
		"healthy":              {rare: true},
		"one call fails":       {server: summary(agenttest.After(1, fallsOver(), agenttest.Healthy)), rare: true},
		"one summary fails":    {server: summary(agenttest.After(2, fallsOver(), agenttest.Healthy)), rare: true},
		"always fails":         {server: summary(fallsOver()), fails: true},
		"empty":                {server: summary(agenttest.Wordless), fails: true},
		"cut":                  {server: summary(agenttest.Cut), fails: true},
		"calls":                {server: summary(agenttest.Calling), fails: true},
		"echo":                 {server: summary(agenttest.Echoing), fails: true},
		"more than it got":     {server: summary(agenttest.Swelling), fails: true},
		"hangs":                {server: summary(agenttest.Hanging), fails: true},
		"too many requests":    {server: summary(agenttest.Limited(20 * time.Second)), fails: true},
		"drops the connection": {server: summary(agenttest.Dropping), fails: true},
		"counts the bound too": {server: func(l *longTalk) { l.server.Both = true }, refused: 1},
		"no usage":             {server: func(l *longTalk) { l.server.Quiet = true }, refused: 1},
		"cuts silently":        {server: func(l *longTalk) { l.server.Truncates = true }, options: window(0, meter.WindowUnknown), most: 4 * longWindow * 9 / 8},
		"window unknown":       {options: window(0, ""), refused: 1},
		"window never named":   {server: func(l *longTalk) { l.server.Nameless = true }, options: window(0, ""), refused: 1},
		"talks meanwhile":      {server: func(l *longTalk) { l.server.Summary = agenttest.Gated(l.gate, agenttest.Healthy) }, rare: true, asides: 5},
		"messages queue": {rare: true, turn: func(l *longTalk, n int) {
			l.sends(turnText(n))
			if n%5 == 4 {
				return
			}
			l.rests()
		}},
		"a night between": {rare: true, turn: func(l *longTalk, n int) {
			l.sends(turnText(n))
			l.rests()
			if n%50 == 27 {
				time.Sleep(10 * time.Hour)
			}
		}},
		"smaller window": {rare: true, turn: func(l *longTalk, n int) {
			if n == longTurns/2 {
				l.SwitchModel(llm.Model{Provider: "test", ID: "small", Window: meter.Window{Tokens: longWindow, Source: meter.WindowConfig}}, l.server)
				l.rests()
			}
			l.sends(turnText(n))
			l.rests()
		}, options: window(4*longWindow, meter.WindowConfig), server: func(l *longTalk) {
			l.server.Windows = map[string]int{testModel.ID: 4 * longWindow}
		}},
		"oneclaw":                {options: byPreset(preset.OneClaw)},
		"oneclaw always fails":   {options: byPreset(preset.OneClaw), server: summary(fallsOver()), fails: true},
		"jcli":                   {options: byPreset(preset.JCLI)},
		"jcli always fails":      {options: byPreset(preset.JCLI), server: summary(fallsOver()), fails: true},
		"jcli in a small window": {options: jcliAt(5000)},
		"jp-auto":                {options: byPreset(preset.JPAuto)},
		"jp-auto always fails":   {options: byPreset(preset.JPAuto), server: summary(fallsOver()), fails: true},
	}
}

// Whatever a server does to summaries, a conversation of many times its window goes
// on: nothing is lost, nothing is sent that cannot be, every message has its answer.
func TestLongTalk(t *testing.T) {
	for name, c := range longCases() {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) { c.talk(t) })
		})
	}
}

func (c longCase) talk(t *testing.T) {
	l := startLong(t, c.server, c.options)
	for n := range longTurns {
		if c.turn != nil {
			c.turn(l, n)
			continue
		}
		l.sends(turnText(n))
		l.rests()
	}
	l.rests()
	time.Sleep(time.Hour)
	l.rests()

	l.checkRequests(c.refused)
	l.checkSaid()
	l.checkOverlays()
	l.checkRest()
	if c.rare {
		l.checkRare()
	}
	if l.asides < c.asides {
		t.Errorf("%d messages were sent beside a summary", l.asides)
	}
	for i, s := range l.server.Served() {
		if c.most > 0 && s.Tokens > c.most {
			t.Errorf("request %d has %d tokens, and the window is thought to have %d", i, s.Tokens, c.most)
		}
	}
	if c.fails {
		l.checkFailures()
	}
	l.tell()
	l.finish()
}

// checkRare checks that compactions come at most every fifth turn, and take few
// requests.
func (l *longTalk) checkRare() {
	l.t.Helper()
	const most, calls = longTurns / 5, 3
	if n := len(conversation.Epochs(l.memory.Events())); n == 0 || n >= most {
		l.t.Errorf("%d compactions in %d turns", n, longTurns)
	}
	if n := len(l.requests(conversation.ForSummary)); n > calls*most {
		l.t.Errorf("%d requests for summaries in %d turns", n, longTurns)
	}
}

// checkFailures checks that a model which never writes a summary is not asked for
// ever, but again when the user wants one.
func (l *longTalk) checkFailures() {
	l.t.Helper()
	const calls = 3 // of one summary: a form, another one, a second try
	all, end := l.requests(conversation.ForSummary), l.exhausted()
	if most := 3 * calls; len(all) > most {
		l.t.Errorf("%d requests for summaries that never come, want %d at most", len(all), most)
	}
	for _, s := range all {
		if end > 0 && s.Mark > end {
			l.t.Errorf("a summary is asked for behind event %d, and the third failure was at %d", s.Mark, end)
		}
	}
	if told := agenttest.Of[updates.Summaries](l.watch); end > 0 && (len(told) == 0 || !told[len(told)-1].Paused) {
		l.t.Errorf("told %v of the end of summaries", told)
	}
	l.Compact(heavy())
	l.rests()
	time.Sleep(time.Hour)
	l.rests()
	if n := len(l.requests(conversation.ForSummary)); n <= len(all) || n > len(all)+calls {
		l.t.Errorf("%d requests for a summary that the user wants", n-len(all))
	}
}

// tell logs what came of it, for who looks for a better rule.
func (l *longTalk) tell() {
	refused, longest := 0, 0
	for _, s := range l.server.Served() {
		longest = max(longest, s.Tokens)
		if s.Refused {
			refused++
		}
	}
	epochs := map[string]int{}
	for _, e := range conversation.Epochs(l.memory.Events()) {
		what := e.Made.Trigger + ":"
		for _, o := range e.Overlays {
			what += " " + string(o.Body.Kind())
		}
		epochs[what]++
	}
	l.t.Logf("%d replies, %d requests for summaries, %d attempts, %d refused, at most %d tokens, epochs %v",
		len(l.requests(conversation.ForReply)), len(l.requests(conversation.ForSummary)), len(l.attempts()), refused, longest, epochs)
}
