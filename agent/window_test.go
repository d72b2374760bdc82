package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

func windowOf(tokens int, source meter.WindowSource) meter.Window {
	return meter.Window{Tokens: tokens, Source: source}
}

// windowServer reports a window, and counts how often it was asked.
type windowServer struct {
	tokens, asked int
}

func (s *windowServer) window(context.Context, llm.Model) meter.Window {
	s.asked++
	return windowOf(s.tokens, meter.WindowServer)
}

func replyWithPrompt(prompt int) agenttest.Reply {
	return agenttest.Join(agenttest.StreamText("fine"), agenttest.ReportTokens(prompt, 60), agenttest.Stop(conversation.StopEnd))
}

func TestWindowPrecedence(t *testing.T) {
	const large, small = 16_384, 4096
	for name, c := range map[string]struct {
		have, told, want meter.Window
	}{
		"told beats learned before":        {windowOf(small, meter.WindowLearned), windowOf(large, meter.WindowServer), windowOf(large, meter.WindowServer)},
		"told beats told before":           {windowOf(large, meter.WindowServer), windowOf(small, meter.WindowServer), windowOf(small, meter.WindowServer)},
		"a refusal beats told before":      {windowOf(large, meter.WindowServer), windowOf(small, meter.WindowLearned), windowOf(small, meter.WindowLearned)},
		"told beats the catalogue":         {windowOf(large, meter.WindowCatalogue), windowOf(small, meter.WindowServer), windowOf(small, meter.WindowServer)},
		"the configuration stays":          {windowOf(small, meter.WindowConfig), windowOf(large, meter.WindowServer), windowOf(small, meter.WindowConfig)},
		"the flag stays":                   {windowOf(small, meter.WindowFlag), windowOf(large, meter.WindowServer), windowOf(small, meter.WindowFlag)},
		"the catalogue beats nothing told": {windowOf(small, meter.WindowLearned), windowOf(large, meter.WindowCatalogue), windowOf(small, meter.WindowLearned)},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, func(o *core.Options) { o.Model.Window = c.have })
			r.SetWindow("test/m", c.told)
			r.waitIdle()
			if got := r.reading().Window; got != c.want {
				t.Errorf("%+v in force, want %+v", got, c.want)
			}
			r.finish()
		})
	}
}

// The server's window replaces the one learned in an earlier run, also for later runs.
func TestServerWindowReplacesTheLearnedOne(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) {
			o.Model.Window = windowOf(4096, meter.WindowLearned)
			o.Model.Calibration = conversation.Calibration{Factor: 1, Window: 4096}
		})
		r.SetWindow("test/m", windowOf(16_384, meter.WindowServer))
		r.waitIdle()
		r.finish()
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Factor != 1 || c.Window != 16_384 {
			t.Errorf("the calibration is %+v, want factor 1 and window 16384", c)
		}
	})
}

func TestAReportAboveTheWindowDisprovesIt(t *testing.T) {
	for name, c := range map[string]struct {
		have  meter.Window
		tells int // 0: the server does not say
		want  meter.Window
		notes int
	}{
		"learned, and the server says":       {windowOf(4096, meter.WindowLearned), 16_384, windowOf(16_384, meter.WindowServer), 0},
		"learned, and the server is silent":  {windowOf(4096, meter.WindowLearned), 0, windowOf(0, meter.WindowUnknown), 1},
		"told, and the server says the same": {windowOf(4096, meter.WindowServer), 4096, windowOf(0, meter.WindowUnknown), 1},
		"of the user":                        {windowOf(4096, meter.WindowFlag), 16_384, windowOf(4096, meter.WindowFlag), 0},
		"of the catalogue":                   {windowOf(4096, meter.WindowCatalogue), 0, windowOf(4096, meter.WindowCatalogue), 0},
	} {
		runBubble(t, name, func(t *testing.T) {
			s := &windowServer{tokens: c.tells}
			r := start(t, func(o *core.Options) {
				o.Model.Window, o.AskWindow = c.have, s.window
				o.Model.Calibration = conversation.Calibration{Factor: 1, Window: 4096}
			}, replyWithPrompt(4662))
			r.sendAndWait("go")
			if got := r.reading().Window; got != c.want {
				t.Errorf("%+v in force, want %+v", got, c.want)
			}
			r.finish()
			notes := 0
			for _, e := range r.memory.Events() {
				if n, ok := e.Body.(conversation.Notice); ok && strings.Contains(n.Text, "--window") {
					notes++
				}
			}
			if notes != c.notes {
				t.Errorf("%d notices of it, want %d", notes, c.notes)
			}
			if kept := r.memory.Calibration(testModel.CalibrationKey); isFromServer(c.have) && (kept.Factor == 0 || kept.Window != c.want.Tokens) {
				t.Errorf("the calibration is %+v", kept)
			}
		})
	}
}

