package compact_test

import (
	"fmt"
	"strings"
	"time"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// exampleTime is when the examples happen.
var exampleTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func commit(log *conversation.Log, bodies ...conversation.Body) {
	if err := log.Commit(log.Prepare(exampleTime, bodies...)); err != nil {
		panic(err)
	}
}

// portHunt is a log of three turns. In the first a command prints a lot.
func portHunt() *conversation.Log {
	log := &conversation.Log{}
	commit(log,
		conversation.UserMessage{Text: "Why does TestUpload fail?"},
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "1", Name: "run_command", Arguments: `{"command":"go test ./upload"}`}}},
		conversation.ToolResult{CallID: "1", Tool: "run_command", Status: conversation.ResultError,
			Text: strings.Repeat("a part of the file was sent\n", 300) + "port 8080 is in use"},
		conversation.AssistantMessage{Text: "Another run holds port 8080.", Stop: conversation.StopEnd},
		conversation.UserMessage{Text: "Let it take a free port."},
		conversation.AssistantMessage{Text: "It does now.", Stop: conversation.StopEnd},
		conversation.UserMessage{Text: "Thank you."},
	)
	return log
}

// show prints a view: which events a message stands for, how it looks, and its
// beginning.
func show(v projection.View) {
	for _, m := range v.Messages {
		text, _, _ := strings.Cut(m.Text, "\n")
		for _, c := range m.Calls {
			text += "calls " + c.Name
		}
		fmt.Printf("%v %s, %s: %.50s\n", m.Events, m.Role, m.State, text)
	}
}

// A view is a pure function of the log. Each message says for which events it stands
// and how it came to look as it does.
func ExampleProject() {
	log := portHunt()
	show(projection.Project(log.Events()))
	// Output:
	// [1] user, verbatim: Why does TestUpload fail?
	// [2] assistant, verbatim: calls run_command
	// [3] tool, verbatim: a part of the file was sent
	// [4] assistant, verbatim: Another run holds port 8080.
	// [5] user, verbatim: Let it take a free port.
	// [6] assistant, verbatim: It does now.
	// [7] user, verbatim: Thank you.
}

// A compaction is worked out first and committed then, as overlays in the log. Undo
// is one more overlay: the view is as it was, byte for byte.
func ExampleNewProposal() {
	log := portHunt()
	before := projection.Project(log.Events())
	m := meter.New(meter.Options{}).WithView(before)
	request := edit.NewRequest()
	request.KeepLast = 1

	rules := preset.RulesOf(preset.Plimsoll)
	pass, err := edit.NewProposal(log.Events(), rules, edit.Inputs{Meter: m, Now: exampleTime}, request)
	if err != nil {
		fmt.Println(err)
		return
	}
	epoch := uint64(log.Len()) + 1
	commit(log, pass.Bodies(epoch)...)
	show(projection.Project(log.Events()))

	undo, err := edit.Undo(log.Events(), epoch)
	if err != nil {
		fmt.Println(err)
		return
	}
	commit(log, undo)
	after := projection.Project(log.Events())
	fmt.Println("as it was:", len(after.Messages) == len(before.Messages) && after.Messages[2].Text == before.Messages[2].Text)
	// Output:
	// [1] user, verbatim: Why does TestUpload fail?
	// [2] assistant, verbatim: calls run_command
	// [3] tool, masked: run_command: completed earlier (error), 301 lines,
	// [4] assistant, verbatim: Another run holds port 8080.
	// [5] user, verbatim: Let it take a free port.
	// [6] assistant, verbatim: It does now.
	// [7] user, verbatim: Thank you.
	// as it was: true
}

