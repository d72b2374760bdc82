package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"net/http"
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

// Conversations with Claude, whose server checks the thinking that goes back.

// claudeTalk is a conversation with a scripted Claude.
type claudeTalk struct {
	*rig
	server *anthropictest.Server
	client *openai.Client
	change []func(*core.Options)
}

// watched is a client that compares each request with what the meter says of it.
type watched struct {
	*openai.Client
	talk *claudeTalk
}

func (w watched) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	if last := r.Messages[len(r.Messages)-1].Text; strings.HasPrefix(r.System, "be brief") && !strings.HasPrefix(last, "This is a request of the program") {
		w.talk.compare(r)
	}
	return w.Client.Stream(ctx, r)
}

// compare compares the thinking that a request carries with what the meter counts.
func (k *claudeTalk) compare(r llm.Request) {
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

// talksToClaude returns a conversation whose server answers by a function.
func talksToClaude(t *testing.T, id string, answer func(n int, r anthropictest.Request) anthropictest.Answer, change ...func(*core.Options)) *claudeTalk {
	t.Helper()
	k := &claudeTalk{server: anthropictest.NewTransport(t, answer), change: change}
	k.client = openai.New(openai.Options{Provider: "anthropic", BaseURL: "http://claude.test/v1", Key: anthropictest.Key, Transport: k.server})
	k.open(t, id, core.Stored{ID: "conversation"}, &agenttest.Memory{})
	return k
}

// model is a model of the server.
func (k *claudeTalk) model(id string, window int) llm.Model {
	return llm.Model{Provider: "anthropic", ID: id, Window: meter.Window{Tokens: window, Source: meter.WindowConfig},
		Caps: k.client.Capabilities(id), Thinker: k.client}
}

// open opens the conversation.
func (k *claudeTalk) open(t *testing.T, id string, stored core.Stored, memory *agenttest.Memory) {
	k.rig = start(t, func(o *core.Options) {
		o.Log, o.Backlog, o.Calibrations, o.Stored, o.Provider = memory, memory, memory, stored, watched{k.client, k}
		o.Model = k.model(id, 100_000)
		o.Toolbox = agenttest.NewToolbox(reads())
		for _, f := range k.change {
			f(o)
		}
	})
}

// reopen closes the conversation and opens it again, as a program would that was changed.
func (k *claudeTalk) reopen(t *testing.T, id string, change ...func(*core.Options)) {
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

// reads is a tool with results of some length.
func reads() agenttest.Tool {
	return agenttest.Reader("read", func(_ context.Context, c conversation.ToolCall, _ func(string)) conversation.Outcome {
		return ok(strings.Repeat("what is read under "+c.ID+"\n", 20+len(c.ID)*7%60))
	})
}

// thinks answers with thinking, words and calls by chance.
func thinks(chance *rand.Rand) func(n int, r anthropictest.Request) anthropictest.Answer {
	inRow := 0
	return func(n int, r anthropictest.Request) anthropictest.Answer {
		if answer, ok := claudeSums(r); ok {
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
		return anthropictest.Thoughts(thinking, words, calls...)
	}
}

// claudeSums is the answer to a request for one.
func claudeSums(r anthropictest.Request) (anthropictest.Answer, bool) {
	last := r.Messages[len(r.Messages)-1].Content
	text, _ := last[len(last)-1]["text"].(string)
	return anthropictest.Reply(strings.Repeat("It went on from there. ", 40)), strings.HasPrefix(text, "This is a request of the program")
}

// TestNoThinkingIsRefusedWhateverHappensToAConversation holds conversations with a server that refuses thinking whose past
// is not what it was, and compares the meter with what is sent.
func TestNoThinkingIsRefusedWhateverHappensToAConversation(t *testing.T) {
	const shards, each = 4, 50
	models := []string{"claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5"}
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				carried := 0
				for i := range each {
					seed := uint64(shard*each + i)
					chance := rand.New(rand.NewPCG(seed, 1))
					window := []int{9_000, 100_000}[chance.IntN(2)]
					model := models[chance.IntN(2)]
					k := talksToClaude(t, model, thinks(chance), func(o *core.Options) { o.Model.Window.Tokens = window })
					for n := range 4 {
						k.say(fmt.Sprintf("message %d: %s", n, strings.Repeat("go on with it ", chance.IntN(30))))
						switch chance.IntN(14) {
						case 0:
							k.compacts(byProfile(preset.ProfileHeavy, 1))
						case 1:
							k.compacts(byProfile(preset.ProfileDefault, 1))
						case 2:
							k.compacts(byProfile(preset.ProfileLight, chance.IntN(3)))
						case 3, 4:
							k.UndoCompaction(0)
						case 5:
							k.RedoCompaction()
						case 6:
							model = models[chance.IntN(len(models))]
							k.SwitchModel(k.model(model, window), watched{k.client, k})
						case 7:
							k.Rewind(-1 - chance.IntN(2))
						case 8:
							k.RestoreTurns()
						case 9:
							rules := fmt.Sprintf("be brief, %d", n)
							k.reopen(t, model, func(o *core.Options) { o.System, o.Model = rules, k.model(model, window) })
						case 10:
							k.reopen(t, model, func(o *core.Options) { o.Model = k.model(model, window) })
						}
						k.wait()
					}
					k.finish()
					for _, wrong := range k.server.Refused() {
						t.Errorf("conversation %d: %s", seed, wrong)
					}
					for _, e := range k.failures() {
						t.Errorf("conversation %d: %s", seed, e)
					}
					for _, r := range k.server.Requests() {
						for _, m := range r.Messages {
							for _, b := range m.Content {
								if b["type"] == "thinking" {
									carried++
								}
							}
						}
					}
				}
				if carried < 3*each {
					t.Errorf("%d thoughts went back in %d conversations", carried, each)
				}
			})
		})
	}
}

