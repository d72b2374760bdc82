// docs/compaction-reference.md tells what a step evicts by the code that does it: go test . -update writes the shares, a note, and
// the worked example.

package main_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

func TestDocumentsShowWhatStepsDo(t *testing.T) {
	t.Parallel()
	// One after the other: each of them may write the document.
	checkTable(t, compactionPage, "shares", shareRows(t))
	checkTable(t, compactionPage, "note", fenced(noteOfAStory(t)))
	checkTable(t, compactionPage, "worked example", workedExample(t))
}

// shareRows is what windows of some sizes call for.
func shareRows(t *testing.T) string {
	t.Helper()
	var lists float64
	if _, err := fmt.Sscan(literalsOf(t)["planner.listsPart"], &lists); err != nil {
		t.Fatal(err)
	}
	rules := preset.RulesOf(preset.Plimsoll)
	rows := "| window | load line | a step leaves | with a cold cache | never evicted | your words | names | lists |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	for _, window := range []int{32_000, 64_000, 128_000, 200_000} {
		o := meter.Options{Window: meter.Window{Tokens: window, Source: meter.WindowFlag}}
		e, line := rules.Evict.For(window), meter.New(o.With(rules)).Reading().LoadLine
		rows += fmt.Sprintf("| %s | %s |", commas(window), percentText(float64(line)/float64(window)))
		for _, share := range []float64{e.Target, e.Cold, rules.ProtectedShare(window), e.Words, e.Index, lists * e.Words} {
			rows += " " + percentText(share) + " |"
		}
		rows += "\n"
	}
	return rows
}

func percentText(share float64) string { return fmt.Sprintf("%.0f%%", 100*share) }

// paced is a conversation that a planner looks at.
type paced struct {
	*story
	rules preset.Rules
	meter meter.Meter // without the view
}

// newPaced is an empty conversation in a window.
func newPaced(t *testing.T, window int) *paced {
	p := &paced{story: &story{t: t, now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)}, rules: preset.RulesOf(preset.Plimsoll)}
	p.rules.Summary.When = preset.SummaryNever
	system, tools := conversation.Measure(strings.Repeat("word", 1200)), conversation.Measure(strings.Repeat("word", 4000))
	o := meter.Options{Window: meter.Window{Tokens: window, Source: meter.WindowFlag}}
	p.meter = meter.New(o.With(p.rules)).WithPrompt(system, tools)
	return p
}

// answer is a reply without calls.
func (p *paced) answer(text string) {
	add(p.t, &p.log, p.now, conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd})
}

// used is the tokens of the next request.
func (p *paced) used() int { return p.metered().Reading().Used }

// metered is the meter with the view as it stands.
func (p *paced) metered() meter.Meter { return p.meter.WithView(projection.Project(p.log.Events())) }

// step is what the planner does before the next turn after a pause.
func (p *paced) step(idle time.Duration) edit.Proposal {
	p.t.Helper()
	log, m := p.log.Events(), p.metered()
	plan := planner.Check{Moment: planner.MomentTurn, Log: log, View: m.View(), Meter: m, Idle: idle, Sheet: planner.DefaultSheet()}.Plan(p.rules).Alone()
	pass, err := edit.ProposeOverlays(log, p.rules, edit.Inputs{Meter: m, Now: p.now}, conversation.Made{Source: conversation.SourceAuto, Trigger: plan.Trigger}, plan.Masks...)
	if err != nil {
		p.t.Fatalf("%s: %v", plan.Trigger, err)
	}
	return pass
}

// blockOf is the message that stands for what a pass evicts.
func blockOf(t *testing.T, pass edit.Proposal) projection.Message {
	t.Helper()
	for _, m := range pass.After().Messages {
		if m.State == projection.StateSummarised {
			return m
		}
	}
	t.Fatal("nothing is evicted")
	return projection.Message{}
}

// noteOfAStory is what stands for the first turns of a conversation.
func noteOfAStory(t *testing.T) string {
	t.Helper()
	p := newPaced(t, 32_000)
	p.say("TestUpload fails on CI now and then. Find out why, and never touch hull/hull.go.")
	p.call("run_command", `{"command":"go test ./upload -run TestUpload -v"}`, conversation.ResultError,
		"=== RUN   TestUpload (upload/server.go, commit 4f2a9c1)\n    upload/client.go: retryBackoff waits 250ms, then maxBackoff of 4s\n"+
			lines("    upload/server_test.go:30: part %d of the file was sent\n", 600)+"    upload/server_test.go:41: error: listen tcp 127.0.0.1:8080: address already in use\n")
	p.answer("The test listens on port 8080, which another run holds.")
	p.say("Then let the test take a free port. Use net.Listen, no fixed numbers.")
	p.call("modify_file", `{"path":"upload/server_test.go","old":"127.0.0.1:8080","new":"127.0.0.1:0"}`, conversation.ResultOK, "modified upload/server_test.go: 1 replacement, line 12")
	p.answer("It takes port 0 now.")
	p.say("Run it a hundred times. Which other tests name a port?")
	p.call("run_command", `{"command":"go test ./upload -count=100 -v"}`, conversation.ResultOK, lines("--- PASS: TestUpload, run %d\n    upload/server_test.go:30: the file was sent\n", 700))
	p.call("grep_files", `{"pattern":"127\\.0\\.0\\.1:[1-9]"}`, conversation.ResultOK, lines("mast/mast_test.go:%d: addr := defaultAddr(\"127.0.0.1:9090\")\n", 30))
	p.answer("One does: mast/mast_test.go.")
	p.say("Show me that test.")
	p.call("read_file", `{"path":"mast/mast_test.go"}`, conversation.ResultOK, lines("\t// line %d of the test\n", 1212))
	p.answer("There it is.")
	p.say("Let that one take a free port, too.")
	return wrapped(blockOf(t, p.step(2*time.Hour)).Text)
}

