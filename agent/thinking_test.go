package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/anthropic/anthropictest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// These tests run conversations with Claude, whose server checks the thinking blocks in requests.

// claudeConversation is a conversation with a scripted Claude.
type claudeConversation struct {
	*rig
	server *anthropictest.Server
	client *openai.Client
	change []func(*core.Options)
}

// comparingClient compares the thinking in each request with the meter's count.
type comparingClient struct {
	*openai.Client
	talk *claudeConversation
}

func (w comparingClient) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	if last := r.Messages[len(r.Messages)-1].Text; strings.HasPrefix(r.System, "be brief") && !strings.HasPrefix(last, "This is a request of the program") {
		w.talk.compare(r)
	}
	return w.Client.Stream(ctx, r)
}

// compare compares the thinking in a request with the meter's count.
func (k *claudeConversation) compare(r llm.Request) {
	body, err := k.client.Body(r, "")
	if err != nil {
		k.t.Error(err)
		return
	}
	var sent anthropictest.Request
	if err := json.Unmarshal(body, &sent); err != nil {
		k.t.Error(err)
		return
	}
	want, m := 0.0, k.Meter()
	for _, msg := range sent.Messages {
		for _, b := range msg.Content {
			if text, ok := b["thinking"].(string); ok {
				want += meter.Estimate(conversation.Measure(text)) + meter.FramingTokens
			}
		}
	}
	if got := m.SegmentEstimate(projection.Reasoning); math.Abs(got-want) > 0.01 {
		k.t.Errorf("the meter counts %v tokens of thinking, and %v are sent", got, want)
	}
}

// startClaude returns a conversation whose server answers with a function.
func startClaude(t *testing.T, id string, answer func(n int, r anthropictest.Request) anthropictest.Answer, change ...func(*core.Options)) *claudeConversation {
	t.Helper()
	k := &claudeConversation{server: anthropictest.NewTransport(t, answer), change: change}
	k.client = openai.New(openai.Options{Provider: "anthropic", BaseURL: "http://claude.test/v1", Key: anthropictest.Key, Transport: k.server})
	k.open(t, id, core.Stored{ID: "conversation"}, &agenttest.Memory{})
	return k
}

func (k *claudeConversation) serverModel(id string, window int) llm.Model {
	return llm.Model{Provider: "anthropic", ID: id, Window: meter.Window{Tokens: window, Source: meter.WindowConfig},
		Caps: k.client.Capabilities(id), Thinker: k.client}
}

func (k *claudeConversation) open(t *testing.T, id string, stored core.Stored, memory *agenttest.Memory) {
	k.rig = start(t, func(o *core.Options) {
		o.Log, o.Backlog, o.Calibrations, o.Stored, o.Provider = memory, memory, memory, stored, comparingClient{k.client, k}
		o.Model = k.serverModel(id, 100_000)
		o.Toolbox = agenttest.NewToolbox(readTool())
		for _, f := range k.change {
			f(o)
		}
	})
}

// reopen closes the conversation and opens it again with changed options.
func (k *claudeConversation) reopen(t *testing.T, id string, change ...func(*core.Options)) {
	k.finish()
	events := k.memory.Events()
	stored := core.Stored{ID: "conversation", Events: events}
	for _, e := range events {
		if in, ok := e.Body.(conversation.Instructions); ok {
			system := k.memory.Blob(in.System)
			stored.System = &system
			tools, err := core.DecodeTools(k.memory.Blob(in.Tools))
			if err != nil {
				t.Fatal(err)
			}
			stored.Tools = tools
		}
	}
	k.change = append(k.change, change...)
	k.open(t, id, stored, k.memory)
}

// readTool returns a tool with long results.
func readTool() agenttest.Tool {
	return agenttest.Reader("read", func(_ context.Context, c conversation.ToolCall, _ func(string)) conversation.Outcome {
		return okOutcome(strings.Repeat("what is read under "+c.ID+"\n", 20+len(c.ID)*7%60))
	})
}

// randomThinking answers with thinking, text and calls at random.
func randomThinking(chance *rand.Rand) func(n int, r anthropictest.Request) anthropictest.Answer {
	inRow := 0
	return func(n int, r anthropictest.Request) anthropictest.Answer {
		if answer, ok := claudeSummary(r); ok {
			return answer
		}
		thinking, words := "", fmt.Sprintf("answer %d", n)
		if chance.IntN(4) > 0 {
			thinking = strings.Repeat(fmt.Sprintf("thought %d ", n), 1+chance.IntN(60))
		}
		var calls [][2]string
		if inRow++; inRow < 4 && chance.IntN(2) == 0 {
			for i := range 1 + chance.IntN(2) {
				calls = append(calls, [2]string{fmt.Sprintf("toolu_%d_%d", n, i), "read"})
			}
			if chance.IntN(2) == 0 {
				words = ""
			}
		} else {
			inRow = 0
		}
		return anthropictest.ReplyWithThinking(thinking, words, calls...)
	}
}