// thoughts are the texts of thinking that the newest request carried.
func (k *claudeTalk) thoughts() (texts []string) {
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

// numbered answers request n with a thought and words that name it.
func numbered(n int, r anthropictest.Request) anthropictest.Answer {
	if answer, ok := claudeSums(r); ok {
		return answer
	}
	return anthropictest.Thoughts(fmt.Sprint("thought ", n), fmt.Sprint("answer ", n))
}

func TestARefusalOfThinkingIsToldOnceAndNeverSeenAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := talksToClaude(t, "claude-sonnet-5-5", numbered)
		for _, text := range []string{"one", "two"} {
			k.say(text)
		}
		k.server.Forget() // its keys are others, say
		for _, text := range []string{"three", "four"} {
			k.say(text)
		}
		k.reopen(t, "claude-sonnet-5-5")
		k.say("five")
		k.finish()
		if diff := cmp.Diff([]string{"thought 3", "thought 4"}, k.thoughts()); diff != "" {
			t.Error(diff)
		}
		told := 0
		for _, e := range k.memory.Events() {
			if n, ok := e.Body.(conversation.Notice); ok && n.ThinkingRefused {
				told++
			}
		}
		if n := len(k.server.Refused()); n != 1 || told != 1 || len(k.failures()) != 0 {
			t.Errorf("%d refusals, told %d times, failures %v", n, told, k.failures())
		}
	})
}

func TestASummaryWhoseThinkingIsRefusedIsAskedForWithoutIt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := strings.Repeat("a long message ", 300)
		k := talksToClaude(t, "claude-sonnet-5-5", numbered)
		for range 4 {
			k.say(long)
		}
		k.server.Forget()
		k.compacts(byProfile(preset.ProfileHeavy, 1))
		k.UndoCompaction(0)
		k.say("on")
		if got := k.thoughts(); len(got) != 0 {
			t.Errorf("%q goes back", got)
		}
		k.finish()
		told, summaries := 0, 0
		for _, e := range k.memory.Events() {
			switch b := e.Body.(type) {
			case conversation.Notice:
				if b.ThinkingRefused {
					told++
				}
			case conversation.Summary:
				summaries++
			}
		}
		if n := len(k.server.Refused()); n != 1 || told != 1 || summaries != 1 || len(k.failures()) != 0 {
			t.Errorf("%d refusals, told %d times, %d summaries, failures %v", n, told, summaries, k.failures())
		}
	})
}

