package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/compact/projection"

	"plimsoll/compact/inspect"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/openai"
	"plimsoll/cli/screen"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/storage"
)

// storedApp is an app with one stored conversation, which a host shows.
type storedApp struct {
	*app
	host *screen.Host
	id   string
}

// storeWithBlobs stores a conversation. bodies returns its bodies, and stores their full texts with blob.
func storeWithBlobs(t *testing.T, bodies func(blob func(string) string) []conversation.Body) storedApp {
	t.Helper()
	a := bareApp(t)
	t.Cleanup(func() { _ = a.Resources.Close() }) // the folder is removed anyway
	s, err := a.Resources.Open()
	if err != nil {
		t.Fatal(err)
	}
	id := conversation.NewID()
	w, err := s.Create(t.Context(), storage.NewConversation{ID: id, Workspace: a.Settings.Workspace})
	if err != nil {
		t.Fatal(err)
	}
	blob := func(text string) string {
		name, err := w.PutBlob(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	var l conversation.Log
	if err := errors.Join(w.Append(t.Context(), l.Prepare(time.Unix(0, 0), bodies(blob)...)), w.Close()); err != nil {
		t.Fatal(err)
	}
	h := screen.NewHost(a.Agents, screen.ChatOptions{})
	h.ReadOnlyID = id
	return storedApp{a, h, id}
}

// sentUsage is the usage of a request that OpenAI's client sent, in a conversation with another ID.
func sentUsage(t *testing.T, system string) conversation.Usage {
	t.Helper()
	const form = "chat usage completion null key=other2345abc"
	body, err := openai.New(openai.Options{Provider: "openai"}).Body(llm.Request{
		Model: "gpt-5.4", System: system, MaxTokens: 50, Messages: []projection.Message{{Role: projection.RoleUser, Text: "hello"}},
	}, form)
	if err != nil || !strings.Contains(string(body), `"prompt_cache_key":"other2345abc"`) {
		t.Fatalf("%s, %v", body, err)
	}
	sum := sha256.Sum256(body)
	return conversation.Usage{Reply: 4, Model: "openai/gpt-5.4", Prompt: 9, Through: 3, MaxTokens: 50, WireForm: form, BodyHash: hex.EncodeToString(sum[:])}
}

// storeOneRequest stores a conversation of one request, at event 5.
func storeOneRequest(t *testing.T, change func(*conversation.Usage), in func(blob func(string) string) conversation.Body) storedApp {
	t.Helper()
	return storeWithBlobs(t, func(blob func(string) string) []conversation.Body {
		u := sentUsage(t, "Be brief.")
		change(&u)
		return []conversation.Body{in(blob), conversation.ModelChanged{Provider: "openai", Model: "gpt-5.4"},
			conversation.UserMessage{Text: "hello"}, conversation.AssistantMessage{Text: "hi", Stop: conversation.StopEnd}, u}
	})
}

func replyWithBrief(blob func(string) string) conversation.Body {
	return conversation.Instructions{System: blob("Be brief.")}
}

func TestRequestOfACopyIsTheOriginalsRequest(t *testing.T) {
	t.Parallel()
	s := storeOneRequest(t, func(*conversation.Usage) {}, replyWithBrief)
	b, err := s.host.Request(t.Context(), 5)
	if err != nil || !b.MatchesSent || b.Why != "" || b.Hash != b.Usage.BodyHash || b.System != "Be brief." || len(b.Messages) != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err := s.host.Request(t.Context(), 4); err == nil {
		t.Errorf("a reply is a request: %+v", b)
	}
}

func TestRequestsThatCannotBeRebuiltHaveAReason(t *testing.T) {
	t.Parallel()
	lost := func(func(string) string) conversation.Body {
		return conversation.Instructions{System: strings.Repeat("0", 64)}
	}
	tests := map[string]struct {
		change func(*conversation.Usage)
		in     func(func(string) string) conversation.Body
		body   bool
		why    string
	}{
		"no hash":       {func(u *conversation.Usage) { u.BodyHash = "" }, replyWithBrief, true, "no hash"},
		"another hash":  {func(u *conversation.Usage) { u.BodyHash = "abc" }, replyWithBrief, true, "differs from what was sent, whose hash is abc"},
		"another bound": {func(u *conversation.Usage) { u.MaxTokens++ }, replyWithBrief, true, "differs"},
		"form":          {func(u *conversation.Usage) { u.WireForm += " warp" }, replyWithBrief, false, "later"},
		"model":         {func(u *conversation.Usage) { u.Model = "nameless" }, replyWithBrief, false, "the model it went to"},
		"prompt":        {func(*conversation.Usage) {}, lost, false, "system prompt"},
		"tools": {func(*conversation.Usage) {}, func(blob func(string) string) conversation.Body {
			return conversation.Instructions{System: blob("Be brief."), Tools: blob("no list")}
		}, false, "tools"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := storeOneRequest(t, tt.change, tt.in).host.Request(t.Context(), 5)
			if err != nil || b.MatchesSent || !strings.Contains(b.Why, tt.why) || (b.Body != nil) != tt.body {
				t.Errorf("%q, %d bytes, %v", b.Why, len(b.Body), err)
			}
		})
	}
}

// The stored data about requests may be anything.
func TestRebuildingNeverPanics(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.Resources.Close()
	s, err := a.Resources.Open()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		base := rapid.SampledFrom([]func(*rapid.T) []conversation.Event{conversationtest.Malformed, conversationtest.Rich}).Draw(rt, "base")
		w := conversationtest.NewWriter(rt, conversationtest.WithOverlays(rt, base(rt)))
		if rapid.Bool().Draw(rt, "a model") {
			w.Add(rt, conversation.ModelChanged{Provider: rapid.SampledFrom([]string{"openai", "", "mistral"}).Draw(rt, "provider"), Model: "m"})
		}
		log := w.Events()
		u := conversation.Usage{
			Model:     rapid.SampledFrom([]string{"openai/m", "custom/a/b", "/", "x", "", "deepseek/", "demo/plimsoll-demo"}).Draw(rt, "model"),
			WireForm:  rapid.SampledFrom([]string{"", "chat", "responses encrypted", "odd"}).Draw(rt, "form"),
			MaxTokens: rapid.SampledFrom([]int{0, 7, -1}).Draw(rt, "bound"), BodyHash: rapid.SampledFrom([]string{"", "abc"}).Draw(rt, "hash"),
		}
		through := rapid.SampledFrom([]uint64{0, 1, uint64(len(log)), uint64(len(log)) / 2, 1 << 63}).Draw(rt, "through")
		b, err := a.Conversations.Rebuild(t.Context(), session.RequestRef{Store: s, ID: "abcdefgh2345", Events: log,
			SentRequest: inspect.SentRequest{Through: through, Usage: u}})
		if err != nil || b.MatchesSent || b.Why == "" {
			rt.Fatalf("%v, %+v", err, b)
		}
	})
}

