package demo_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/agent/demo"
	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestPlaysWholeTurns(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{Window: 32_000})
	var out, part string
	var history []object
	for _, text := range []string{
		"what is in this project?", "hello", "read main.go", "read docs/long.md", "show the file hull/hull.go", "read nothing.go", "show docs/hostile.md",
		"find port 8080 in docs", "grep nowhere", "create notes.txt with Hello there", "replace Hello with Good day in notes.txt",
		"replace xyz with abc in notes.txt", "run `go test ./...`",
	} {
		part, history = w.playTurn(t, s, history, text, workspaceTools)
		out += part + "\n----\n\n"
	}
	compacttest.Golden(t, "turns", out)
}

func TestReportsRefusals(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{})
	w.refuse = true
	for _, text := range []string{"run rm -r .", "create a.txt with b", "replace package with x in main.go"} {
		out, _ := w.playTurn(t, s, nil, text, workspaceTools)
		if !strings.Contains(out, "was not allowed, so I did nothing") || strings.Count(out, "\n  ") != 1 {
			t.Errorf("%q: %s", text, out)
		}
	}
	if len(w.files) != len(newWorkspace().files) {
		t.Error("a file was made all the same")
	}
}

func TestIntroducesItselfOnlyInTheFirstReply(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{Window: 4096})
	for _, text := range []string{"hi", "read main.go", "fill the gauge", "what is love?", ""} {
		first, history := w.playTurn(t, s, list(system("You are a helpful assistant.")), text, workspaceTools)
		if _, said, _ := strings.Cut(first, "\n\n"); !strings.Contains(said, "scripted bot built into Plimsoll, not an AI") {
			t.Errorf("%q: %s", text, first)
		}
		if second, _ := w.playTurn(t, s, history, text, workspaceTools); strings.Contains(second, "scripted bot") {
			t.Errorf("%q, again: %s", text, second)
		}
	}
}

func TestUsesOnlyTheToolsItIsGiven(t *testing.T) {
	t.Parallel()
	out, _ := newWorkspace().playTurn(t, start(t, demo.Options{}), nil, "read main.go", list(functionTool("grep_files", "pattern")))
	if !strings.Contains(out, "`read_file`, which this request does not offer") {
		t.Error(out)
	}
}

// Results may be cut, masked, or those of tools that write in another way.
func TestAnswersWhateverToolsReturn(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 2048})
	for _, says := range []string{
		"read a.txt", "what is in this project?", "search TODO", "replace a with b in c.txt", "run ls", "fill the gauge",
	} {
		for _, result := range []string{"", "lines 1-3 of 10", "[cut]", "a.go:99999999999999999999:x", "│"} {
			for _, steps := range []int{1, 3} {
				history := list(user(says))
				for i := range steps {
					id := fmt.Sprint(i)
					history = append(history, object{"role": "assistant", "content": "", "tool_calls": list(
						object{"id": id, "type": "function", "function": object{"name": "read_file", "arguments": `{"path":7,"offset":1e300}`}})},
						object{"role": "tool", "tool_call_id": id, "content": result})
				}
				a := ask(t, s, history, object{"tools": workspaceTools})
				if a.Text == "" || len(a.Calls) > 0 && steps > 1 {
					t.Errorf("%q with %d results %q is answered with %q and %d calls", says, steps, result, a.Text, len(a.Calls))
				}
			}
		}
	}
}

var prose = strings.Repeat("The ship is loaded to the line and lies deep. ", 40)

func TestRefusesAPromptThatFillsTheWindow(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 1024})
	resp := post(t, s, object{"messages": list(user(strings.Repeat("word ", 2000))), "stream": true})
	want := `{"error":{"code":400,"message":"request (2505 tokens) exceeds the available context size (1024 tokens), try increasing it",` +
		`"type":"exceed_context_size_error","n_prompt_tokens":2505,"n_ctx":1024}}`
	if body := read(t, resp); resp.StatusCode != 400 || body != want {
		t.Errorf("%s %s", resp.Status, body)
	}
}

