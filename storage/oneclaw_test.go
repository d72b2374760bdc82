package storage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// Lines of ONE (OneClaw FEAT-011) that are about the database, in a real one.
func TestOneClawAcceptanceCriteria(t *testing.T) {
	t.Parallel()
	for _, p := range []preset.Name{preset.OneClaw, preset.Plimsoll} {
		t.Run("Original messages are never modified or deleted by compact/"+string(p), func(t *testing.T) {
			t.Parallel()
			originalsRemain(t, p)
		})
		t.Run("Tool results exceeding 30,000 characters are truncated before storage/"+string(p), func(t *testing.T) {
			t.Parallel()
			longResults(t, p)
		})
	}
}

// converses runs an agent on a conversation in the store until it rests and so
// many compactions were made by themselves.
func converses(t *testing.T, s *storage.Store, id string, o core.Options, compactions int, messages ...string) {
	t.Helper()
	w, err := s.OpenWriter(t.Context(), id)
	must(t, err)
	defer func() { must(t, w.Close()) }()
	o.Stored.ID, o.Log, o.Interactive = id, w, true
	o.Stored.Events, _, err = s.Load(t.Context(), id)
	must(t, err)
	a, err := agent.New(o)
	must(t, err)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	watch, done := agenttest.Watch(context.Background(), a.Updates()), make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	for _, text := range messages {
		a.Send(text)
	}
	idle, made := 0, 0
	_, err = watch.Await(ctx, func(u updates.Update) bool {
		switch u := u.(type) {
		case updates.Status:
			if u.Phase == updates.Idle {
				idle++
			}
		case updates.Compacted:
			made++
		case updates.CompactionFailed:
			t.Errorf("not compacted: %v", u.Err)
		case updates.Failed:
			t.Errorf("failed: %v", u.Err)
		}
		return idle > 0 && made == compactions
	})
	must(t, err)
	end()
	must(t, <-done)
	<-watch.Done()
}

func reads(t *testing.T, s *storage.Store, id string) []conversation.Event {
	t.Helper()
	events, report, err := s.Load(t.Context(), id)
	if err != nil || len(report.Damaged) > 0 {
		t.Fatal(err, report)
	}
	return events
}

func says(text string) agenttest.Reply {
	return agenttest.Join(agenttest.Say(text), agenttest.Stop(conversation.StopEnd))
}

// originalsRemain has a talk compacted in a window of 10,000 tokens, of which it
// has 7,600 before a reply of 1,000.
func originalsRemain(t *testing.T, p preset.Name) {
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "how is it?")
	for n := range 8 {
		c.say(reply(strings.Repeat(fmt.Sprintf("words of turn %d, ", n), 220)), conversation.UserMessage{Text: fmt.Sprintf("question %d", n)})
	}
	c.say(reply("fine"))
	c.close()
	before := reads(t, s, idA)
	summary := strings.Repeat("The talk went through its turns one by one, and nothing was left open in any of them. ", 4)
	o := core.Options{
		Model:    llm.Model{Provider: "test", ID: "m", Window: meter.Window{Tokens: 10_000, Source: meter.WindowConfig}},
		Provider: agenttest.NewProvider(says(strings.Repeat("all of it, ", 364)), says(summary)), Rules: preset.RulesOf(p),
	}
	converses(t, s, idA, o, 1, "and now?")
	after := reads(t, s, idA)
	if diff := cmp.Diff(before, after[:len(before)]); diff != "" {
		t.Error(diff)
	}
	var stories []conversation.Summary
	for _, e := range after {
		if b, isSummary := e.Body.(conversation.Summary); isSummary {
			stories = append(stories, b)
		}
	}
	want := strings.TrimSpace(summary)
	if p == preset.Plimsoll {
		want = "" // the cache is cold: a note stands for what is evicted, and no model is asked
	}
	if len(stories) != 1 || stories[0].Text != want || stories[0].Made.Source != conversation.SourceAuto {
		t.Errorf("stored %+v", stories)
	}
	// The summary that is stored is what the next start shows the model.
	if view := projection.Project(reads(t, reopenStore(t, s.Dir(), storage.Options{}), idA)); len(view.Messages) >= len(before) {
		t.Errorf("%d messages are shown", len(view.Messages))
	}
}

// longResults are cut before anything of them is stored; under oneclaw the full
// text is nowhere.
func longResults(t *testing.T, p preset.Name) {
	s := openStore(t, storage.Options{})
	begin(t, s, idA, "/w", "hello").close()
	text := strings.Repeat("0123456789", 4000)
	tool := agenttest.Reader("fetch", func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
		return conversation.Outcome{Status: conversation.ResultOK, Text: text}
	})
	call := agenttest.Join(agenttest.Call(0, "c1", "fetch", `{}`), agenttest.Stop(conversation.StopCalls))
	converses(t, s, idA, core.Options{
		Model: llm.Model{Provider: "test", ID: "m"}, Toolbox: agenttest.NewToolbox(tool), Rules: preset.RulesOf(p),
		Provider: agenttest.NewProvider(call, says("there")), Results: core.Results{KeepFull: p == preset.Plimsoll},
	}, 0, "fetch it")
	found := 0
	for _, e := range reads(t, s, idA) {
		r, isResult := e.Body.(conversation.ToolResult)
		if !isResult {
			continue
		}
		found++
		if want := text[:30_000] + "\n\n[... content truncated, showing first 30000 characters of 40000 total ...]"; r.Text != want {
			t.Errorf("stored are %d bytes", len(r.Text))
		}
		if (r.Blob != "") != (p == preset.Plimsoll) {
			t.Errorf("the full text is kept as %q", r.Blob)
		}
	}
	if found != 1 {
		t.Errorf("%d results", found)
	}
}