func TestFullTextsAreReadFromTheirBlobs(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("a line\n", 9000)
	s := storeWithBlobs(t, func(blob func(string) string) []conversation.Body {
		short, _ := conversation.Cut(whole, 100)
		return []conversation.Body{conversation.UserMessage{Text: "go"},
			conversation.ToolResult{CallID: "a", Text: short, Total: len(whole), Blob: blob(whole)},
			conversation.ToolResult{CallID: "b", Text: "whole"},
			conversation.ToolResult{CallID: "c", Text: short, Total: len(whole), Blob: strings.Repeat("0", 64)}}
	})
	for about, want := range map[string]string{"e2": whole, "e3": "whole"} {
		if page, err := s.host.ExpandPage(t.Context(), about); !strings.Contains(page, want) || err != nil {
			t.Errorf("%s: %d characters, %v", about, len(page), err)
		}
	}
	if page, err := s.host.ExpandPage(t.Context(), ""); err != nil || !strings.Contains(page, "plimsoll doctor says more") {
		t.Errorf("of the newest that was cut, whose text is gone: %v, %q", err, page)
	}
}

// twoTurns stores two turns of two events each, and an overlay about the first after both.
func twoTurns(t *testing.T) storedApp {
	t.Helper()
	return storeWithBlobs(t, func(func(string) string) []conversation.Body {
		return []conversation.Body{conversation.UserMessage{Text: "one"}, conversation.AssistantMessage{Text: "1", Stop: conversation.StopEnd},
			conversation.UserMessage{Text: "two"}, conversation.AssistantMessage{Text: "2", Stop: conversation.StopEnd},
			conversation.Pin{Origin: conversation.Origin{Epoch: 5}, Events: []uint64{1}}}
	})
}

func TestForkAtContinuesFromAnEarlierEvent(t *testing.T) {
	t.Parallel()
	texts := func(events []conversation.Event) (out []string) {
		for _, m := range projection.Project(events).Messages {
			out = append(out, m.Text+" "+string(m.State))
		}
		return out
	}
	whole := []string{"one pinned", "1 verbatim", "two verbatim", "2 verbatim"}
	for name, readOnly := range map[string]bool{"open for writing": false, "only read": true} {
		for before, want := range map[uint64][]string{1: nil, 3: whole[:2], 4: whole[:3], 6: whole} {
			s := twoTurns(t)
			s.Settings.Flags.Demo = true // the model if no conversation is open
			if !readOnly {
				conn := setup.Connection{Provider: agenttest.NewProvider(), Model: llm.Model{Provider: "test", ID: "m"}}
				var err error
				if s.host.Running, err = s.Agents.Start(t.Context(), conn, session.OpenOptions{ID: s.id, Interactive: true}); err != nil {
					t.Fatal(err)
				}
			}
			talk, err := s.host.ForkAt(t.Context(), before)
			if err != nil || talk.ID == s.id || talk.ReadOnly != "" {
				t.Fatalf("%s, before %d: %q, %v", name, before, talk.ReadOnly, err)
			}
			if d := cmp.Diff(want, texts(talk.Events)); d != "" {
				t.Errorf("%s, before %d (-want +got)\n%s", name, before, d)
			}
			s.host.Close()
			if events, _, err := s.Resources.Store.Load(t.Context(), s.id); len(events) != 5 || err != nil {
				t.Errorf("%s, before %d: the original has %d events, %v", name, before, len(events), err)
			}
		}
	}
}
