package compact_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

var updateGoldens = flag.Bool("update", false, "write the golden files")

// golden compares with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *updateGoldens {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got)\n%s", file, d)
	}
}

// tale is a log written down turn by turn.
type tale struct {
	log   conversation.Log
	calls int
}

func (l *tale) add(bodies ...conversation.Body) *tale {
	if err := l.log.Commit(l.log.Prepare(conversationtest.Epoch, bodies...)); err != nil {
		panic(err)
	}
	return l
}

func (l *tale) user(text string) *tale { return l.add(conversation.UserMessage{Text: text}) }

func (l *tale) reply(text string) *tale {
	return l.add(conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd})
}

// call is a reply with one call, and its result.
func (l *tale) call(tool, arguments string, status conversation.ResultStatus, result string) *tale {
	l.calls++
	id := fmt.Sprintf("call_%d", l.calls)
	return l.add(
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
		conversation.ToolResult{CallID: id, Tool: tool, Status: status, Text: result})
}

func (l *tale) events() []conversation.Event { return l.log.Events() }

// all is the span of the whole log.
func (l *tale) all() []conversation.Span {
	return []conversation.Span{{First: 1, Last: uint64(l.log.Len())}}
}

// job is a raw job over all of the log.
func (l *tale) job() compact.SummaryJob {
	return compact.RawJob(l.events(), compact.SummaryAsk{Spans: l.all()})
}

// harbour is a conversation of four turns with a bit of everything.
func harbour() *tale {
	l := &tale{}
	l.user("The upload test fails on CI. Find out why.\nYou must never touch hull/hull.go, and keep port 8080.")
	l.add(conversation.AssistantMessage{Text: "I'll look at the test first.", Reasoning: "The port may be taken.", Stop: conversation.StopCalls,
		Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: `{"path":"upload/server_test.go"}`}, {ID: "b", Name: "grep_files", Arguments: `{"pattern":"8080","path":"upload"}`}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Status: conversation.ResultOK, Text: "1\tpackage upload\n2\t\n3\tfunc TestUpload(t *testing.T) {"},
		conversation.ToolResult{CallID: "b", Tool: "grep_files", Status: conversation.ResultOK, Text: "upload/server.go:41: addr := \":8080\""})
	l.call("run_command", `{"command":"go test ./upload"}`, conversation.ResultError, "--- FAIL: TestUpload\n    server_test.go:12: listen: address already in use\nerror: exit status 1\nFAIL")
	l.reply("Two runs share port 8080. I decided to let the test ask for a free port instead of a fixed one, because CI runs both at once.")
	l.user("Good. Do that, and add a test for the second listener.")
	l.call("todo_write", `{"todos":[{"text":"free port in the test","status":"done"},{"text":"test for the second listener","status":"in_progress"},{"text":"run the suite twice","status":"pending"}]}`, conversation.ResultOK, "1 of 3 done")
	l.call("modify_file", `{"path":"upload/server_test.go","old":":8080","new":":0"}`, conversation.ResultOK, "modified")
	l.call("create_file", `{"path":"upload/second_test.go","content":"package upload\n"}`, conversation.ResultOK, "created")
	l.reply("Both are done. Shall I run the suite twice?")
	l.user("Yes, but only ./upload.")
	l.call("load_skill", `{"name":"release"}`, conversation.ResultOK, "# Release\n1. tag\n2. push")
	l.reply("The suite passed twice.")
	l.user("Thanks. What is next?")
	return l
}

// firstTurns is the span of the turns 0 and 1 of harbour.
func firstTurns(l *tale) []conversation.Span {
	last := uint64(0)
	for _, e := range l.events() {
		if e.Turn <= 1 {
			last = e.Seq
		}
	}
	return []conversation.Span{{First: 1, Last: last}}
}

// wholeText is a request as one text.
func wholeText(j compact.SummaryJob) string {
	var b strings.Builder
	if j.System != "" {
		b.WriteString("== system\n" + j.System + "\n\n")
	}
	for _, m := range j.Messages {
		b.WriteString("== " + string(m.Role))
		for _, c := range m.Calls {
			b.WriteString(" calls " + c.Name + " " + c.Arguments)
		}
		b.WriteString("\n" + m.Text + "\n\n")
	}
	return b.String()
}
