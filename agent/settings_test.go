package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

func TestTitleIsTheFirstLineShortened(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, textReply("a"), textReply("b"))
		r.sendAndWait("\n\n  please\tfix \x1b[31mthe flaky upload test that fails about once in ten runs on the build machine\nmore")
		r.sendAndWait("another")
		r.finish()
		var titles []string
		for _, b := range bodies[conversation.Renamed](r.memory.Events()) {
			titles = append(titles, b.By+": "+b.Title)
		}
		checkEqual(t, []string{"auto: please fix [31mthe flaky upload test that fails about once…"}, titles)
	})
}

func TestUserTitleIsStoredWithTheFirstMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, textReply("a"))
		r.Rename("mine\n")
		r.waitIdle()
		if n := len(r.memory.Events()); n != 0 {
			t.Fatalf("%d events before the first message, want none", n)
		}
		r.sendAndWait("hello")
		r.Rename("better")
		r.waitIdle()
		r.finish()
		want := []string{"renamed user mine", "instructions", "model test/m", "user hello", "assistant stop a", "usage of 5: -1+-1", "renamed user better"}
		checkEqual(t, want, describe(r.memory.Events()))
	})
}

func TestConversationWithoutMessagesIsNotStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil)
		r.Rename("title")
		r.Send("  \n")
		r.SwitchModel(llm.Model{Provider: "test", ID: "n"}, r.provider)
		r.waitIdle()
		r.finish()
		if n := len(r.memory.Events()); n != 0 {
			t.Errorf("%d events were stored, want none", n)
		}
	})
}

func TestToolsSurviveTheirEncoding(t *testing.T) {
	t.Parallel()
	specs := []conversation.ToolSpec{
		{Name: "a", Description: "x < y & z", Parameters: conversation.RawJSON(`{"type":"object","d":"<&>"}`), ReadOnly: true},
		{Name: "b", Parameters: conversation.RawJSON(`{}`)},
	}
	text, err := core.EncodeTools(specs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := core.DecodeTools(text)
	if err != nil {
		t.Fatal(err)
	}
	checkEqual(t, specs, got)
	if _, err := core.EncodeTools([]conversation.ToolSpec{{Name: "c", Parameters: conversation.RawJSON("{")}}); err == nil {
		t.Error("a schema that is not JSON was accepted")
	}
}

func TestNewRefusesABrokenLog(t *testing.T) {
	t.Parallel()
	_, err := agent.New(core.Options{
		Log: &agenttest.Memory{}, Provider: agenttest.NewProvider(),
		Stored: core.Stored{Events: []conversation.Event{{Seq: 2, Body: conversation.UserMessage{Text: "x"}}}},
	})
	if err == nil {
		t.Error("a log with a gap was accepted")
	}
	if _, err := agent.New(core.Options{}); err == nil {
		t.Error("an agent without a log was created")
	}
}

func TestOverridesAreRecordedOnceAndStay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		with := func(set map[string]string, from *agenttest.Memory) func(*core.Options) {
			return func(o *core.Options) {
				o.Overrides = set
				if from != nil {
					o.Log, o.Stored.Events = from, from.Events()
				}
			}
		}
		first := start(t, with(map[string]string{"compaction.trigger_ratio": "0.5"}, nil), textReply("a"))
		first.sendAndWait("one")
		first.finish()
		second := start(t, with(map[string]string{"compaction.trigger_ratio": "0.5", "log.level": "debug"}, first.memory), textReply("b"))
		second.sendAndWait("two")
		second.finish()
		var got []map[string]string
		for _, c := range bodies[conversation.ConfigChanged](first.memory.Events()) {
			got = append(got, c.Set)
		}
		want := []map[string]string{{"compaction.trigger_ratio": "0.5"}, {"log.level": "debug"}}
		checkEqual(t, want, got)
	})
}

// recordedSettings returns the settings that the log records, in order.
func (r *rig) recordedSettings() []map[string]string {
	var out []map[string]string
	for _, b := range bodies[conversation.ConfigChanged](r.memory.Events()) {
		out = append(out, b.Set)
	}
	return out
}

