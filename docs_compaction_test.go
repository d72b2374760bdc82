// The examples in docs/compaction-reference.md are output of the program. Rules:
//
//   - Examples are made by the code that makes them in a conversation: go test . -update writes them.

package main_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

const compactionPage = "docs/compaction-reference.md"

func TestDocumentsShowWhatCompactionMakes(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	// One after the other: each of them may write the document.
	checkTable(t, compactionPage, "hints", hintRows())
	checkTable(t, compactionPage, "bounds", boundRows(t))
	checkTable(t, compactionPage, "stub", fenced(s.stub()))
	checkTable(t, compactionPage, "summary", fenced(s.summary()))
	checkTable(t, compactionPage, "shares", shareRows())
}

func fenced(text string) string { return "```\n" + strings.TrimRight(text, "\n") + "\n```\n" }

// hintRows says what is known of tools, Plimsoll's own before those of other programs, and what tells their calls apart.
func hintRows() string {
	side := func(k preset.Hint) string { return or(string(k), "as the profile says") }
	rules := preset.DefaultTools()
	theirs := regexp.MustCompile(`^(fs_|cargo_|git_|[A-Z])`)
	names := slices.Sorted(maps.Keys(rules))
	slices.SortStableFunc(names, func(a, b string) int {
		return len(theirs.FindString(a)) - len(theirs.FindString(b))
	})
	tools, apart := map[string][]string{}, ""
	for _, name := range names {
		r := rules[name]
		hint := side(r.Request) + " | " + side(r.Response)
		if r.Exempt {
			hint = "exempt | exempt"
		}
		tools[hint] = append(tools[hint], "`"+name+"`")
		if len(r.Identifiers) > 0 {
			apart += fmt.Sprintf("- Calls of `%s` are told apart by `%s`.\n", name, strings.Join(r.Identifiers, "`, `"))
		}
	}
	rows := "| arguments | result | tools |\n| --- | --- | --- |\n"
	for _, hint := range slices.Sorted(maps.Keys(tools)) {
		rows += fmt.Sprintf("| %s | %s |\n", hint, strings.Join(tools[hint], ", "))
	}
	return rows + "\n" + apart
}

// boundRows gives the table of bounds, with what each means in a conversation of ten turns.
func boundRows(t *testing.T) string {
	t.Helper()
	now := time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)
	log := conversation.Log{}
	for turn := range 10 { // turn 0 begun at 3:00, turn 9 at 12:00
		add(t, &log, time.Date(2026, 11, 20, 3+turn, 0, 0, 0, time.UTC), conversation.UserMessage{Text: "go on"})
	}
	rows := "| bound | means | `--from` | `--to` |\n| --- | --- | --- | --- |\n"
	for _, b := range []struct{ text, means string }{
		{"2", "the turn of this number, counted from 0"},
		{"-2", "the turn so many before the last one"},
		{"5h", "a time ago, in `w`, `d`, `h`, `m` and `s`: from the first turn begun since, to the last one begun before"},
		{"last", "the turn after the last one that the compactions in force cover, masks by hand aside, 0 without one; `--from` alone means this"},
	} {
		bound, err := edit.ParseBound(b.text)
		if err != nil {
			t.Fatal(err)
		}
		options := edit.RangeOptions{Now: now, FirstUncompacted: 4}
		from, to := options, options
		from.From, to.To = &bound, &bound
		first, err := edit.ResolveRange(log.Events(), from)
		if err != nil {
			t.Fatal(err)
		}
		last, err := edit.ResolveRange(log.Events(), to)
		if err != nil {
			t.Fatal(err)
		}
		rows += fmt.Sprintf("| `%s` | %s | turn %d | turn %d |\n", b.text, b.means, first.From, last.To)
	}
	return rows
}

func add(t *testing.T, log *conversation.Log, at time.Time, bodies ...conversation.Body) {
	t.Helper()
	if err := log.Commit(log.Prepare(at, bodies...)); err != nil {
		t.Fatal(err)
	}
}

// story is the conversation of the examples.
type story struct {
	t   *testing.T
	log conversation.Log
	now time.Time
}

