package replay_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
)

// builder makes a conversation, message by message.
type builder struct {
	doc   jsonl.Document
	at    time.Time
	calls int
}

// since is when conversations begin whose messages have times.
var since = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// timed is a builder whose messages have times.
func timed() *builder { return &builder{at: since} }

// later lets time pass.
func (t *builder) later(d time.Duration) *builder {
	t.at = t.at.Add(d)
	return t
}

func (t *builder) add(m jsonl.Message) *builder {
	m.Time = t.at
	t.doc.Messages = append(t.doc.Messages, m)
	return t
}

func (t *builder) system(text string) *builder {
	return t.add(jsonl.Message{Role: jsonl.RoleSystem, Text: text})
}

func (t *builder) user(text string) *builder {
	return t.add(jsonl.Message{Role: jsonl.RoleUser, Text: text})
}

func (t *builder) reply(text string) *builder {
	return t.add(jsonl.Message{Role: jsonl.RoleAssistant, Text: text})
}

// call is a reply that calls a tool, and the result.
func (t *builder) call(tool, arguments, result string) *builder {
	t.calls++
	id := fmt.Sprintf("call_%d", t.calls)
	t.add(jsonl.Message{Role: jsonl.RoleAssistant, Reply: jsonl.Reply{
		Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}}})
	return t.add(jsonl.Message{Role: jsonl.RoleTool, Text: result,
		Result: jsonl.Result{CallID: id, Tool: tool, Status: conversation.ResultOK}})
}

// failed is a call that fails.
func (t *builder) failed(tool, arguments, why string) *builder {
	t.call(tool, arguments, why)
	t.doc.Messages[len(t.doc.Messages)-1].Result.Status = conversation.ResultError
	return t
}

func (t *builder) conversation() replay.Conversation { return replay.Load(t.doc, "built") }

// text is n characters that hold no identifier, no instruction and no line that counts.
func text(n int) string { return strings.Repeat("x ", n/2) + strings.Repeat("x", n%2) }

// replayed is what a policy comes to on conversations, in place of plimsoll, in a window.
func replayed(t *testing.T, window int, p replay.PolicyMaker, builders ...*builder) replay.Report {
	t.Helper()
	return run(t, replay.Options{Window: window, Policies: []preset.Name{preset.Raw, preset.Truncate}, ExtraPolicies: own(p)}, builders...)
}

// own is a policy in place of preset plimsoll.
func own(m replay.PolicyMaker) []replay.NamedPolicy {
	return []replay.NamedPolicy{{Name: preset.Plimsoll, Rules: preset.RulesOf(preset.Plimsoll), Maker: m}}
}

func run(t *testing.T, o replay.Options, builders ...*builder) replay.Report {
	t.Helper()
	var sources []replay.Source
	for i, one := range builders {
		c := replay.Load(one.doc, fmt.Sprintf("conversation %d", i))
		sources = append(sources, loaded(c))
	}
	r, err := replay.Run(context.Background(), sources, o)
	conversationtest.Must(t, err)
	return r
}

// policy is a policy that needs no setting.
func policy(p replay.Policy) replay.PolicyMaker {
	return func(replay.PolicySetting) replay.Policy { return p }
}

// once is a policy that appends overlays before one request, counted from 0.
func once(at int, bodies ...conversation.Body) replay.PolicyMaker {
	return func(replay.PolicySetting) replay.Policy {
		n := -1
		return replay.Policy{Decide: func(l replay.PolicyInput) (replay.Decision, error) {
			if l.TurnEnd {
				return replay.Decision{}, nil
			}
			if n++; n != at {
				return replay.Decision{}, nil
			}
			return replay.Decision{Overlays: bodies}, nil
		}}
	}
}

// mask replaces the results of events by stubs.
func mask(style conversation.Style, events ...uint64) conversation.Mask {
	m := conversation.Mask{Style: style, Version: projection.StubVersion}
	for _, e := range events {
		m.Items = append(m.Items, conversation.MaskItem{Event: e, Part: conversation.PartResult})
	}
	return m
}

// loaded is a source of a conversation that is there already.
func loaded(c replay.Conversation) replay.Source {
	return replay.Source{Name: c.Name, Load: func() (replay.Conversation, error) { return c, nil }}
}