func lowerRules() preset.Rules {
	r := preset.RulesOf(preset.Plimsoll)
	r.KeepLast, r.TriggerRatio, r.TokenThreshold = 1, 0.5, 9000
	return r
}

func TestSettingsChangedWhileIdleAreRecordedAndTakeEffectAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 3, nil)
		set := map[string]string{"compaction.keep_last": "1"}
		r.Configure(set, lowerRules())
		set["compaction.keep_last"] = "changed by the caller"
		r.Configure(nil, lowerRules())
		r.waitIdle()
		checkEqual(t, []map[string]string{{"compaction.keep_last": "1"}}, r.recordedSettings())
		if got := r.reading().LoadLine; got != 9000 {
			t.Errorf("the load line is %d, want 9000", got)
		}
		r.compact(profileRequest("", -1))
		if made := r.compactions(); len(made) != 1 || made[0].Preview.Range.To != 1 {
			t.Errorf("compactions %+v, want one through turn 1; errors %v", made, r.compactionErrors())
		}
		r.SwitchModel(llm.Model{Provider: "test", ID: "n", Window: meter.Window{Tokens: 10_000, Source: meter.WindowFlag}}, r.provider)
		r.waitIdle()
		if got := r.reading().LoadLine; got != 5000 {
			t.Errorf("the load line of the next model is %d, want 5000", got)
		}
		r.finish()
	})
}

func TestSettingsChangedInATurnAreRecordedOnce(t *testing.T) {
	for name, script := range map[string][]agenttest.Reply{
		"that ends":    {textReply("done")},
		"that goes on": {callsLook(0), textReply("done")},
	} {
		runBubble(t, name, func(t *testing.T) {
			gate := agenttest.NewGate()
			script[0] = agenttest.Join(agenttest.WaitAtGate(gate), script[0])
			r := start(t, withTools(lookTool()), script...)
			r.sendAndWait("go")
			r.Configure(map[string]string{"compaction.keep_last": "1"}, lowerRules())
			r.waitIdle()
			gate.Open()
			r.waitIdle()
			checkEqual(t, []map[string]string{{"compaction.keep_last": "1"}}, r.recordedSettings())
			r.checkIdle()
			r.finish()
		})
	}
}

func TestBreakdownUnderOtherRulesDoesNotApplyThem(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 3, nil)
		was, events := r.reading(), len(r.memory.Events())
		b, err := r.BreakdownBy(t.Context(), lowerRules(), meter.Window{})
		if err != nil || b.Reading.LoadLine != 9000 || b.Reading.Used != was.Used || b.Forecast.AtTokens != 9000 {
			t.Errorf("reading %+v, forecast %+v, want a load line of 9000; error %v", b.Reading, b.Forecast, err)
		}
		b, err = r.BreakdownBy(t.Context(), lowerRules(), meter.Window{Tokens: 10_000, Source: meter.WindowConfig})
		if err != nil || b.Reading.LoadLine != 5000 || b.Reading.Window.Tokens != 10_000 {
			t.Errorf("the reading in another window is %+v, want a load line of 5000; error %v", b.Reading, err)
		}
		if now := r.reading(); now.LoadLine != was.LoadLine || now.Window != was.Window || len(r.memory.Events()) != events {
			t.Errorf("the meter is %+v after the breakdown, %+v before", now, was)
		}
		r.finish()
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("given up"))
		if _, err := r.BreakdownBy(ctx, lowerRules(), meter.Window{}); err == nil {
			t.Error("an agent that has ended computed a breakdown")
		}
	})
}

// withThreePrompts sets three forms of prompt and tools, of about 1,000, 500 and 100 tokens.
func withThreePrompts(o *core.Options) {
	spec := func(name string, words int) conversation.ToolSpec {
		return conversation.ToolSpec{Name: name, Description: strings.Repeat("word ", words), Parameters: conversation.RawJSON(`{"type":"object"}`)}
	}
	o.System = strings.Repeat("be brief ", 150)
	o.Toolbox = agenttest.NewToolbox(agenttest.Tool{Spec: spec("ls", 200)}, agenttest.Tool{Spec: spec("cat", 200)})
	o.Forms = []core.Form{
		{System: "be short", Tools: []conversation.ToolSpec{spec("ls", 180), spec("cat", 180)}},
		{System: "be short", Tools: []conversation.ToolSpec{spec("ls", 10)}, OnlyBelow: 1800},
	}
}

