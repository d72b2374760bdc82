package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

func TestTitleIsTheFirstLineShortened(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, answers("a"), answers("b"))
		r.say("\n\n  please\tfix \x1b[31mthe flaky upload test that fails about once in ten runs on the build machine\nmore")
		r.say("another")
		r.finish()
		var titles []string
		for _, e := range r.memory.Events() {
			if b, isTitle := e.Body.(conversation.Renamed); isTitle {
				titles = append(titles, b.By+": "+b.Title)
			}
		}
		if diff := cmp.Diff([]string{"auto: please fix [31mthe flaky upload test that fails about once…"}, titles); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOwnTitleStandsAndWaitsForTheFirstMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, answers("a"))
		r.Rename("mine\n")
		r.wait()
		if n := len(r.memory.Events()); n != 0 {
			t.Fatalf("%d events before anything was said", n)
		}
		r.say("hello")
		r.Rename("better")
		r.wait()
		r.finish()
		want := []string{"renamed user mine", "instructions", "model test/m", "user hello", "assistant stop a", "usage of 5: -1+-1", "renamed user better"}
		if diff := cmp.Diff(want, brief(r.memory.Events())); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNothingSaidIsNothingStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil)
		r.Rename("title")
		r.Send("  \n")
		r.SwitchModel(llm.Model{Provider: "test", ID: "n"}, r.provider)
		r.wait()
		r.finish()
		if n := len(r.memory.Events()); n != 0 {
			t.Errorf("%d events were stored", n)
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
	if diff := cmp.Diff(specs, got); diff != "" {
		t.Error(diff)
	}
	if _, err := core.EncodeTools([]conversation.ToolSpec{{Name: "c", Parameters: conversation.RawJSON("{")}}); err == nil {
		t.Error("a schema that is not JSON was taken")
	}
}

func TestRunIsForOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil)
		if err := r.Run(t.Context()); err == nil {
			t.Error("a second Run was let in")
		}
		r.finish()
	})
}

func TestNewRefusesABrokenLog(t *testing.T) {
	t.Parallel()
	_, err := agent.New(core.Options{
		Log: &agenttest.Memory{}, Provider: agenttest.NewProvider(),
		Stored: core.Stored{Events: []conversation.Event{{Seq: 2, Body: conversation.UserMessage{Text: "x"}}}},
	})
	if err == nil {
		t.Error("a log with a gap was taken")
	}
	if _, err := agent.New(core.Options{}); err == nil {
		t.Error("an agent without a log was made")
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
		first := start(t, with(map[string]string{"compaction.trigger_ratio": "0.5"}, nil), answers("a"))
		first.say("one")
		first.finish()
		second := start(t, with(map[string]string{"compaction.trigger_ratio": "0.5", "log.level": "debug"}, first.memory), answers("b"))
		second.say("two")
		second.finish()
		var got []map[string]string
		for _, e := range first.memory.Events() {
			if c, ok := e.Body.(conversation.ConfigChanged); ok {
				got = append(got, c.Set)
			}
		}
		want := []map[string]string{{"compaction.trigger_ratio": "0.5"}, {"log.level": "debug"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