// claudeSummary returns the answer to a summary request; false if the request is another one.
func claudeSummary(r anthropictest.Request) (anthropictest.Answer, bool) {
	last := r.Messages[len(r.Messages)-1].Content
	text, _ := last[len(last)-1]["text"].(string)
	return anthropictest.Reply(strings.Repeat("It went on from there. ", 40)), strings.HasPrefix(text, "This is a request of the program")
}

// TestNoThinkingIsRefusedWhateverHappensToAConversation runs conversations with a server that refuses thinking after a changed
// prefix, and compares the meter with the requests.
func TestNoThinkingIsRefusedWhateverHappensToAConversation(t *testing.T) {
	const shards, each = 2, 20
	models := []string{"claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5"}
	for shard := range shards {
		runBubble(t, fmt.Sprint(shard), func(t *testing.T) {
			carried := 0
			for i := range each {
				seed := uint64(shard*each + i)
				chance := rand.New(rand.NewPCG(seed, 1))
				window := []int{9_000, 100_000}[chance.IntN(2)]
				model := models[chance.IntN(2)]
				k := startClaude(t, model, randomThinking(chance), func(o *core.Options) { o.Model.Window.Tokens = window })
				for n := range 4 {
					k.sendAndWait(fmt.Sprintf("message %d: %s", n, strings.Repeat("go on with it ", chance.IntN(30))))
					switch chance.IntN(14) {
					case 0:
						k.compact(profileRequest(preset.ProfileHeavy, 1))
					case 1:
						k.compact(profileRequest(preset.ProfileDefault, 1))
					case 2:
						k.compact(profileRequest(preset.ProfileLight, chance.IntN(3)))
					case 3, 4:
						k.UndoCompaction(0)
					case 5:
						k.RedoCompaction()
					case 6:
						model = models[chance.IntN(len(models))]
						k.SwitchModel(k.serverModel(model, window), comparingClient{k.client, k})
					case 7:
						k.Rewind(-1 - chance.IntN(2))
					case 8:
						k.RestoreTurns()
					case 9:
						rules := fmt.Sprintf("be brief, %d", n)
						k.reopen(t, model, func(o *core.Options) { o.System, o.Model = rules, k.serverModel(model, window) })
					case 10:
						k.reopen(t, model, func(o *core.Options) { o.Model = k.serverModel(model, window) })
					}
					k.waitIdle()
				}
				k.finish()
				for _, wrong := range k.server.ThinkingErrors() {
					t.Errorf("conversation %d: refused thinking: %s", seed, wrong)
				}
				for _, e := range k.failures() {
					t.Errorf("conversation %d: failure: %s", seed, e)
				}
				carried += len(k.sentThinking())
			}
			if carried < each/2 {
				t.Errorf("%d thoughts were sent again in %d conversations, want half as many at least", carried, each)
			}
		})
	}
}

func (k *claudeConversation) sentThinking() (texts []string) {
	all := k.server.Requests()
	for _, m := range all[len(all)-1].Messages {
		for _, b := range m.Content {
			if text, ok := b["thinking"].(string); ok {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// numberedReply answers request n with thinking and text that have the number.
func numberedReply(n int, r anthropictest.Request) anthropictest.Answer {
	if answer, ok := claudeSummary(r); ok {
		return answer
	}
	return anthropictest.ReplyWithThinking(fmt.Sprint("thought ", n), fmt.Sprint("answer ", n))
}

// checkRefusedOnce checks that thinking was refused once, that the user was told, and that no request failed.
func (k *claudeConversation) checkRefusedOnce() {
	k.t.Helper()
	told := slices.DeleteFunc(bodies[conversation.Notice](k.memory.Events()), func(n conversation.Notice) bool { return !n.ThinkingRefused })
	if n := len(k.server.ThinkingErrors()); n != 1 || len(told) != 1 || len(k.failures()) != 0 {
		k.t.Errorf("%d refusals, want 1; notices %v, want 1; failures %v, want none", n, told, k.failures())
	}
}

func TestRefusedThinkingIsReportedOnceAndNotSentAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := startClaude(t, "claude-sonnet-5-5", numberedReply)
		for _, text := range []string{"one", "two"} {
			k.sendAndWait(text)
		}
		k.server.ForgetThinking() // its keys are others, say
		for _, text := range []string{"three", "four"} {
			k.sendAndWait(text)
		}
		k.reopen(t, "claude-sonnet-5-5")
		k.sendAndWait("five")
		k.finish()
		checkEqual(t, []string{"thought 3", "thought 4"}, k.sentThinking())
		k.checkRefusedOnce()
	})
}

func TestSummaryIsRequestedAgainWithoutRefusedThinking(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := strings.Repeat("a long message ", 300)
		k := startClaude(t, "claude-sonnet-5-5", numberedReply)
		for range 4 {
			k.sendAndWait(long)
		}
		k.server.ForgetThinking()
		k.compact(profileRequest(preset.ProfileHeavy, 1))
		k.UndoCompaction(0)
		k.sendAndWait("on")
		if got := k.sentThinking(); len(got) != 0 {
			t.Errorf("thinking %q is sent again, want none", got)
		}
		k.finish()
		k.checkRefusedOnce()
		if n := len(k.modelSummaries()); n != 1 {
			t.Errorf("%d summaries, want 1", n)
		}
	})
}