func promptForm(r llm.Request) string {
	switch {
	case len(r.Tools) == 1:
		return "few"
	case r.System == "be short":
		return "brief"
	}
	return "full"
}

func TestSmallWindowsGetShorterPromptsAndTools(t *testing.T) {
	for name, c := range map[string]struct {
		window  int
		assumed int
		later   int // becomes known before the first message, 0 for none
		want    string
	}{
		"large":                        {window: 100_000, want: "full"},
		"large enough":                 {window: 4400, want: "full"},
		"small":                        {window: 2400, want: "brief"},
		"too small for either":         {window: 1900, want: "brief"},
		"very small":                   {window: 1500, want: "few"},
		"unknown":                      {want: "full"},
		"unknown, on this machine":     {assumed: 2400, want: "brief"},
		"unknown until it is asked":    {assumed: 2400, later: 100_000, want: "full"},
		"unknown, and then very small": {later: 1500, want: "few"},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, func(o *core.Options) {
				withThreePrompts(o)
				o.Model.Window, o.AssumeWindow = windowOf(c.window, meter.WindowServer), c.assumed
				o.Rules = preset.RulesOf(preset.Plimsoll)
				o.Rules.Auto.Enabled = false
			}, textReply("fine"), textReply("fine"))
			if c.later > 0 {
				r.SetWindow("test/m", windowOf(c.later, meter.WindowServer))
			}
			r.sendAndWait("go")
			r.SetWindow("test/m", windowOf(50_000, meter.WindowServer)) // it stays as it began
			r.sendAndWait("go on")
			r.finish()
			var got []string
			for _, q := range r.provider.Requests() {
				got = append(got, promptForm(q))
			}
			checkEqual(t, []string{c.want, c.want}, got)
			told := ""
			for _, n := range bodies[conversation.Notice](r.memory.Events()) {
				told += n.Text
			}
			if strings.Contains(told, "without cat.") != (c.want == "few") {
				t.Errorf("form %q: the notices are %q", c.want, told)
			}
		})
	}
}

// A stored conversation keeps its recorded tools and the prompt of the same form, also
// when the window has another size.
func TestConversationKeepsItsPromptAndTools(t *testing.T) {
	bubble(t, func(t *testing.T) {
		before := start(t, func(o *core.Options) {
			withThreePrompts(o)
			o.Model.Window = windowOf(2400, meter.WindowServer)
		}, textReply("fine"))
		before.sendAndWait("go")
		before.finish()
		var in conversation.Instructions
		for _, b := range bodies[conversation.Instructions](before.memory.Events()) {
			in = b
		}
		recorded, err := core.DecodeTools(before.memory.Blob(in.Tools))
		if err != nil {
			t.Fatal(err)
		}
		after := start(t, func(o *core.Options) {
			withThreePrompts(o)
			o.Forms[0].Tools[1].Description = "what it says depends on files"
			o.Log, o.Stored.Events, o.Stored.Tools = before.memory, before.memory.Events(), recorded
		}, textReply("fine"))
		after.sendAndWait("go on")
		after.finish()
		if got := promptForm(after.provider.Requests()[0]); got != "brief" {
			t.Errorf("the conversation continues with the %s form, want brief", got)
		}
		checkEqual(t, before.provider.Requests()[0].Tools, after.provider.Requests()[0].Tools)
		var names []string
		tools, tokens := after.DeclaredTools()
		if want := after.reading().Segments[projection.Tools]; tokens != want || tokens == 0 {
			t.Errorf("the tools take %d tokens, by the gauge %d", tokens, want)
		}
		for _, tool := range tools {
			names = append(names, tool.Name)
		}
		checkEqual(t, []string{"ls", "cat"}, names)
	})
}

// withTitles makes the model write titles of conversations.
func withTitles(o *core.Options) {
	o.Titles = func(llm.Model) bool { return true }
	o.Cost = func(llm.Model, llm.Tokens) (*float64, string) { return new(0.001), "2026-01-02" }
}

