package demo_test

import (
	"strings"
	"testing"

	"plimsoll/agent/demo"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// voyage is a conversation long enough to be compacted, whose words are those of
// summary requests.
func voyage(t *testing.T) []conversation.Event {
	t.Helper()
	var l conversation.Log
	add := func(bodies ...conversation.Body) {
		if err := l.Commit(l.Prepare(conversationtest.Epoch, bodies...)); err != nil {
			t.Fatal(err)
		}
	}
	add(conversation.UserMessage{Text: "Our goal is a summary of the open questions. You must never touch hull/hull.go."},
		conversation.AssistantMessage{Text: "I look first.", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: `{"path":"docs/log.md"}`}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Status: conversation.ResultOK, Text: strings.Repeat("The crew made decisions about errors and the next step. ", 40)},
		conversation.AssistantMessage{Text: strings.Repeat("The constraints are known, the state of the ship is good, and progress is made. ", 12), Stop: conversation.StopEnd},
		conversation.UserMessage{Text: "We decided to keep port 8080 because the tests need it. " + strings.Repeat("Wind and weather stay as they are. ", 30)},
		conversation.AssistantMessage{Text: "Noted.", Stop: conversation.StopEnd})
	return l.Events()
}

// The requests that Plimsoll makes are answered with summaries that it takes.
func TestKnowsPlimsollsSummaryRequests(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 32_000})
	log := voyage(t)
	covering := summary.Options{Spans: []conversation.Span{{First: 1, Last: uint64(len(log))}}}
	styled := func(style conversation.Style) summary.Options {
		a := covering
		a.Style = style
		return a
	}
	prior := []conversation.Summary{{Spans: []conversation.Span{{First: 1, Last: 1}}, Text: "Extract made by fixed rules, not by an AI.\n\n## Goal\nNever touch hull/hull.go (t0)."}}
	for name, j := range map[string]summary.Job{
		"view":           summary.ViewJob(projection.Project(log), projection.Capabilities{}, covering),
		"view of ONE":    summary.ViewJob(projection.Project(log), projection.Capabilities{}, styled(conversation.StyleOneClaw)),
		"written out":    summary.RawJob(log, covering),
		"merged":         summary.MergedJob(prior, log, covering),
		"ONE":            summary.RawJob(log, styled(conversation.StyleOneClaw)),
		"JCL":            summary.RawJob(log, styled(conversation.StyleJCLI)),
		"merged for JCL": summary.MergedJob(prior, log, styled(conversation.StyleJCLI)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ask(t, s, wire(j), object{"max_tokens": min(j.MaxTokens, 4000)})
			if j.Input == preset.InputView {
				got = ask(t, s, append(list(system("You are Plimsoll.")), wire(j)...), object{"tools": workspaceTools})
			}
			if got.Finish != "stop" || len(got.Calls) != 0 || !strings.HasPrefix(got.Text, "Extract made by fixed rules, not by an AI.") {
				t.Fatalf("finish %q, %d calls: %s", got.Finish, len(got.Calls), got.Text)
			}
			text, err := summary.Accept(j, summary.Answer{Text: got.Text, Stop: conversation.StopEnd, Input: j.Input})
			if err != nil {
				t.Fatalf("%v: %s", err, got.Text)
			}
			for _, want := range []string{"hull/hull.go", "8080"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing from\n%s", want, text)
				}
			}
			for _, no := range []string{"request of the program", "as in (t3)", "stands in place of that part"} {
				if strings.Contains(text, no) {
					t.Errorf("the instructions are summarised too: %q in\n%s", no, text)
				}
			}
		})
	}
}

// Once, at the end of the first answer that needs no more tools.
func TestSaysOnceThatRoomWasMade(t *testing.T) {
	t.Parallel()
	const told = "The oldest turns were compacted"
	summarised := list(system(prose), user("Summary of earlier turns.\n\nExtract made by fixed rules, not by an AI.\n\n## Goal\nKnow the ships."), reply("I see."))
	evicted := list(system(prose), user("Earlier turns of this conversation.\n\n## Note on turns 0–2 (e1-e9)\n\n### What was done\n- t2: read_file ×1"), reply("I see."))
	first, _ := newWorkspace().play(t, start(t, demo.Options{Window: 8192}), evicted, "hello", workspaceTools)
	if strings.Count(first, told) != 1 {
		t.Errorf("after a note: %s", first)
	}
	for text, want := range map[string]int{"hello": 1, "what is in this project?": 1, "read main.go": 1, "fill the gauge": 0} {
		w, s := newWorkspace(), start(t, demo.Options{Window: 8192})
		first, history := w.play(t, s, summarised, text, workspaceTools)
		if strings.Count(first, told) != want || want == 1 && !strings.Contains(first[strings.Index(first, told):], "`ctrl+t` or `/history` shows") {
			t.Errorf("%q after a compaction: %s", text, first)
		}
		if second, _ := w.play(t, s, history, "hello", workspaceTools); strings.Count(second, told) != 1-want {
			t.Errorf("%q and a greeting: %s", text, second)
		}
		if plain, _ := w.play(t, s, list(system(prose)), text, workspaceTools); strings.Contains(plain, told) {
			t.Errorf("%q without a compaction: %s", text, plain)
		}
	}
}

// wire is a job's messages as they are sent.
func wire(j summary.Job) []object {
	var out []object
	if j.System != "" {
		out = list(system(j.System))
	}
	for _, m := range j.Messages {
		o := object{"role": string(m.Role), "content": m.Text}
		if m.CallID != "" {
			o["tool_call_id"] = m.CallID
		}
		var calls []object
		for _, c := range m.Calls {
			calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}})
		}
		if calls != nil {
			o["tool_calls"] = calls
		}
		out = append(out, o)
	}
	return out
}