func TestCompactionOmitsAllThinkingAndUndoRestoresIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := strings.Repeat("a long message ", 300)
		k := startClaude(t, "claude-sonnet-5-5", numberedReply)
		for range 4 {
			k.sendAndWait(long)
		}
		before := k.reading().Segments[projection.Reasoning]
		k.Preview(profileRequest(preset.ProfileHeavy, 1))
		k.waitIdle()
		preview := agenttest.UpdatesOf[updates.Previewed](k.watch)[0].Preview
		k.compact(profileRequest(preset.ProfileHeavy, 1))
		if before == 0 || k.reading().Segments[projection.Reasoning] != 0 {
			t.Errorf("%d tokens of thinking, want some; compacted %d, want none", before, k.reading().Segments[projection.Reasoning])
		}
		if saved := slices.IndexFunc(preview.Layers, func(l edit.Layer) bool { return l.Kind == edit.LayerReasoning && l.Events == 1 }); saved < 0 {
			t.Errorf("the preview counts no thinking of the kept turn: %+v", preview.Layers)
		}
		k.sendAndWait(long)
		if got := k.sentThinking(); len(got) != 0 {
			t.Errorf("after the compaction thinking %q is sent, want none", got)
		}
		k.UndoCompaction(0)
		k.sendAndWait(long)
		if diff := cmp.Diff([]string{"thought 0", "thought 1", "thought 2", "thought 3"}, k.sentThinking()); diff != "" {
			t.Errorf("thinking after the undo (-want +got): %s", diff)
		}
		k.sendAndWait(long)
		if got := k.sentThinking(); len(got) != 5 { // the thinking that was compacted is left out
			t.Errorf("thinking after another turn is %q, want 5", got)
		}
		k.finish()
		if wrong := k.server.ThinkingErrors(); wrong != nil {
			t.Error(wrong)
		}
	})
}

// Changed instructions wait until something else breaks the cached prefix.
func TestChangedInstructionsWaitForACompactionOrAnotherModel(t *testing.T) {
	for name, act := range map[string]func(k *claudeConversation){
		"a compaction": func(k *claudeConversation) { k.compact(profileRequest(preset.ProfileHeavy, 1)) },
		"another model": func(k *claudeConversation) {
			k.SwitchModel(k.serverModel("claude-opus-5-5", 100_000), comparingClient{k.client, k})
		},
	} {
		runBubble(t, name, func(t *testing.T) {
			long := strings.Repeat("a long message ", 300)
			k := startClaude(t, "claude-sonnet-5-5", numberedReply)
			for range 3 {
				k.sendAndWait(long)
			}
			system := func() string {
				all := k.server.Requests()
				return all[len(all)-1].System[0]["text"].(string)
			}
			for range 2 {
				k.reopen(t, "claude-sonnet-5-5", func(o *core.Options) { o.System = "be brief and kind" })
				k.sendAndWait(long)
				if got := system(); got != "be brief" || len(k.sentThinking()) < 3 {
					t.Errorf("before the change: prompt %q, want the old; thinking %q, want all", got, k.sentThinking())
				}
			}
			act(k)
			k.waitIdle()
			k.sendAndWait(long)
			if got := system(); got != "be brief and kind" || len(k.sentThinking()) != 0 {
				t.Errorf("after the change: prompt %q, want the new; thinking %q, want none", got, k.sentThinking())
			}
			k.finish()
			if wrong, told := k.server.ThinkingErrors(), k.notices(); len(told) != 1 || !strings.HasPrefix(told[0], "The instructions have changed") || wrong != nil {
				t.Errorf("notices %q, want one about the instructions; refused %q", told, wrong)
			}
		})
	}
}

// Thinking stored by a version that recorded no prefix is not sent, also in an open tool loop.
func TestThinkingWithoutARecordedPrefixIsNotSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := startClaude(t, "claude-sonnet-5-5", func(n int, r anthropictest.Request) anthropictest.Answer {
			if n == 0 {
				return anthropictest.ReplyWithThinking("earlier", "I look.", [2]string{"toolu_0", "read"})
			}
			return numberedReply(n, r)
		})
		k.sendAndWait("one")
		events := k.memory.Events()
		for i, e := range events {
			if m, ok := e.Body.(conversation.AssistantMessage); ok {
				delete(m.Extras, "anthropic_past")
				events[i].Body = m
			}
		}
		k.reopen(t, "claude-sonnet-5-5")
		k.sendAndWait("two")
		k.finish()
		if got := k.sentThinking(); len(got) != 0 {
			t.Errorf("thinking %q is sent again, want none", got)
		}
	})
}