// titles returns the titles in the log, in order, and the cost of the title requests.
func titles(r *rig) (names []string, cost float64) {
	for _, e := range r.memory.Events() {
		switch b := e.Body.(type) {
		case conversation.Renamed:
			names = append(names, b.By+": "+b.Title)
		case conversation.Usage:
			if b.Purpose == conversation.PurposeTitle && b.CostUSD != nil {
				cost += *b.CostUSD
			}
		}
	}
	return names, cost
}

func titleReply(text string) agenttest.Reply {
	return agenttest.Join(agenttest.StreamText(text), agenttest.Stop(conversation.StopEnd), agenttest.ReportTokens(120, 8))
}

func TestTheModelNamesTheConversationAfterTheFirstTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTitles, textReply("Both ask for one port."), titleReply(" \"Flaky upload test\".\n"), textReply("Yes."))
		r.sendAndWait("Why does the upload test fail?\nIt is flaky.")
		names, cost := titles(r)
		if got := strings.Join(names, " | "); got != "auto: Why does the upload test fail? | auto: Flaky upload test" || cost != 0.001 {
			t.Errorf("the titles are %s, their cost %g, want 0.001", got, cost)
		}
		asked := r.provider.Requests()[1]
		text := asked.Messages[0].Text
		if len(asked.Tools) > 0 || asked.MaxTokens == 0 || asked.MaxTokens > 1000 || asked.Conversation != "" ||
			!strings.Contains(text, "upload test fail? It is flaky.") || !strings.Contains(text, "one port") {
			t.Errorf("the title request is %+v", asked)
		}
		if used := r.Meter().Reading().Used; used > 1000 {
			t.Errorf("the meter shows %d, want 1000 at most", used)
		}
		r.sendAndWait("Sure?")
		if n := len(r.provider.Requests()); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
		r.finish()
	})
}

func TestTheFirstLineStaysWhereTheModelWritesNoTitle(t *testing.T) {
	for name, reply := range map[string]agenttest.Reply{
		"a failure":      agenttest.Fail(&llm.Error{Class: llm.Overloaded, Message: "overloaded"}),
		"an essay":       titleReply(strings.Repeat("this conversation is about ", 20)),
		"what was cut":   agenttest.Join(agenttest.StreamText("Flaky up"), agenttest.Stop(conversation.StopLength)),
		"a slow answer":  agenttest.Join(agenttest.Pause(time.Hour), titleReply("Late")),
		"only its signs": titleReply("\"\"."),
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, withTitles, textReply("Fine."), reply, textReply("Yes."))
			r.sendAndWait("a question")
			time.Sleep(time.Minute)
			r.sendAndWait("another") // it is not asked again
			names, _ := titles(r)
			if got := strings.Join(names, " | "); got != "auto: a question" || len(r.provider.Requests()) != 3 {
				t.Errorf("the titles are %s after %d requests, want the first line after 3", got, len(r.provider.Requests()))
			}
			r.finish()
		})
	}
}

func TestUserTitleIsNotReplaced(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withTitles, textReply("Fine."), textReply("Yes."))
		r.Rename("mine")
		r.sendAndWait("a question")
		if names, _ := titles(r); strings.Join(names, " | ") != "user: mine" || len(r.provider.Requests()) != 1 {
			t.Errorf("the titles are %q after %d requests, want the user's after 1", names, len(r.provider.Requests()))
		}
		r.finish()
	})
}

func TestTurnsDoNotWaitForATitle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, withTitles, textReply("Fine."), agenttest.Join(agenttest.WaitAtGate(gate), titleReply("A title")), textReply("Yes."))
		r.sendAndWait("a question")
		r.sendAndWait("another")
		if n := len(r.provider.Requests()); n != 3 {
			t.Errorf("%d requests, want 3: the second turn waits for the title", n)
		}
		gate.Open()
		r.waitIdle()
		if names, _ := titles(r); len(names) != 2 {
			t.Errorf("the titles are %q, want 2", names)
		}
		r.finish()
	})
}
