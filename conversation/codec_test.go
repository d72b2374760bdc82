package conversation_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestStoredFormRoundTrips(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := append(conversationtest.WithOverlays(t, conversationtest.Rich(t)), conversationtest.Malformed(t)...)
		for _, e := range events {
			data, err := conversation.Marshal(e)
			if err != nil {
				t.Fatalf("marshal %#v: %v", e, err)
			}
			back, err := conversation.Unmarshal(data)
			if err != nil {
				t.Fatalf("unmarshal %s: %v", data, err)
			}
			if d := cmp.Diff(e, back); d != "" {
				t.Fatalf("changed (-want +got):\n%s", d)
			}
		}
	})
}

// overlays are overlays of each kind with all fields set.
var overlays = []conversation.Body{
	conversation.Cap{Origin: made, Items: []conversation.CapItem{{Event: 3, Head: 60, Tail: 40}, {Event: 2, Call: "1", Head: 1}}},
	conversation.Mask{Origin: made, Style: conversation.StylePlimsoll, Version: 1, Preview: 250, Items: []conversation.MaskItem{
		{Event: 3, Part: conversation.PartResult}, {Event: 2, Part: conversation.PartArguments, Call: "1", Fields: []string{"content"}, Threshold: 100},
		{Event: 2, Part: conversation.PartReasoning}}},
	conversation.Summary{Origin: made, Style: conversation.StyleJCLI, Version: 1, Spans: []conversation.Span{{First: 1, Last: 3}}, FromTurn: 0, ToTurn: 1,
		Text: "s <b>", Appendix: "a", Input: "raw", Parents: []uint64{4}, Depth: 1, Model: "openai/x", Focus: "f", Transcript: "t.jsonl"},
	conversation.Summary{Origin: made, Style: conversation.StyleJP, Version: 1, Spans: []conversation.Span{{First: 1, Last: 3}}, Policies: &conversation.Policies{
		Reasoning: conversation.ReasoningStrip, ToolCalls: conversation.ToolCallsStrip, Request: true, Response: true,
		Tools: map[string]conversation.ToolPolicy{"read_file": {Response: true}}, Preview: 250, MinChars: 800}},
	conversation.Drop{Origin: made, Spans: []conversation.Span{{First: 1, Last: 3}, {First: 5, Last: 5}}},
	conversation.Rewind{Origin: made, Turn: 2},
	conversation.Pin{Origin: made, Events: []uint64{1, 2}},
	conversation.Unpin{Origin: made, Events: []uint64{1}},
	conversation.Revert{Origin: made, Epoch: 7, Redoes: 5},
	conversation.Revert{Origin: made, Event: 8},
}

var made = conversation.Origin{Epoch: 9, Source: conversation.SourceManual, Trigger: "command", Preset: "plimsoll", Profile: "default",
	Before: 9000, After: 4000, Why: "turns 0–3"}

func TestEveryOverlayHasAnOrigin(t *testing.T) {
	t.Parallel()
	kinds := map[conversation.Kind]bool{}
	for _, b := range overlays {
		kinds[b.Kind()] = true
		if got, ok := conversation.OriginOf(b); !ok || got != made {
			t.Errorf("%s: the origin is %+v, %v, want %+v", b.Kind(), got, ok, made)
		}
		other := conversation.Origin{Epoch: 1}
		if got, _ := conversation.OriginOf(conversation.WithOrigin(b, other)); got != other {
			t.Errorf("%s: the changed origin is %+v, want %+v", b.Kind(), got, other)
		}
		if !b.Kind().IsOverlay() {
			t.Errorf("%s is not an overlay", b.Kind())
		}
	}
	if len(kinds) != 8 {
		t.Errorf("%d kinds of 8 are tested: %v", len(kinds), kinds)
	}
	if b := (conversation.UserMessage{Text: "x"}); !cmp.Equal(conversation.WithOrigin(b, made), conversation.Body(b)) {
		t.Error("WithOrigin changed a message")
	}
}

