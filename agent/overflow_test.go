package agent_test

import (
	"fmt"
	"strings"
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

func TestOverflowTwiceInARowNamesTheCompactionThatMakesRoom(t *testing.T) {
	const otherwise = "start a new conversation, or choose a model with a larger window"
	for name, c := range map[string]struct {
		turns int
		plain bool // no tools were used
		err   llm.Error
		want  string
	}{
		"old results":           {turns: 6, want: "make room with /compact --keep-last 1 (outside the chat: plimsoll compact --keep-last 1), "},
		"much too long":         {turns: 6, err: llm.Error{Window: 2000, Requested: 9000}}, // the old results are evicted by then
		"a bit too long":        {turns: 6, err: llm.Error{Window: 9500, Requested: 10_000}, want: "make room with /compact --keep-last 1 (outside the chat: plimsoll compact --keep-last 1), "},
		"left out already":      {turns: 2}, // a summary of it would be longer than the note
		"nothing but words":     {turns: 6, plain: true, want: "make room with /compact --profile heavy --keep-last 1 (outside the chat: plimsoll compact --profile heavy --keep-last 1), "},
		"nothing was said else": {want: "send a shorter message, put the long text into a file and name that, or choose a model with a larger window"},
	} {
		runBubble(t, name, func(t *testing.T) {
			c.err.Class, c.err.Message = llm.Overflow, "too long"
			turns := c.turns
			var script []agenttest.Reply
			if c.plain {
				turns = 0
				for range c.turns {
					script = append(script, textReply(strings.Repeat("word upon word ", 400)))
				}
			}
			r := startWithListings(t, turns, nil, append(script, agenttest.Fail(&c.err), agenttest.Fail(&c.err))...)
			for i := range script {
				r.sendAndWait(fmt.Sprintf("talk of %d", i))
			}
			r.sendAndWait("and that?")
			failed := agenttest.UpdatesOf[updates.Failed](r.watch)
			if len(failed) != 1 {
				t.Fatalf("failures %+v, want one", failed)
			}
			if c.turns > 0 {
				c.want += otherwise
			}
			if !strings.HasPrefix(failed[0].Err.Hint, c.want) {
				t.Errorf("reported %q, want %q", failed[0].Err.Hint, c.want)
			}
			r.finish()
		})
	}
}

// When the tools alone exceed the window, a shorter conversation does not help.
func TestOverflowCausedByTheToolsAloneIsExplained(t *testing.T) {
	for name, window := range map[string]meter.Window{"the server says": {}, "known before": {Tokens: 1000, Source: meter.WindowFlag}} {
		runBubble(t, name, func(t *testing.T) {
			many := agenttest.Reader("ls", nil)
			many.Spec.Description = strings.Repeat("word upon word ", 800)
			refused := &llm.Error{Class: llm.Overflow, Message: "too long", Window: 2048, Requested: 3100}
			r := start(t, func(o *core.Options) {
				o.Toolbox, o.Model.Window = agenttest.NewToolbox(many), window
			}, agenttest.Fail(refused), agenttest.Fail(refused))
			r.sendAndWait("hi")
			failed := agenttest.UpdatesOf[updates.Failed](r.watch)
			if len(failed) != 1 || !strings.Contains(failed[0].Err.Hint, "fewer tools") || strings.Contains(failed[0].Err.Hint, "shorten") || strings.Contains(failed[0].Err.Hint, "/compact") {
				t.Errorf("failures %+v, want one with the hint to use fewer tools", failed)
			}
			r.finish()
		})
	}
}

// A request may be too long and also have thinking that the server refuses: the agent recovers once from each, in either order.
func TestRefusedThinkingAndOverflowAreBothRecovered(t *testing.T) {
	thinking := agenttest.Fail(&llm.Error{Class: llm.BadRequest, Message: "bound elsewhere", RefusesThinking: true})
	long := agenttest.Fail(&llm.Error{Class: llm.Overflow, Message: "too long", Window: 9500, Requested: 10_000})
	for name, c := range map[string]struct {
		script []agenttest.Reply
		failed int
	}{
		"thinking first": {[]agenttest.Reply{thinking, long, textReply("fine")}, 0},
		"overflow first": {[]agenttest.Reply{long, thinking, textReply("fine")}, 0},
		"thinking twice": {[]agenttest.Reply{thinking, thinking, textReply("fine")}, 1},
	} {
		runBubble(t, name, func(t *testing.T) {
			thought := agenttest.Join(agenttest.StreamText("hm"), agenttest.StreamChunk(llm.Chunk{Stop: conversation.StopEnd, Extras: map[string]conversation.RawJSON{"signed": conversation.RawJSON(`1`)}}))
			r := startWithListings(t, 6, nil, append([]agenttest.Reply{thought}, c.script...)...)
			r.sendAndWait("think")
			r.sendAndWait("and that?")
			if got := r.failures(); len(got) != c.failed {
				t.Errorf("failures %v, want %d", got, c.failed)
			}
			r.finish()
		})
	}
}

// withLongFirstMessage starts with a stored first message that is longer than the window,
// which an import or an older version can leave.
func withLongFirstMessage(t *testing.T, more ...conversation.Body) func(*core.Options) {
	t.Helper()
	log := &conversation.Log{}
	events := log.Prepare(time.Now(), append([]conversation.Body{
		conversation.UserMessage{Text: strings.Repeat("word ", 1<<17)},
		conversation.AssistantMessage{Text: "That is long.", Stop: conversation.StopEnd},
	}, more...)...)
	memory := &agenttest.Memory{}
	if err := memory.Append(t.Context(), events); err != nil {
		t.Fatal(err)
	}
	return func(o *core.Options) {
		o.Model.Window = meter.Window{Tokens: 20_000, Source: meter.WindowConfig}
		o.Log, o.Calibrations, o.Backlog, o.Stored.Events = memory, memory, memory, events
	}
}

func TestFirstMessageThatIsTooLongDoesNotBlockAConversation(t *testing.T) {
	for _, p := range []preset.Name{preset.Plimsoll, preset.OneClaw} {
		runBubble(t, string(p), func(t *testing.T) {
			r := start(t, combine(withLongFirstMessage(t), withPreset(p)), textReply("fine"), textReply("fine"), textReply("fine"))
			r.sendAndWait("and now?")
			if got := agenttest.UpdatesOf[updates.Failed](r.watch); len(got) > 0 {
				t.Errorf("failures %v, want none", got)
			}
			r.finish()
		})
	}
}

func TestPinThatIsTooLongIsNamed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := start(t, withLongFirstMessage(t, conversation.Pin{Events: []uint64{1}}))
		r.sendAndWait("and now?")
		got := agenttest.UpdatesOf[updates.Failed](r.watch)
		if len(got) != 1 || got[0].Err.Class != llm.Overflow || !strings.Contains(got[0].Err.Hint, "/unpin") {
			t.Errorf("failures %+v, want one overflow that names /unpin", got)
		}
		r.finish()
	})
}