// The server takes the continuation as it came, also when it is made again after a failure.
func TestAPausedReplyOfClaudeIsSentAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := talksToClaude(t, "claude-sonnet-5-5", func(n int, r anthropictest.Request) anthropictest.Answer {
			switch n {
			case 0:
				a := anthropictest.Thoughts("where to look", "I search")
				for i, line := range a.Stream {
					a.Stream[i] = strings.ReplaceAll(line, "end_turn", "pause_turn")
				}
				return a
			case 1:
				return anthropictest.Answer{Status: 403, Body: anthropictest.Failure("permission_error", "not now")}
			}
			return numbered(n, r)
		})
		k.say("find it")
		k.Retry()
		k.wait()
		k.finish()
		if got := said(k.memory.Events()); !slices.Equal(got, []string{"user find it", "assistant stop I search", "assistant stop answer 2"}) || len(k.failures()) != 1 || len(k.server.Refused()) > 0 {
			t.Errorf("said %q, failures %v, refused %q", got, k.failures(), k.server.Refused())
		}
	})
}

func TestACompactionTakesAllThinkingAndUndoBringsItBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		long := strings.Repeat("a long message ", 300)
		k := talksToClaude(t, "claude-sonnet-5-5", numbered)
		for range 4 {
			k.say(long)
		}
		before := k.reading().Segments[projection.Reasoning]
		k.Preview(byProfile(preset.ProfileHeavy, 1))
		k.wait()
		preview := agenttest.Of[updates.Previewed](k.watch)[0].Preview
		k.compacts(byProfile(preset.ProfileHeavy, 1))
		if before == 0 || k.reading().Segments[projection.Reasoning] != 0 {
			t.Errorf("%d tokens of thinking, then %d", before, k.reading().Segments[projection.Reasoning])
		}
		if saved := slices.IndexFunc(preview.Layers, func(l edit.Layer) bool { return l.Kind == edit.LayerReasoning && l.Events == 1 }); saved < 0 {
			t.Errorf("what goes with the kept turn is not counted: %+v", preview.Layers)
		}
		k.say(long)
		if got := k.thoughts(); len(got) != 0 {
			t.Errorf("behind the compaction %q goes back", got)
		}
		k.UndoCompaction(0)
		k.say(long)
		if diff := cmp.Diff([]string{"thought 0", "thought 1", "thought 2", "thought 3"}, k.thoughts()); diff != "" {
			t.Errorf("after the undo: %s", diff)
		}
		k.say(long)
		if got := k.thoughts(); len(got) != 5 { // that under the compaction is none of them
			t.Errorf("then %q", got)
		}
		k.finish()
		if wrong := k.server.Refused(); wrong != nil {
			t.Error(wrong)
		}
	})
}

// Instructions that changed wait until something else breaks the prefix.
func TestChangedInstructionsWaitForACompactionOrAnotherModel(t *testing.T) {
	for name, act := range map[string]func(k *claudeTalk){
		"a compaction":  func(k *claudeTalk) { k.compacts(byProfile(preset.ProfileHeavy, 1)) },
		"another model": func(k *claudeTalk) { k.SwitchModel(k.model("claude-opus-5-5", 100_000), watched{k.client, k}) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				long := strings.Repeat("a long message ", 300)
				k := talksToClaude(t, "claude-sonnet-5-5", numbered)
				for range 3 {
					k.say(long)
				}
				system := func() string {
					all := k.server.Requests()
					return all[len(all)-1].System[0]["text"].(string)
				}
				for range 2 {
					k.reopen(t, "claude-sonnet-5-5", func(o *core.Options) { o.System = "be brief and kind" })
					k.say(long)
					if got := system(); got != "be brief" || len(k.thoughts()) < 3 {
						t.Errorf("asked with %q and %q", got, k.thoughts())
					}
				}
				act(k)
				k.wait()
				k.say(long)
				if got := system(); got != "be brief and kind" || len(k.thoughts()) != 0 {
					t.Errorf("afterwards asked with %q and %q", got, k.thoughts())
				}
				k.finish()
				told := 0
				for _, e := range k.memory.Events() {
					if n, ok := e.Body.(conversation.Notice); ok && strings.HasPrefix(n.Text, "The instructions have changed") {
						told++
					}
				}
				if wrong := k.server.Refused(); told != 1 || wrong != nil {
					t.Errorf("told %d times, refused %q", told, wrong)
				}
			})
		})
	}
}