func TestReplyEndsWhenTheWindowIsFull(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 100})
	got := ask(t, s, list(user("help")))
	if got.Finish != "length" || got.Prompt+got.Completion != 100 {
		t.Errorf("finish %q at %d + %d tokens", got.Finish, got.Prompt, got.Completion)
	}
	for _, key := range []string{"max_tokens", "max_completion_tokens"} {
		if got := ask(t, s, list(user("help")), object{key: 7}); got.Finish != "length" || got.Completion != 7 || got.Pieces != 7 {
			t.Errorf("%s 7: finish %q after %d tokens", key, got.Finish, got.Completion)
		}
	}
}

func TestCachesTheCommonPrefix(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{})
	history := list(system(prose), user("hi"))
	first := ask(t, s, history)
	if first.Cached != 0 {
		t.Errorf("%d tokens cached before anything was read", first.Cached)
	}
	history = append(history, reply(first.Text), user("thanks"))
	second := ask(t, s, history)
	// The cache has the first prompt and its reply, in blocks of 64 tokens.
	if want := (first.Prompt + first.Completion) / 64 * 64; second.Cached != want {
		t.Errorf("%d of %d tokens cached, want %d", second.Cached, second.Prompt, want)
	}
	again := ask(t, s, history)
	if want := (again.Prompt - 1) / 64 * 64; again.Cached != want {
		t.Errorf("%d tokens of the same request cached, want %d", again.Cached, want)
	}
	changed := ask(t, s, append(list(system("Other "+prose)), history[1:]...))
	if changed.Cached != 0 {
		t.Errorf("%d tokens cached though the beginning changed", changed.Cached)
	}
}

// fillGauge asks the demo to fill the gauge, and returns its last message, all of its messages
// and the tokens of the next request.
func (w *workspace) fillGauge(t *testing.T, s *demo.Server, history []object) (last, said string, used int) {
	t.Helper()
	said, history = w.playTurn(t, s, append(list(system(prose)), history...), "fill the gauge", workspaceTools)
	last, _ = history[len(history)-1]["content"].(string)
	return last, said, ask(t, s, append(history, user("thanks")), object{"tools": workspaceTools}).Prompt
}

// loadAndHardLine returns the load line and the hard line of a window, in tokens.
func loadAndHardLine(window int) (load, hard int) {
	o := meter.Options{Window: meter.Window{Tokens: window, Source: meter.WindowServer}}
	r := meter.New(o.WithRules(preset.RulesOf(preset.Plimsoll))).Reading()
	return r.LoadLine, r.HardLine
}

// In any window, the demo fills the gauge above the load line, and leaves room for the next message below the hard line.
func TestFillsTheGaugePastTheLoadLine(t *testing.T) {
	t.Parallel()
	listing := map[string]string{}
	for i := range 60 {
		listing[fmt.Sprintf("a-picture-with-a-long-name-%03d.png", i)] = "x"
	}
	for name, c := range map[string]struct {
		window int
		files  map[string]string
	}{
		"4096": {4096, newWorkspace().files}, "8192": {8192, newWorkspace().files}, "default": {demo.DefaultWindow, newWorkspace().files},
		"one file": {4096, map[string]string{"log.md": strings.Repeat("a line of many\n", 120)}}, "a long listing": {4096, listing},
		"nothing to read": {4096, map[string]string{"logo.png": strings.Repeat("x", 3000), "small.txt": "short", "log.txt": strings.Repeat("a line of many\n", 40_000)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := newWorkspace(), start(t, demo.Options{Window: c.window})
			w.files = c.files
			last, said, used := w.fillGauge(t, s, nil)
			if load, hard := loadAndHardLine(c.window); used <= load || used >= hard {
				t.Errorf("the gauge stands at %d of %d tokens", used, c.window)
			}
			if !strings.Contains(last, "Look at the gauge: it is above the load line (▲,") {
				t.Errorf("nothing is said of the gauge:\n%s", last)
			}
			// A summary keeps the newest quarter, so the conversation must be longer than that.
			if newest := ask(t, s, list(user(last))).Prompt; newest > c.window*32/100 || used-newest < c.window*55/100 {
				t.Errorf("the last reply has %d of %d tokens", newest, used)
			}
			if strings.Count(said, "## Prompt caches\n") > 1 && c.window <= 4096 {
				t.Errorf("a chapter is told twice:\n%s", said)
			}
		})
	}
}