// wrapped is a text whose lines fit the document.
func wrapped(text string) string { return ansi.Wordwrap(text, 118, "") }

// exampleWindow is that of the worked example.
const exampleWindow = 128_000

// workedExample tells of a conversation at the load line and after a pause.
func workedExample(t *testing.T) string {
	t.Helper()
	p, lunch := newPaced(t, exampleWindow), 0
	line, prompt := p.metered().Reading().LoadLine, p.used()
	var cold edit.Proposal
	for turn := 0; p.used() <= line; turn++ {
		if cold.After().Messages == nil && p.used() > exampleWindow*3/4 {
			cold, lunch = p.step(75*time.Minute), turn
		}
		p.turn(turn)
	}
	pass := p.step(time.Minute)
	turns := p.log.Events()[p.log.Len()-1].Turn + 1
	one, two := pass.Preview(), cold.Preview()
	more, pays := llm.PriceOf(one, price)
	if more == nil || pays == nil {
		t.Fatal("there is no price")
	}
	each := price(llm.Tokens{Prompt: one.Before, Cached: one.Before}) - price(llm.Tokens{Prompt: one.After, Cached: one.After})
	fresh := func(tokens int) float64 { return price(llm.Tokens{Prompt: tokens}) }
	paragraphs := []string{
		fmt.Sprintf("A conversation in a window of %s tokens. System prompt and tools take %s; each turn asks for something, reads a file and "+
			"adds about %s. The model costs $2.50 a million tokens of input, and a tenth of that for what it reads from its cache.",
			commas(exampleWindow), commas(about(prompt)), commas(about((one.Before-prompt)/turns))),
		fmt.Sprintf("- **At the load line.** Before turn %d the request has grown to %s tokens, above the load line at %s. "+
			"%s are evicted, and a note of %s tokens stands for them. The request now has %s tokens.",
			turns, commas(about(one.Before)), commas(line), capitalTurns(one.Range), commas(about(weight(blockOf(t, pass)))), commas(about(one.After))),
		"- **What the note holds.** " + holds(blockOf(t, pass).Text),
		fmt.Sprintf("- **What that costs.** The beginning breaks behind the system prompt, so %s tokens are sent as new, once: $%.2f more than "+
			"going on from the cache. Each request after it is $%.3f cheaper, so the step is earned back after %d requests. No model was asked, and nobody waited.",
			commas(about(one.Behind)), *more, each, *pays),
		fmt.Sprintf("- **After a lunch break.** Suppose you had paused for 75 minutes before turn %d, at %s tokens. The cache has let go, so the next "+
			"request would send everything as new: $%.2f. %s are evicted first, %s tokens are left, and the request costs $%.2f: the step pays at once.",
			lunch, commas(about(two.Before)), fresh(two.Before), capitalTurns(two.Range), commas(about(two.After)), fresh(two.After)),
	}
	for i := range paragraphs {
		paragraphs[i] = ansi.Wordwrap(paragraphs[i], 120, "")
		if strings.HasPrefix(paragraphs[i], "- ") {
			paragraphs[i] = strings.ReplaceAll(ansi.Wordwrap(strings.ReplaceAll(paragraphs[i], "\n", " "), 118, ""), "\n", "\n  ")
		}
	}
	return paragraphs[0] + "\n\n" + strings.Join(paragraphs[1:], "\n") + "\n"
}

// holds says what a note holds.
func holds(block string) string {
	at := summary.IndexAt(block)
	listed := regexp.MustCompile(`(?m)^- t\d+: asked`).FindAllString(block[:at], -1)
	quoted := regexp.MustCompile(`(?m)^t\d+ \(e\d+\):$`).FindAllString(block[:at], -1)
	names := strings.Fields(regexp.MustCompile(`(?m)^(### .*|e\d+:)`).ReplaceAllString(block[at:], ""))
	return fmt.Sprintf("A line for each of %d turns, %d messages of yours word for word, the files that were read, and %s names, each with the event that held it.",
		len(listed), len(quoted), commas(len(names)))
}

// turn is one turn of the worked example.
func (p *paced) turn(n int) {
	p.say(fmt.Sprintf("Look at part %d of the log next, and tell me what stands out. Keep an eye on port %d.", n, 8000+n))
	p.call("read_file", fmt.Sprintf(`{"path":"logs/part%02d.log"}`, n), conversation.ResultOK, lines(fmt.Sprintf("request_%d_%%d took longer than the limit of the pool\n", n), 270))
	p.answer(fmt.Sprintf("Part %d holds requests that took longer than the limit. ", n) + strings.Repeat("The pool was exhausted, and came back by itself. ", 8))
}

func capitalTurns(r edit.Range) string { return fmt.Sprintf("Turns %d to %d", r.From, r.To) }

// about is a number of tokens to the nearest hundred.
func about(tokens int) int { return int(math.Round(float64(tokens)/100)) * 100 }

// weight is a message in tokens.
func weight(m projection.Message) int { return int(meter.Estimate(m.After())) }