// What a version that wrote down no past left goes back nowhere, also in an open tool loop.
func TestThinkingWithoutAPastStaysBehind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		k := talksToClaude(t, "claude-sonnet-5-5", func(n int, r anthropictest.Request) anthropictest.Answer {
			if n == 0 {
				return anthropictest.Thoughts("earlier", "I look.", [2]string{"toolu_0", "read"})
			}
			return numbered(n, r)
		})
		k.say("one")
		events := k.memory.Events()
		for i, e := range events {
			if m, ok := e.Body.(conversation.AssistantMessage); ok {
				delete(m.Extras, "anthropic_past")
				events[i].Body = m
			}
		}
		k.reopen(t, "claude-sonnet-5-5")
		k.say("two")
		k.finish()
		if got := k.thoughts(); len(got) != 0 {
			t.Errorf("%q goes back", got)
		}
	})
}

// bindingRouter is OpenRouter in front of a Claude that binds what it thought. Its replies have one thought each; it refuses
// what it forgot, and a thought in front of which the messages are not what they were.
type bindingRouter struct {
	prefixes  map[string]string // of the thoughts that it made
	replies   int
	refused   int
	carried   int // thoughts in the newest request
	alwaysBad bool
}

func (s *bindingRouter) RoundTrip(r *http.Request) (*http.Response, error) {
	var body struct{ Messages []map[string]any }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	answer := func(status int, text string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(text))}, nil
	}
	prefix, wrong := "", s.alwaysBad
	s.carried = 0
	for _, m := range body.Messages {
		if details, ok := m["reasoning_details"]; ok {
			s.carried++
			wrong = wrong || s.prefixes[fmt.Sprint(details)] != prefix
		}
		prefix += fmt.Sprint(m["role"], m["content"])
	}
	if wrong {
		s.refused++
		return answer(http.StatusBadRequest, `{"error":{"message":"messages.1: The block is bound to a different conversation."}}`)
	}
	s.replies++
	details := fmt.Sprintf(`[{"signature":"S%d","type":"reasoning.text"}]`, s.replies)
	var made any
	if err := json.Unmarshal([]byte(details), &made); err != nil {
		return nil, err
	}
	s.prefixes[fmt.Sprint(made)] = prefix
	return answer(http.StatusOK, `data: {"choices":[{"delta":{"content":"answer","reasoning_details":`+details+`}}]}`+"\n\n"+
		`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// Over chat completions a Claude that binds its thinking is not sent what stands behind a change, and a refusal is told once.
func TestOpenRouterSendsThinkingBackWhereItsPastIsWhatItWas(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := &bindingRouter{prefixes: map[string]string{}}
		client := openai.New(openai.Options{Provider: "openrouter", BaseURL: "http://router.test/v1", Key: "k", Transport: server})
		memory := &agenttest.Memory{}
		open := func() *rig {
			return start(t, func(o *core.Options) {
				o.Log, o.Backlog, o.Calibrations, o.Provider, o.Stored = memory, memory, memory, client, core.Stored{ID: "conversation", Events: memory.Events()}
				o.Model = llm.Model{Provider: "openrouter", ID: "anthropic/claude-sonnet-5.5", Window: meter.Window{Tokens: 100_000}, Caps: client.Capabilities("anthropic/claude-sonnet-5.5")}
			})
		}
		r := open()
		long := strings.Repeat("a long message ", 300)
		sends := func(what string, carried, refused, notices int) {
			t.Helper()
			r.say(long)
			told := 0
			for _, e := range memory.Events() {
				if n, ok := e.Body.(conversation.Notice); ok && n.ThinkingRefused {
					told++
				}
			}
			if server.carried != carried || server.refused != refused || told != notices {
				t.Errorf("%s: %d thoughts go back, %d requests refused, told %d times; want %d, %d and %d", what, server.carried, server.refused, told, carried, refused, notices)
			}
		}
		for n := range 3 {
			sends("at first", n, 0, 0)
		}
		r.compacts(byProfile(preset.ProfileHeavy, 1))
		sends("behind a compaction", 0, 0, 0)
		sends("one later", 1, 0, 0)
		r.UndoCompaction(0)
		r.wait()
		sends("behind its undo", 0, 0, 0)
		sends("one later", 1, 0, 0)
		clear(server.prefixes) // its keys are others, say
		sends("forgotten", 0, 1, 1)
		sends("one later", 1, 1, 1)
		r.finish()
		r = open()
		sends("opened again", 2, 1, 1)
		server.alwaysBad = true
		sends("refused whatever is left out", 0, 3, 2)
		sends("and again", 0, 4, 2)
		r.finish()
	})
}