func TestEveryBodyHasAStoredForm(t *testing.T) {
	t.Parallel()
	cost := 0.25
	bodies := []conversation.Body{
		conversation.UserMessage{Text: "a <b> & c"},
		conversation.AssistantMessage{Text: "hi", Reasoning: "why", Stop: conversation.StopCalls, Model: "openai/x",
			Calls:  []conversation.ToolCall{{ID: "1", Name: "read_file", Arguments: `{"path":"a"}`, Extra: conversation.RawJSON(`{"sig":"x"}`)}},
			Extras: map[string]conversation.RawJSON{"reasoning_details": conversation.RawJSON(`[1]`)}},
		conversation.ToolResult{CallID: "1", Tool: "read_file", Status: conversation.ResultOK, Text: "t", Total: 40_000, Blob: "ab",
			Detail: "d", Duration: time.Second},
		conversation.Usage{Reply: 2, Revision: 1, Model: "m", Prompt: 10, Cached: 5, CacheWrite: -1, Completion: 3, Reasoning: 1,
			CostUSD: &cost, PriceSource: "2026-11-10", Estimate: 9.5, BodyHash: "00", Undercounted: true},
		conversation.Instructions{System: "s", Tools: "t", SystemSize: conversation.Size{ASCII: 4}, ToolsSize: conversation.Size{CJK: 2}},
		conversation.ModelChanged{Provider: "openai", Model: "m", Window: 10, Source: "catalogue"},
		conversation.ConfigChanged{Set: map[string]string{"a.b": "1"}},
		conversation.Renamed{Title: "t", By: "auto"},
		conversation.Notice{Level: conversation.NoticeWarning, Text: "n"},
		conversation.TurnFailed{Class: "server error", Message: "m", Hint: "h", Status: 500, Tries: 4, Duration: 9000},
		conversation.MCPServer{Server: "files", State: "ready", Version: "files 1.2", Tools: 3, Error: "e"},
		conversation.ToolsLoaded{Tools: []conversation.LoadedTool{{Name: "mcp__files__read", Size: conversation.Measure("x")}}},
		conversation.SkillLoaded{Name: "pdf", Path: "/s/SKILL.md", Hash: "ab"},
		conversation.InstructionsLoaded{Path: "a/AGENTS.md", Hash: "ab", Call: "c1"},
		conversation.Checkpoint{Files: []conversation.FileVersion{{Path: "a", From: "1", To: "2", Mode: 0o644}}, By: "modify_file", Unknown: true},
		conversation.Rewound{Turn: 3, Files: []conversation.FileVersion{{Path: "a", From: "2"}}, Redo: true},
		conversation.TaskStarted{Conversation: "7f3a", Parent: "5e21", Call: "c1", Prompt: "look", Model: "p/m", Agent: "scout"},
		conversation.TaskEnded{Conversation: "7f3a", Call: "c1", State: "done", Through: 9, Tokens: 84, CostUSD: new(float64)},
		conversation.HookRan{Moment: "before_tool", Command: "x", Duration: 3, Refused: true, Reason: "r", Failed: true, Keep: []string{"k"}},
		conversation.JobStarted{ID: "p1", Command: "make", Moved: true},
		conversation.JobEnded{ID: "p1", Command: "make", How: "exit code 2", Code: 2, Duration: 9, Size: conversation.Measure("x"), By: conversation.EndedByLimit, Told: true},
		conversation.Unknown{Name: "hologram", Raw: conversation.RawJSON(`{"depth":3}`)},
		conversation.Attempt{Source: conversation.SourceAuto, Trigger: "load line", Preset: "plimsoll", Profile: "heavy", Outcome: conversation.AttemptStale,
			Why: "w", Model: "m", Before: 9, Duration: 12},
	}
	bodies = append(bodies, overlays...)
	var l conversation.Log
	events := l.Prepare(conversationtest.Epoch, bodies...)
	for _, e := range events {
		data, err := conversation.Marshal(e)
		if err != nil {
			t.Fatalf("%s: %v", e.Body.Kind(), err)
		}
		back, err := conversation.Unmarshal(data)
		if err != nil {
			t.Fatalf("%s: %v", e.Body.Kind(), err)
		}
		if d := cmp.Diff(e, back); d != "" {
			t.Errorf("%s changed (-want +got):\n%s", e.Body.Kind(), d)
		}
	}
}

func TestUnmarshalRefusesMalformedEvents(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"empty":         ``,
		"no object":     `[1]`,
		"no body":       `{"seq":1,"turn":0,"time":"2026-01-01T00:00:00Z"}`,
		"no seq":        `{"turn":0,"time":"2026-01-01T00:00:00Z","user":{"text":"x"}}`,
		"negative turn": `{"seq":1,"turn":-1,"time":"2026-01-01T00:00:00Z","user":{"text":"x"}}`,
		"two unknowns":  `{"seq":1,"turn":0,"time":"2026-01-01T00:00:00Z","a":{},"b":{}}`,
		"wrong type":    `{"seq":1,"turn":0,"time":"2026-01-01T00:00:00Z","user":7}`,
		"cut":           `{"seq":1,"turn":0,"time":"2026-01-01T00:00:00Z","user":{"te`,
	} {
		if e, err := conversation.Unmarshal([]byte(data)); !errors.Is(err, conversation.ErrMalformed) {
			t.Errorf("%s: got %+v, %v; want ErrMalformed", name, e, err)
		}
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"seq":1,"turn":0,"time":"2026-01-01T00:00:00Z","user":{"text":"x"}}`))
	f.Add([]byte(`{"seq":2,"turn":0,"time":"2026-01-01T00:00:00Z","assistant":{"text":"a","calls":[{"id":"1","name":"x","arguments":"{"}],"stop":"stop"}}`))
	f.Add([]byte(`{"seq":3,"turn":1,"time":"2026-01-01T00:00:00Z","mask":{"events":[1]}}`))
	var l conversation.Log
	for _, e := range l.Prepare(conversationtest.Epoch, append(overlays, conversation.Attempt{Outcome: conversation.AttemptFailed, Why: "w"})...) {
		data, err := conversation.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"seq":3,"Seq":4,"turn":1,"time":"2026-01-01T00:00:00Z","USER":{"text":"\u0000"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := conversation.Unmarshal(data)
		if err != nil {
			return
		}
		again, err := conversation.Marshal(e)
		if err != nil {
			t.Fatalf("cannot store what was read: %v", err)
		}
		back, err := conversation.Unmarshal(again)
		if err != nil {
			t.Fatalf("cannot read what was stored: %v\n%s", err, again)
		}
		last, err := conversation.Marshal(back)
		if err != nil || string(last) != string(again) {
			t.Fatalf("the second round trip differs: %v\n%s\n%s", err, again, last)
		}
	})
}