// Above the load line the planner evicts the oldest units without a model. One note
// stands for them, with the user's own words.
func ExampleCheck_Plan() {
	log := &conversation.Log{}
	for turn := range 11 {
		commit(log,
			conversation.UserMessage{Text: fmt.Sprintf("Look at part %d, and never touch hull/hull.go.", turn)},
			conversation.AssistantMessage{Text: strings.Repeat("There is much to say about it. ", 250), Stop: conversation.StopEnd})
	}
	commit(log, conversation.UserMessage{Text: "What stands out?"})

	rules := preset.RulesOf(preset.Plimsoll)
	rules.Summary.When = preset.SummaryNever
	options := meter.Options{Window: meter.Window{Tokens: 24_000, Source: meter.WindowFlag}}
	m := meter.New(options.WithRules(rules)).WithView(projection.Project(log.Events()))
	plan := planner.Check{Log: log.Events(), View: m.View(), Meter: m, Sheet: planner.DefaultSheet()}.Plan(rules)
	fmt.Println("because of the", plan.Trigger)

	commit(log, conversation.AssignEpoch([]conversation.Body{plan.Note}, uint64(log.Len())+1, conversation.Origin{Source: conversation.SourceAuto, Trigger: plan.Trigger})...)
	after := projection.Project(log.Events())
	fmt.Println(len(m.View().Messages), "messages became", len(after.Messages))
	for line := range strings.Lines(after.Messages[0].Text) {
		if strings.Contains(line, "part 0") {
			fmt.Print("the note says: ", line)
			break
		}
	}
	// Output:
	// because of the load line
	// 23 messages became 10
	// the note says: > Look at part 0, and never touch hull/hull.go.
}

// The meter is an estimate until the provider reports. Then it anchors on the report
// and estimates only what came after.
func ExampleMeter() {
	log := portHunt()
	m := meter.New(meter.Options{Window: meter.Window{Tokens: 8_000, Source: meter.WindowFlag}, MaxReply: 1_000})
	m = m.WithView(projection.Project(log.Events()))
	estimate := m.RequestEstimate()
	tell := func(r meter.Reading) {
		fmt.Printf("%d of %d tokens, %d %%, estimated: %v, load line at %d\n", r.Used, r.Window.Tokens, r.Percent(r.Used), r.Estimated, r.LoadLine)
	}
	tell(m.Reading())

	commit(log,
		conversation.AssistantMessage{Text: "You are welcome.", Stop: conversation.StopEnd},
		conversation.Usage{Reply: 8, Purpose: conversation.PurposeReply, Model: "demo/demo", Prompt: 2_600, Completion: 5, Estimate: estimate})
	usage := log.Events()[8].Body.(conversation.Usage)
	m = m.WithUsage(usage).WithView(m.View().Extend(log.Events()))
	tell(m.Reading())
	fmt.Println("with a draft:", m.WithDraft(conversation.Measure("And the other tests?"), 1).Reading().AfterSend)
	// Output:
	// 2172 of 8000 tokens, 27 %, estimated: true, load line at 6832
	// 2615 of 8000 tokens, 33 %, estimated: true, load line at 6832
	// with a draft: 2626
}

// Harden makes a view valid for an endpoint: this one takes no tools, so the calls in
// the history are written out as text.
func ExampleHarden() {
	log := &conversation.Log{}
	commit(log,
		conversation.UserMessage{Text: "List the files."},
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: "1", Name: "list_files", Arguments: `{}`}}},
		conversation.ToolResult{CallID: "1", Tool: "list_files", Status: conversation.ResultOK, Text: "hull.go"},
		conversation.AssistantMessage{Text: "There is one.", Stop: conversation.StopEnd},
		conversation.UserMessage{Text: "Show it."},
	)
	messages, err := projection.Harden(projection.Project(log.Events()), projection.Capabilities{NoTools: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range messages {
		fmt.Printf("%s: %q\n", m.Role, m.Text)
	}
	// Output:
	// user: "List the files."
	// assistant: "[used list_files {}]"
	// user: "[result of list_files]\nhull.go"
	// assistant: "There is one."
	// user: "Show it."
}

// A pin keeps an event verbatim, whatever else covers it.
func ExamplePinOf() {
	log := portHunt()
	pin, err := edit.PinOf(log.Events(), []uint64{3}, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	commit(log, conversation.AssignEpoch([]conversation.Body{pin}, uint64(log.Len())+1, conversation.Origin{Source: conversation.SourceManual})...)
	m := projection.Project(log.Events()).Messages[2]
	fmt.Println(m.Events, m.State)
	// Output:
	// [3] pinned
}