func newStory(t *testing.T) *story {
	s := &story{t: t, now: time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)}
	var run strings.Builder
	run.WriteString("=== RUN   TestUpload\n")
	for n := range 200 {
		fmt.Fprintf(&run, "    server_test.go:%d: part %d of the file was sent to 127.0.0.1:8080\n", 30+n%7, n)
	}
	run.WriteString("    server_test.go:41: error: listen tcp 127.0.0.1:8080: address already in use\n")
	for n := range 12 {
		fmt.Fprintf(&run, "    server_test.go:52: connection %d of 12 was closed\n", n+1)
	}
	run.WriteString("exit code 1\n")
	s.say("TestUpload fails on CI now and then. Find out why, and never touch hull/hull.go.")
	s.call("run_command", `{"command":"go test ./upload -run TestUpload -v"}`, conversation.ResultError, run.String())
	s.say("Then let the test take a free port.")
	s.call("modify_file", `{"path":"upload/server_test.go","old":"127.0.0.1:8080","new":"127.0.0.1:0"}`, conversation.ResultOK, "modified upload/server_test.go: 1 replacement, line 12")
	s.say("Does it pass now?")
	return s
}

func (s *story) say(text string) { add(s.t, &s.log, s.now, conversation.UserMessage{Text: text}) }

// call is a reply with one call, and its result.
func (s *story) call(tool, arguments string, status conversation.ResultStatus, result string) {
	id := fmt.Sprintf("call_%d", s.log.Len())
	add(s.t, &s.log, s.now,
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}, Stop: conversation.StopCalls},
		conversation.ToolResult{CallID: id, Tool: tool, Status: status, Text: result})
}

// pass computes what a profile does to all turns but the newest.
func (s *story) pass(profile string) edit.Proposal {
	s.t.Helper()
	wish := edit.NewRequest()
	wish.Profile, wish.KeepLast = profile, 1
	now := edit.Inputs{Meter: meter.New(meter.Options{}).WithView(projection.Project(s.log.Events())), Now: s.now, Cold: true}
	pass, err := edit.NewProposal(s.log.Events(), preset.RulesOf(preset.Plimsoll), now, wish)
	if err != nil {
		s.t.Fatal(err)
	}
	return pass
}

// stub is the message that replaces the result of the failed command.
func (s *story) stub() string {
	pass := s.pass(preset.ProfileDefault)
	for _, m := range projection.Project(conversation.Extend(s.log.Events(), s.now, pass.Bodies(0)...)).Messages {
		if m.Tool == "run_command" && m.State == projection.StateMasked {
			return m.Text
		}
	}
	s.t.Fatal("no result is masked")
	return ""
}

// summary is the message that replaces turns which a model summarised.
func (s *story) summary() string {
	pass := s.pass(preset.ProfileHeavy)
	err := pass.Accept(summary.Answer{Stop: conversation.StopEnd, Text: "### Goal\nTestUpload passes on CI (t0).\n\n" +
		"### Constraints\nNever touch hull/hull.go (t0).\n\n" +
		"### Done\nThe test listened on port 8080, which another run held (t0). It now takes a free one, 127.0.0.1:0 (t1).\n\n" +
		"### Next step\nRun the test again."})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range projection.Project(conversation.Extend(s.log.Events(), s.now, pass.Bodies(0)...)).Messages {
		if m.State == projection.StateSummarised {
			return m.Text
		}
	}
	s.t.Fatal("nothing is summarised")
	return ""
}

// The dry run of the document is the one that the script of the command expects.
func TestDocumentsShowARealDryRun(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(read(t, "cli/testdata/script/compact.txtar"), "-- want-preview.txt --\n")
	want, _, ok := strings.Cut(rest, "-- want-preview.json --\n")
	if !ok || want == "" {
		t.Fatal("the script has lost its dry run")
	}
	if !strings.Contains(read(t, compactionPage), "```\n"+want+"```\n") {
		t.Errorf("%s does not show this dry run:\n%s", compactionPage, want)
	}
}

// shareRows is what windows of some sizes call for.
func shareRows() string {
	rules := preset.RulesOf(preset.Plimsoll)
	rows := "| window | load line | a step leaves | never evicted | with a cold cache | never evicted | your words | names |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	for _, window := range []int{32_000, 64_000, 128_000, 200_000} {
		o := meter.Options{Window: meter.Window{Tokens: window, Source: meter.WindowFlag}}
		e, line := rules.Evict.Resolve(window), meter.New(o.WithRules(rules)).Reading().LoadLine
		rows += fmt.Sprintf("| %s |", numbers.Grouped(window))
		for _, share := range []float64{float64(line) / float64(window), e.Target, rules.ProtectedShare(window), e.Cold, rules.ColdProtectedShare(window), e.Words, e.Index} {
			rows += fmt.Sprintf(" %.0f%% |", 100*share)
		}
		rows += "\n"
	}
	return rows
}
