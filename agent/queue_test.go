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

// withTinyWindow sets a window of 2,000 tokens.
func withTinyWindow(o *core.Options) {
	o.Model.Window = meter.Window{Tokens: 2000, Source: meter.WindowConfig}
}

func TestAMessageThatNeverFitsIsNotRecorded(t *testing.T) {
	long := strings.Repeat("word upon word ", 2000) // about 7,500 tokens
	for name, c := range map[string]struct {
		change func(*core.Options)
		says   func(r *rig)
		back   bool
	}{
		"at rest":         {withTinyWindow, func(r *rig) { r.Send(long) }, true},
		"asks no reply":   {withTinyWindow, func(r *rig) { r.Add(long) }, true},
		"fits by a bit":   {withTinyWindow, func(r *rig) { r.Send(strings.Repeat("word upon word ", 480)) }, false},
		"unknown window":  {func(o *core.Options) { o.Model.Window = meter.Window{} }, func(r *rig) { r.Send(long) }, false},
		"a larger window": {nil, func(r *rig) { r.Send(long) }, false},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, c.change, textReply("fine"))
			c.says(r)
			r.waitIdle()
			texts, why := r.returned(), r.failures()
			recorded := slices.ContainsFunc(messageLines(r.memory.Events()), func(s string) bool { return strings.HasPrefix(s, "user word upon") })
			if c.back != slices.Equal(texts, []string{long}) || c.back != slices.Equal(why, []llm.Class{llm.Overflow}) || c.back == recorded {
				t.Errorf("%d texts returned to the composer, failures %v, recorded %v", len(texts), why, recorded)
			}
			r.finish()
		})
	}
}

// During a turn, the message returns to the composer at once, and the turn continues.
func TestAMessageThatNeverFitsIsNotQueued(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := start(t, withTinyWindow, agenttest.Join(agenttest.WaitAtGate(gate), textReply("a")), textReply("b"))
		r.sendAndWait("one")
		long := strings.Repeat("word upon word ", 2000)
		r.Send(long)
		r.Send("two")
		r.waitIdle()
		r.checkQueue("two")
		texts, why := r.returned(), r.failures()
		if !slices.Equal(texts, []string{long}) || !slices.Equal(why, []llm.Class{llm.Overflow}) {
			t.Errorf("%d texts returned to the composer, want 1; failures %v, want one overflow", len(texts), why)
		}
		gate.Open()
		r.waitIdle()
		r.finish()
		checkEqual(t, []string{"user one", "assistant stop a", "user two", "assistant stop b"}, messageLines(r.memory.Events()))
	})
}

// Context that Add appends is in the log at once, and is sent with the next message.
func TestAddedContextIsSentWithTheNextMessage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, nil, textReply("fine"))
		r.Add("I ran this")
		r.waitIdle()
		if n := len(r.provider.Requests()); n != 0 {
			t.Errorf("%d requests for added context alone, want none", n)
		}
		checkEqual(t, []string{"user I ran this"}, messageLines(r.memory.Events()))
		r.sendAndWait("what do you make of it?")
		var texts []string
		for _, m := range r.lastRequest().Messages {
			texts = append(texts, m.Text)
		}
		if sent := strings.Join(texts, "\n"); !strings.Contains(sent, "I ran this") || !strings.Contains(sent, "what do you make") {
			t.Errorf("the request has %q, want the context and the message", sent)
		}
		r.finish()
	})
}

// During a turn, added context is queued; cancelling the turn or ending the program does not lose it.
func TestContextAddedDuringATurnIsQueuedAndKept(t *testing.T) {
	for name, end := range map[string]func(r *rig){
		"stopped": func(r *rig) { r.Cancel(); r.waitIdle() },
		"ended":   func(*rig) {},
	} {
		runBubble(t, name, func(t *testing.T) {
			r := start(t, nil, agenttest.WaitAtGate(agenttest.NewGate()))
			r.sendAndWait("one")
			r.Add("I ran this")
			r.waitIdle()
			r.checkQueue("I ran this")
			end(r)
			r.finish()
			r.checkQueue()
			if got := messageLines(r.memory.Events()); got[len(got)-1] != "user I ran this" {
				t.Errorf("the log is %q, want the context at its end", got)
			}
			if texts := r.returned(); len(texts) > 0 {
				t.Errorf("%q returned to the composer, want nothing", texts)
			}
		})
	}
}

func TestQueuedMessagesAreStored(t *testing.T) {
	for name, c := range map[string]struct {
		then func(r *rig)
		want []string
	}{
		"they are said":       {func(r *rig) { r.provider.Add(textReply("b"), textReply("c")) }, nil},
		"they are withdrawn":  {func(r *rig) { r.ReturnQueued(); r.waitIdle() }, nil},
		"the turn is stopped": {func(r *rig) { r.Cancel(); r.waitIdle() }, nil},
		"the program ends":    {func(r *rig) { r.end(); r.waitIdle() }, []string{"two", "three"}},
	} {
		runBubble(t, name, func(t *testing.T) {
			gate := agenttest.NewGate()
			r := start(t, nil, agenttest.Join(agenttest.WaitAtGate(gate), textReply("a")))
			if err := r.memory.KeepWaiting(t.Context(), []string{"of an earlier run"}); err != nil {
				t.Fatal(err)
			}
			r.sendAndWait("one") // it is in the log
			r.checkQueue()
			r.Send("two")
			r.Send("three")
			r.waitIdle()
			r.checkQueue("two", "three")
			c.then(r)
			gate.Open()
			r.waitIdle()
			r.finish()
			r.checkQueue(c.want...)
		})
	}
}

// checkQueue checks which queued messages are stored.
func (r *rig) checkQueue(want ...string) {
	r.t.Helper()
	checkEqual(r.t, want, r.memory.Waiting())
}