// After a compaction was undone, filling must not reach the hard line.
func TestFillingStopsBelowTheHardLine(t *testing.T) {
	t.Parallel()
	w, s := newWorkspace(), start(t, demo.Options{Window: 8192})
	_, said, used := w.fillGauge(t, s, list(user(strings.Repeat("word ", 5200)), reply("I see.")))
	if _, hard := loadAndHardLine(8192); used > hard || len(said) > 1200 {
		t.Errorf("the gauge stands at %d of 8192 tokens: %s", used, said)
	}
}

// compactableConversation returns a conversation long enough to be compacted, with words that also occur in summary requests.
func compactableConversation(t *testing.T) []conversation.Event {
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

// The demo answers Plimsoll's summary requests with summaries that Plimsoll accepts.
func TestAnswersSummaryRequestsWithUsableSummaries(t *testing.T) {
	t.Parallel()
	s := start(t, demo.Options{Window: 32_000})
	log := compactableConversation(t)
	covering := summary.Options{Spans: []conversation.Span{{First: 1, Last: uint64(len(log))}}}
	styled := func(style conversation.Style) summary.Options {
		a := covering
		a.Style = style
		return a
	}
	prior := []conversation.Summary{{Spans: []conversation.Span{{First: 1, Last: 1}}, Text: "Extract made by fixed rules, not by an AI.\n\n## Goal\nNever touch hull/hull.go (t0)."}}
	for name, j := range map[string]summary.Job{
		"view":        summary.ViewJob(projection.Project(log), projection.Capabilities{}, covering),
		"written out": summary.RawJob(log, covering),
		"merged":      summary.MergedJob(prior, log, covering),
		"OneClaw":     summary.RawJob(log, styled(conversation.StyleOneClaw)),
		"J-CLI":       summary.RawJob(log, styled(conversation.StyleJCLI)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ask(t, s, jobMessages(j), object{"max_tokens": min(j.MaxTokens, 4000)})
			if j.Input == preset.InputView {
				got = ask(t, s, append(list(system("You are Plimsoll.")), jobMessages(j)...), object{"tools": workspaceTools})
			}
			if name == "view" {
				compacttest.Golden(t, "summary", got.Text+"\n")
			}
			if got.Finish != "stop" || len(got.Calls) != 0 || !strings.HasPrefix(got.Text, "Extract made by fixed rules, not by an AI.") {
				t.Fatalf("finish %q, %d calls: %s", got.Finish, len(got.Calls), got.Text)
			}
			text, err := summary.Accept(j, summary.Answer{Text: got.Text, Stop: conversation.StopEnd, Input: j.Input})
			if err != nil {
				t.Fatalf("%v: %s", err, got.Text)
			}
			for _, want := range []string{"hull/hull.go", "8080"} {
				if name != "J-CLI" && !strings.Contains(text, want) {
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

// The demo mentions it once, at the end of the first answer without tool calls.
func TestMentionsACompactionOnce(t *testing.T) {
	t.Parallel()
	const told = "The oldest turns were compacted"
	summarised := list(system(prose), user("Summary of earlier turns.\n\nExtract made by fixed rules, not by an AI.\n\n## Goal\nKnow the ships."), reply("I see."))
	evicted := list(system(prose), user("Earlier turns of this conversation.\n\n## Note on turns 0–2 (e1-e9)\n\n### What was done\n- t2: read_file ×1"), reply("I see."))
	first, _ := newWorkspace().playTurn(t, start(t, demo.Options{Window: 8192}), evicted, "hello", workspaceTools)
	if strings.Count(first, told) != 1 {
		t.Errorf("after a note: %s", first)
	}
	for _, text := range []string{"hello", "what is in this project?", "read main.go", "fill the gauge"} {
		w, s := newWorkspace(), start(t, demo.Options{Window: 8192})
		first, history := w.playTurn(t, s, summarised, text, workspaceTools)
		if strings.Count(first, told) != 1 || !strings.Contains(first[strings.Index(first, told):], "`ctrl+t` or `/history` shows") {
			t.Errorf("%q after a compaction: %s", text, first)
		}
		if second, _ := w.playTurn(t, s, history, "hello", workspaceTools); strings.Contains(second, told) {
			t.Errorf("%q and a greeting: %s", text, second)
		}
	}
}

// jobMessages returns the messages of a summary job as they are sent.
func jobMessages(j summary.Job) []object {
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