func isFromServer(w meter.Window) bool {
	return w.Source == meter.WindowLearned || w.Source == meter.WindowServer
}

// Before the agent holds a request back for its size, it asks the server for the window
// again: the server may have been restarted.
func TestWindowIsRefreshedBeforeARequestIsHeldBack(t *testing.T) {
	long := strings.Repeat("word upon word ", 2000)
	for name, c := range map[string]struct {
		have  meter.Window
		tells int
		sent  bool
		asked int
		at    string
	}{
		"started anew":              {windowOf(4096, meter.WindowLearned), 16_384, true, 1, "http://test"},
		"told, started anew":        {windowOf(4096, meter.WindowServer), 16_384, true, 1, "http://test"},
		"as before":                 {windowOf(4096, meter.WindowServer), 4096, false, 1, "http://test"},
		"silent":                    {windowOf(4096, meter.WindowLearned), 0, false, 1, "http://test"},
		"the user's":                {windowOf(4096, meter.WindowFlag), 16_384, false, 0, "http://test"},
		"no server, as of the demo": {windowOf(4096, meter.WindowServer), 0, false, 1, ""},
	} {
		runBubble(t, name, func(t *testing.T) {
			s := &windowServer{tokens: c.tells}
			r := start(t, func(o *core.Options) {
				o.Model.Window, o.Model.BaseURL, o.AskWindow = c.have, c.at, s.window
			}, textReply("fine"))
			r.sendAndWait(long)
			if sent := len(r.provider.Requests()) == 1; sent != c.sent || s.asked != c.asked {
				t.Errorf("sent %v, asked %d times; want %v, %d", sent, s.asked, c.sent, c.asked)
			}
			for _, f := range agenttest.UpdatesOf[updates.Failed](r.watch) {
				if named := strings.Contains(f.Err.Hint, "--window"); named != (isFromServer(c.have) && c.at != "") {
					t.Errorf("the hint is %q: it names --window only for the server's window", f.Err.Hint)
				}
			}
			r.finish()
		})
	}
}

// A server that returns after an outage may have another window.
func TestWindowIsRefreshedWhenTheServerReturns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &windowServer{tokens: 16_384}
		r := start(t, func(o *core.Options) {
			o.Model.Window, o.AskWindow = windowOf(4096, meter.WindowServer), s.window
		}, failsWith(llm.Network), replyWithPrompt(300))
		r.Send("go")
		r.timeUntilIdle()
		if got := r.reading().Window; got.Tokens != 16_384 || s.asked != 1 {
			t.Errorf("window %+v, want 16384; asked %d times, want once", got, s.asked)
		}
		r.finish()
	})
}

func TestALearnedWindowExpires(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		at   time.Time
		want int
	}{
		"an hour ago": {now.Add(-time.Hour), 4096}, "a month ago": {now.Add(-30 * 24 * time.Hour), 0},
		"by a clock that was set back": {now.Add(time.Hour), 4096},
	} {
		if got := (conversation.Calibration{Window: 4096, WindowAt: c.at.Unix()}).LearnedWindow(now); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := (conversation.Calibration{Window: 4096}).LearnedWindow(now); got != 4096 {
		t.Errorf("a window learned by an older version is %d, want 4096", got)
	}
}

func TestRunWaitsForTheCalibrationToBeSaved(t *testing.T) {
	bubble(t, func(t *testing.T) {
		disk := agenttest.NewGate()
		r := start(t, nil, replyWithUsage("a", 300))
		r.memory.Slow = map[string]*agenttest.Gate{"calibration": disk}
		r.sendAndWait(strings.Repeat("word ", 100))
		if got := r.watch.Phases(); got[len(got)-1] != updates.Idle {
			t.Errorf("the turn waits for the calibration: %v", got)
		}
		r.end()
		r.waitIdle()
		select {
		case err := <-r.ended:
			t.Fatalf("Run returned %v before the calibration was kept", err)
		default:
		}
		disk.Open()
		r.finish()
		if c := r.memory.Calibration(testModel.CalibrationKey); c.Samples != 1 {
			t.Errorf("the calibration is %+v, want one sample", c)
		}
	})
}

