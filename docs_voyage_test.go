// The conversation that docs/looking.md shows on every screen. Rules:
//
//   - What it holds is made by the code that makes it in a conversation: passes, pins, the summary with what is added to it.
//   - Of the provider's reports, which no test can have, those that it would give are made up.

package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// voyage is the conversation of the screens: of its turns one is summarised, one has a result behind a stub, one was
// taken back, and a message is pinned.
type voyage struct {
	*story
	model   conversation.ModelChanged
	prompt  conversation.Instructions
	cached  int          // tokens of the newest request
	written edit.Written // the summary
}

// Events of a voyage, as the views name them.
const (
	saidFirst = 3 // what is pinned
)

func newVoyage(t *testing.T) *voyage {
	v := &voyage{story: &story{t: t, now: time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)}}
	v.model = conversation.ModelChanged{Provider: "openai", Model: "gpt-5.4", Window: 14_000, Source: string(meter.WindowFlag), MaxOut: 16_000}
	v.prompt = conversation.Instructions{SystemSize: conversation.Measure(strings.Repeat("word ", 300)), ToolsSize: conversation.Measure(strings.Repeat("word ", 2000))}
	add(t, &v.log, v.now, v.prompt, v.model)
	v.ask("TestUpload fails on CI now and then. Find out why, and never touch hull/hull.go.")
	v.run("run_command", `{"command":"go test ./upload -run TestUpload -v"}`, conversation.ResultError,
		lines("    upload/server_test.go:30: part %d of the file was sent\n", 190)+"    upload/server_test.go:41: listen tcp 127.0.0.1:8080: address already in use\n")
	v.answer("The test listens on port 8080, which another run holds.")
	v.ask("Then let the test take a free port, and run it ten times.")
	v.run("run_command", `{"command":"go test ./upload -count=10 -v"}`, conversation.ResultOK, lines("--- PASS: TestUpload, run %d\n    upload/server_test.go:30: the file was sent\n", 100))
	v.answer("It takes port 0 now, and passed ten times.")
	v.ask("Which other tests name a port?")
	v.run("grep_files", `{"pattern":"127\\.0\\.0\\.1:[1-9]"}`, conversation.ResultOK, lines("mast/mast_test.go:%d: addr := \"127.0.0.1:9090\"\n", 160))
	v.answer("One: mast/mast_test.go, line 18.")
	v.compact("heavy", 2)
	v.compact("default", 1)
	v.ask("Use port 9191 there.")
	v.answer("Line 18 says 9191.")
	v.append(conversation.Rewind{Turn: 3})
	v.append(v.pin())
	v.ask("No: let that one take a free port, too.")
	return v
}

// ask begins a turn, a minute later.
func (v *voyage) ask(text string) {
	v.now = v.now.Add(time.Minute)
	v.say(text)
}

// lines repeats a line with its number in it.
func lines(line string, times int) string {
	var b strings.Builder
	for n := range times {
		fmt.Fprintf(&b, line, n+1)
	}
	return b.String()
}

// run is a reply with one call, what it cost, and the result.
func (v *voyage) run(tool, arguments string, status conversation.ResultStatus, text string) {
	id := fmt.Sprintf("call_%d", v.log.Len())
	reply := conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}, Stop: conversation.StopCalls}
	add(v.t, &v.log, v.now, reply, v.bill(), conversation.ToolResult{CallID: id, Tool: tool, Status: status, Text: text})
}

// answer is a reply without calls, and what it cost.
func (v *voyage) answer(text string) {
	add(v.t, &v.log, v.now, conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd}, v.bill())
}

// append adds an overlay of its own.
func (v *voyage) append(body conversation.Body) {
	made := conversation.Made{Source: conversation.SourceManual, Trigger: "command", Preset: string(preset.Plimsoll)}
	add(v.t, &v.log, v.now, conversation.Stamp([]conversation.Body{body}, v.next(), made)...)
}

func (v *voyage) next() uint64 { return uint64(v.log.Len()) + 1 }

// bill is what the provider reports of a request that is answered by the next event: some more than was estimated, and
// read from its cache as far as the request before went.
func (v *voyage) bill() conversation.Usage {
	m := v.meter()
	prompt := int(m.RequestEstimate() * 1.04)
	cached := min(v.cached, prompt)
	v.cached = prompt
	cost := price(llm.Tokens{Prompt: prompt, Cached: cached, Completion: 60})
	return conversation.Usage{
		Reply: v.next(), For: conversation.ForReply, Revision: m.View().Revision, Model: v.model.Name(), Prompt: prompt, Cached: cached,
		Completion: 60, CostUSD: &cost, Priced: "2026-10-01", Estimate: m.RequestEstimate(),
	}
}

// price is what tokens cost in US dollars.
func price(t llm.Tokens) float64 {
	return (float64(t.Prompt-t.Cached)*2.5 + float64(t.Cached)*0.25 + float64(t.Completion)*15) / 1e6
}

// meter is the gauge's as the conversation stands, having learned from its reports.
func (v *voyage) meter() meter.Meter {
	m := meter.New(meter.Options{
		Window: meter.Window{Tokens: v.model.Window, Source: meter.WindowFlag}, MaxOut: v.model.MaxOut,
		Calibration: conversation.Calibration{Factor: 1.04, Samples: 7},
	})
	events := v.log.Events()
	return m.WithPrompt(v.prompt.SystemSize, v.prompt.ToolsSize).WithView(projection.Project(events)).WithHistory(events, v.model.Name())
}

// pass works out what a profile does to all but the newest turns.
func (v *voyage) pass(profile string, keep int) edit.Proposal {
	v.t.Helper()
	wish := edit.NewRequest()
	wish.Profile, wish.KeepLast = profile, keep
	pass, err := edit.NewProposal(v.log.Events(), preset.RulesOf(preset.Plimsoll), edit.Inputs{Meter: v.meter(), Now: v.now, Cold: true}, wish)
	if err != nil {
		v.t.Fatal(err)
	}
	return pass
}

// compact makes a pass, with a summary where its profile wants one.
func (v *voyage) compact(profile string, keep int) {
	v.t.Helper()
	v.now = v.now.Add(time.Minute)
	pass := v.pass(profile, keep)
	if profile == preset.ProfileHeavy {
		text := "### Goal\nTestUpload passes on CI (t0).\n\n### Constraints\nNever touch hull/hull.go (t0).\n\n" +
			"### Done\nThe test listened on port 8080, which another run held (e6). Nothing is changed yet.\n\n### Next step\nLet it take a free port."
		if err := pass.Accept(summary.Answer{Stop: conversation.StopEnd, Text: text}); err != nil {
			v.t.Fatal(err)
		}
		v.written, _ = pass.Written()
	}
	add(v.t, &v.log, v.now, pass.Bodies(v.next())...)
}

// pin keeps what was said first.
func (v *voyage) pin() conversation.Body {
	v.t.Helper()
	body, err := edit.PinOf(v.log.Events(), []uint64{saidFirst}, true)
	if err != nil {
		v.t.Fatal(err)
	}
	return body
}
