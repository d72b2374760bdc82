package agent_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
)

// narrow gives the model a window of 2,000 tokens.
func narrow(o *core.Options) {
	o.Model.Window = meter.Window{Tokens: 2000, Source: meter.WindowConfig}
}

func TestAMessageThatNeverFitsIsNotRecorded(t *testing.T) {
	long := strings.Repeat("word upon word ", 2000) // about 7,500 tokens
	for name, c := range map[string]struct {
		change func(*core.Options)
		says   func(r *rig)
		back   bool
	}{
		"at rest":         {narrow, func(r *rig) { r.Send(long) }, true},
		"asks no reply":   {narrow, func(r *rig) { r.Add(long) }, true},
		"fits by a bit":   {narrow, func(r *rig) { r.Send(strings.Repeat("word upon word ", 480)) }, false},
		"unknown window":  {func(o *core.Options) { o.Model.Window = meter.Window{} }, func(r *rig) { r.Send(long) }, false},
		"a larger window": {nil, func(r *rig) { r.Send(long) }, false},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, c.change, answers("fine"))
			c.says(r)
			r.wait()
			texts, why := r.returned(), r.failures()
			recorded := slices.ContainsFunc(said(r.memory.Events()), func(s string) bool { return strings.HasPrefix(s, "user word upon") })
			if c.back != slices.Equal(texts, []string{long}) || c.back != slices.Equal(why, []llm.Class{llm.Overflow}) || c.back == recorded {
				t.Errorf("%d texts came back, the failures are %v, it is recorded: %v", len(texts), why, recorded)
			}
			r.finish()
		})
	}
}

// While a turn runs it comes back at once, and the turn goes on.
func TestAMessageThatNeverFitsIsNotQueued(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, narrow, agenttest.Join(agenttest.Hold(gate), answers("a")), answers("b"))
		r.say("one")
		long := strings.Repeat("word upon word ", 2000)
		r.Send(long)
		r.Send("two")
		r.wait()
		r.stored("two")
		texts, why := r.returned(), r.failures()
		if !slices.Equal(texts, []string{long}) || !slices.Equal(why, []llm.Class{llm.Overflow}) {
			t.Errorf("%d texts came back, the failures are %v", len(texts), why)
		}
		gate.Open()
		r.wait()
		r.finish()
		same(t, []string{"user one", "assistant stop a", "user two", "assistant stop b"}, said(r.memory.Events()))
	})
}

// What asks for no reply is in the log at once, and goes with the next message.
func TestWhatAsksForNoReplyGoesWithTheNextMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, answers("fine"))
		r.Add("I ran this")
		r.wait()
		if n := len(r.provider.Requests()); n != 0 {
			t.Errorf("%d requests were made", n)
		}
		same(t, []string{"user I ran this"}, said(r.memory.Events()))
		r.say("what do you make of it?")
		var texts []string
		for _, m := range r.last().Messages {
			texts = append(texts, m.Text)
		}
		if sent := strings.Join(texts, "\n"); !strings.Contains(sent, "I ran this") || !strings.Contains(sent, "what do you make") {
			t.Errorf("what was sent is %q", sent)
		}
		r.finish()
	})
}

// While a turn runs it waits, in order, and stopping the turn or ending the program
// loses nothing of it.
func TestWhatAsksForNoReplyWaitsAndStays(t *testing.T) {
	for name, end := range map[string]func(r *rig){
		"stopped": func(r *rig) { r.Cancel(); r.wait() },
		"ended":   func(*rig) {},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, nil, agenttest.Hold(agenttest.NewGate()))
			r.say("one")
			r.Add("I ran this")
			r.wait()
			r.stored("I ran this")
			end(r)
			r.finish()
			r.stored()
			if got := said(r.memory.Events()); got[len(got)-1] != "user I ran this" {
				t.Errorf("the log is %q", got)
			}
			if texts := r.returned(); len(texts) > 0 {
				t.Errorf("%q came back", texts)
			}
		})
	}
}

func TestMessagesAreStoredWhileTheyWait(t *testing.T) {
	for name, c := range map[string]struct {
		then func(r *rig)
		want []string
	}{
		"they are said":       {func(r *rig) { r.provider.Add(answers("b"), answers("c")) }, nil},
		"they are taken back": {func(r *rig) { r.TakeBack(); r.wait() }, nil},
		"the turn is stopped": {func(r *rig) { r.Cancel(); r.wait() }, nil},
		"the program ends":    {func(r *rig) { r.end(); r.wait() }, []string{"two", "three"}},
	} {
		runBubble(t, name, func(t *testing.T) {
			gate := agenttest.NewGate()
			r := start(t, nil, agenttest.Join(agenttest.Hold(gate), answers("a")))
			if err := r.memory.KeepWaiting(t.Context(), []string{"of an earlier run"}); err != nil {
				t.Fatal(err)
			}
			r.say("one") // it is in the log
			r.stored()
			r.Send("two")
			r.Send("three")
			r.wait()
			r.stored("two", "three")
			c.then(r)
			gate.Open()
			r.wait()
			r.finish()
			r.stored(c.want...)
		})
	}
}

// stored checks which messages wait in the store.
func (r *rig) stored(want ...string) {
	r.t.Helper()
	same(r.t, want, r.memory.Waiting())
}