func TestPriceSheetsFollowFromPrices(t *testing.T) {
	t.Parallel()
	anthropic := &llm.Prices{Input: 4, Cached: 0.4, CacheWrite: 5, Output: 20}
	for name, c := range map[string]struct {
		model llm.Model
		want  planner.PriceSheet
	}{
		"nothing known":             {llm.Model{}, planner.DefaultSheet()},
		"free":                      {llm.Model{Provider: "ollama", Prices: &llm.Prices{}}, planner.DefaultSheet()},
		"free but for the reply":    {llm.Model{Prices: &llm.Prices{Cached: 1, CacheWrite: 1, Output: 1}}, planner.DefaultSheet()},
		"nothing known but how old": {llm.Model{CacheTTL: time.Minute}, planner.PriceSheet{Read: 0.1, Write: 1, Lifetime: time.Minute, Unpriced: true}},
		"no prices for the cache":   {llm.Model{Prices: &llm.Prices{Input: 4}}, planner.PriceSheet{Read: 1, Write: 1}},
		"a price for reading":       {llm.Model{Prices: &llm.Prices{Input: 4, Cached: 1}}, planner.PriceSheet{Read: 0.25, Write: 1}},
		"five minutes":              {llm.Model{Provider: "anthropic", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"the price of an hour": {llm.Model{Provider: "anthropic", ID: "m", Prices: &llm.Prices{Input: 5, Cached: 0.5, CacheWrite: 10}},
			planner.PriceSheet{Read: 0.1, Write: 2}},
		"OpenAI":                {llm.Model{Provider: "openai", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute}},
		"OpenAI elsewhere":      {llm.Model{Provider: "openrouter", ID: "openai/m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 30 * time.Minute}},
		"OpenAI by half a name": {llm.Model{Provider: "myopenai", ID: "m", Prices: anthropic}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"OpenAI, written free":  {llm.Model{Provider: "openai", ID: "m", Prices: &llm.Prices{Input: 4, Cached: 1}}, planner.PriceSheet{Read: 0.25, Write: 1}},
		"the user knows":        {llm.Model{Provider: "openai", ID: "m", Prices: anthropic, CacheTTL: 24 * time.Hour}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 24 * time.Hour}},
		"asked for an hour":     {llm.Model{Provider: "anthropic", ID: "m", Prices: anthropic, CacheTTL: time.Hour, TTL: llm.TTLAsked}, planner.PriceSheet{Read: 0.1, Write: 2, Lifetime: time.Hour}},
		"nothing chosen yet":    {llm.Model{Provider: "anthropic", ID: "m", Prices: anthropic, TTL: llm.TTLChosen}, planner.PriceSheet{Read: 0.1, Write: 1.25, Lifetime: 5 * time.Minute}},
		"chosen, no prices":     {llm.Model{Provider: "proxy", ID: "m", CacheTTL: time.Hour, TTL: llm.TTLChosen}, planner.PriceSheet{Read: 0.1, Write: 2, Lifetime: time.Hour, Unpriced: true}},
		"no cache":              {llm.Model{Provider: "anthropic", ID: "m", Prices: anthropic, NoCache: true}, planner.PriceSheet{Read: 1, Write: 1}},
		"no cache, no prices":   {llm.Model{NoCache: true}, planner.PriceSheet{Read: 1, Write: 1, Unpriced: true}},
	} {
		if diff := cmp.Diff(c.want, c.model.Sheet()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPriceStepIsTheLowestTierWithDearerInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prices *llm.Prices
		want   int
	}{
		"no prices":                  {nil, 0},
		"no tiers":                   {&llm.Prices{Input: 2}, 0},
		"of two the lower":           {&llm.Prices{Input: 2, Tiers: []llm.Tier{{Over: 200, Input: 4}, {Over: 500, Input: 8}}}, 200},
		"dearer replies are no step": {&llm.Prices{Input: 2, Tiers: []llm.Tier{{Over: 200, Input: 2, Output: 9}, {Over: 500, Input: 4}}}, 500},
		"cheaper":                    {&llm.Prices{Input: 2, Tiers: []llm.Tier{{Over: 200, Input: 1}}}, 0},
		"free below the tier":        {&llm.Prices{Tiers: []llm.Tier{{Over: 200, Input: 1}}}, 0},
	} {
		if got := (llm.Model{Prices: c.prices}).PriceStep(); got != c.want {
			t.Errorf("%s: a step at %d, want %d", name, got, c.want)
		}
	}
}

// stepped is a model whose requests cost twice as much above 272,000 tokens.
var stepped = llm.Model{Provider: "test", ID: "stepped", Window: meter.Window{Tokens: 1_050_000, Source: meter.WindowCatalogue},
	Prices: &llm.Prices{Input: 2, Tiers: []llm.Tier{{Over: 272_000, Input: 4}}}}

func TestTheLoadLineLiesBelowThePriceStepOfTheModelInUse(t *testing.T) {
	const below = 258_400 // 0.95 of the step
	bubble(t, func(t *testing.T) {
		r := start(t, func(o *core.Options) { o.Model = stepped }, textReply("hello"))
		r.sendAndWait("hi")
		if got := r.reading().LoadLine; got != below {
			t.Errorf("the load line is at %d, want %d", got, below)
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "plain", Window: stepped.Window}, r.provider)
		r.waitIdle()
		if got := r.reading().LoadLine; got != 892_500 {
			t.Errorf("without a step the load line is at %d, want 892500", got)
		}
		r.SwitchModel(stepped, agenttest.NewProvider())
		r.waitIdle()
		if got := r.reading().LoadLine; got != below {
			t.Errorf("back at the model the load line is at %d, want %d", got, below)
		}
		r.finish()
	})
}

// linesOfNames returns a text of that many lines with a name in each.
func linesOfNames(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d of src/file_%d.go says little\n", i, i)
	}
	return b.String()
}

// startReading returns an agent with the recall tool and a tool that returns text, after
// that many turns that each call the tool once.
func startReading(t *testing.T, text string, times int, change func(*core.Options)) *rig {
	t.Helper()
	var script []agenttest.Reply
	for i := range times {
		script = append(script, callsReply(agenttest.StreamCall(0, fmt.Sprint("c", i), "look")), textReply("done"))
	}
	return start(t, func(o *core.Options) {
		look := agenttest.Reader("look", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
			return okOutcome(text)
		})
		withTools(look, agenttest.Reader(conversation.ToolRecall, nil))(o)
		o.Results.KeepFull = true
		if change != nil {
			change(o)
		}
	}, script...)
}

func (r *rig) newestResult() (found conversation.ToolResult, seq uint64) {
	for _, e := range r.memory.Events() {
		if b, isResult := e.Body.(conversation.ToolResult); isResult {
			found, seq = b, e.Seq
		}
	}
	return found, seq
}

// shownChars returns how many characters of the newest result the view has.
func (r *rig) shownChars() int {
	b, _ := r.newestResult()
	return conversation.Measure(b.Text[:conversation.CutMarkerAt(b.Text)]).Chars()
}

func TestResultsAreCutByTheWindowOfTheModelInUse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startReading(t, linesOfNames(10_000), 5, func(o *core.Options) { o.Model.Window = meter.Window{} })
		want := func(when string, chars int) {
			t.Helper()
			r.sendAndWait("go")
			if got := r.shownChars(); got != chars || r.ArrivalCap().Chars != chars {
				t.Errorf("%s: %d characters are shown, %d are told of, want %d", when, got, r.ArrivalCap().Chars, chars)
			}
		}
		want("unknown", 30_000)
		r.SetWindow("test/m", meter.Window{Tokens: 100_000, Source: meter.WindowServer})
		r.waitIdle()
		want("learned", 100_000)
		r.SwitchModel(otherModel("m2", 200_000), r.provider)
		r.waitIdle()
		want("of another model", 200_000)
		r.Configure(nil, preset.RulesOf(preset.OneClaw))
		r.waitIdle()
		want("under the letter of ONE", 30_000)
		r.Configure(nil, preset.RulesOf(preset.Plimsoll))
		r.SwitchModel(otherModel("m3", 8_192), r.provider)
		r.waitIdle()
		if got := r.ArrivalCap().Chars; got != 30_000 {
			t.Errorf("in a small window results are capped at %d characters, want 30000", got)
		}
		r.finish()
	})
}

func TestTheMarkerOfAResultLeadsToTheRest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startReading(t, linesOfNames(2_000), 2, func(o *core.Options) { o.Model.Window.Tokens = 40_000 })
		r.sendAndWait("go")
		b, seq := r.newestResult()
		id := conversation.RecallID{First: seq, Last: seq}.String()
		if !strings.Contains(b.Text, "recall "+id+" ") || !strings.Contains(b.Text, " src/file_1060.go") || r.memory.Blob(b.Blob) != linesOfNames(2_000) {
			t.Errorf("e%d ends with %q, want a marker that leads to its rest", seq, b.Text[40_000:])
		}
		r.SwitchModel(otherModel("m2", 50_000), r.provider)
		r.sendAndWait("go")
		again, _ := conversation.ArrivalCap{Chars: 40_000, DescribesRest: true}.Apply(linesOfNames(2_000), id)
		if r.memory.Events()[seq-1].Body.(conversation.ToolResult).Text != again {
			t.Error("the stored text of a capped result changed")
		}
		if b, later := r.newestResult(); later == seq || !strings.Contains(b.Text, fmt.Sprintf("recall e%d with offset 50000", later)) {
			t.Errorf("e%d ends with %q, want its own recall command", later, b.Text[50_000:])
		}
		r.finish()
	})
}
