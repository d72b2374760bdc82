package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"plimsoll/conversation"
)

const (
	answer = "The test shares a **port** between runs, see `upload_test.go`:\n\n" +
		"1. the first run keeps the port in TIME_WAIT\n2. the second cannot bind to it, and fails with an error that says nothing about ports\n\n" +
		"```go\nln, err := net.Listen(\"tcp\", \":8080\") // should be :0\n```\n\n漢字かな交じり文も折り返される。Emoji: 👩‍👩‍👧 👍🏽"
	thoughts = "The user wants to know why TestUpload fails.\nLikely a port conflict, or a race between the two servers.\nI should read the test first.\nThen run it ten times."
	diff     = "--- a/upload.go\n+++ b/upload.go\n@@ -1,11 +1,10 @@\n package upload\n \n func Listen() (net.Listener, error) {\n-\treturn net.Listen(\"tcp\", \":8080\")\n" +
		"+\treturn net.Listen(\"tcp\", \":0\") // any free port, so that tests can run side by side\n }\n \n func Serve() {}\n--- a comment of SQL\n \n \n \n"
)

func showTalk(r *rig) {
	r.add(user("why does TestUpload fail on CI?"), reply("I will look."),
		calls(call("1", "read_file", `{"path":"upload_test.go"}`), call("2", "run_command", `{"command":"go test ./upload -count=10"}`)),
		result("1", conversation.ResultOK, strings.Repeat("a line of the test\n", 440)),
		conversation.ToolResult{CallID: "2", Tool: "run_command", Status: conversation.ResultOK, Text: "ok", Duration: 34 * time.Second},
		conversation.AssistantMessage{Text: answer, Reasoning: thoughts, Stop: conversation.StopEnd})
}

func showTools(r *rig) {
	long := strings.Repeat("very ", 20) + "long"
	r.add(user("go"), calls(
		call("ok", "grep_files", `{"pattern":"TODO","path":"./upload"}`), call("error", "read_file", `{"path":"gone.go"}`),
		call("denied", "run_command", `{"command":"rm -rf build"}`), call("stopped", "run_command", `{"command":"sleep 100"}`),
		call("slow", "http_request", `{"method":"GET","url":"https://example.org/`+long+`"}`), call("page", "read_file", `{"path":"big.log","offset":2000}`),
		call("foreign", "odd", `no json`), call("none", "todo_read", `{}`), call("runs", "run_command", `{"command":"make"}`), call("waits", "find_files", `{"pattern":"*.go"}`)),
		result("ok", conversation.ResultOK, "upload.go:7: TODO"), result("error", conversation.ResultError, "no such file: gone.go\nreading:\n"),
		result("denied", conversation.ResultDenied, "the user said no: ask first"), result("stopped", conversation.ResultInterrupted, "interrupted: the turn was stopped"),
		conversation.ToolResult{CallID: "slow", Status: conversation.ResultOK, Text: strings.Repeat("x", 400_000), Duration: 1234 * time.Millisecond},
		result("page", conversation.ResultOK, ""), result("foreign", conversation.ResultOK, "?"), result("none", conversation.ResultOK, "nothing to do"),
		result("lost", conversation.ResultOK, "a result without a call"))
	r.ToolStarted("runs", "run_command make")
	r.ToolOutput("runs", "one\ntwo\r\nthree\nfour\nfi")
	r.ToolOutput("runs", "ve\n")
	r.SetFrame(3)
}

func showEdit(r *rig) {
	edit := conversation.ToolResult{CallID: "1", Tool: "modify_file", Status: conversation.ResultOK, Text: "upload.go was changed", Detail: diff, Duration: 1}
	r.add(user("fix it"), calls(call("1", "modify_file", `{"path":"upload.go","old":"8080"}`)), edit, reply("Done."))
}

func showThinking(r *rig) {
	r.add(user("think"), conversation.AssistantMessage{Text: "Thought.", Reasoning: thoughts, Stop: conversation.StopEnd}, user("again"))
	r.Delta("", thoughts)
}

func showStops(r *rig) {
	for _, stop := range []conversation.StopReason{
		conversation.StopEnd, conversation.StopLength, conversation.StopFiltered,
		conversation.StopCancelled, conversation.StopFailed, conversation.StopInterrupted,
	} {
		r.add(conversation.AssistantMessage{Text: "so far", Stop: stop}, conversation.AssistantMessage{Stop: stop})
	}
	r.add(conversation.AssistantMessage{Text: "half", Stop: conversation.StopFailed, Error: "the server closed the connection"})
	r.add(conversation.TurnFailed{Message: "the server closed the connection", Hint: "check the network"})
}

func showNotices(r *rig) {
	r.add(conversation.ModelChanged{Provider: "openai", Model: "gpt-5.6-luna"}, user("hi"),
		conversation.Notice{Level: conversation.NoticeInfo, Text: "The server says that its window is 32768 tokens."},
		conversation.Notice{Level: conversation.NoticeWarning, Text: "The server counted 8192 tokens of about 20000 that were sent: it seems to cut long conversations."},
		conversation.ModelChanged{Provider: "openai", Model: "gpt-5.6-luna", Window: 32768},
		conversation.ModelChanged{Provider: "ollama", Model: "qwen3:8b"},
		conversation.Unknown{Name: "hologram", Raw: conversation.RawJSON(`{}`)})
	r.ShowNotice("AGENTS.md is part of the instructions")
	r.ShowError("Out of credit (402)", "add credit, or switch with /model")
}

func showPaste(r *rig) {
	r.add(user("look at this:\n\n"+strings.Repeat("2026-01-02 ERROR connection refused\n", 312)), reply("It is refused."),
		user(strings.Repeat("one line without an end ", 2000)), reply("It is long."), user("  indented\n\tand a tab\nlast"))
}

func showHostile(r *rig) {
	hostile := "a\x1b]52;c;ZXZpbA==\x07b \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b[31mred\x1b[2J \u009b1m \u202egpj.exe\u202c z" + strings.Repeat("\u0301", 30) + " \xff\xfe\x00 end"
	r.add(user(hostile), conversation.AssistantMessage{Text: hostile, Reasoning: hostile, Stop: conversation.StopFailed, Error: hostile},
		calls(call("1", hostile, `{"path":"`+"\u202e"+`evil"}`)), result("1", conversation.ResultError, hostile),
		conversation.Notice{Level: conversation.NoticeInfo, Text: hostile})
}

var scenes = []struct {
	name string
	show func(r *rig)
}{
	{"talk", showTalk},
	{"talk unfolded", func(r *rig) { showTalk(r); r.ToggleExpanded() }},
	{"tools", showTools},
	{"edit", showEdit},
	{"edit unfolded", func(r *rig) { showEdit(r); r.ToggleExpanded() }},
	{"thinking", showThinking},
	{"thinking unfolded", func(r *rig) { showThinking(r); r.ToggleExpanded() }},
	{"stops", showStops},
	{"notices", showNotices},
	{"paste", showPaste},
	{"hostile", showHostile},
	{"nothing", func(*rig) {}},
}

// Whole conversations, up to 80 lines each.
func TestItems(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for _, scene := range scenes {
				r := openTranscript(t, width, 1)
				scene.show(r)
				height := r.CountLines(80)
				r.SetSize(width, height)
				r.ToTop()
				wantValidView(t, r.View(), width, height)
				fmt.Fprintf(&b, "== %s\n%s\n", scene.name, strings.Join(r.lines(), "\n"))
			}
			golden.RequireEqual(t, b.String())
		})
	}
}

// The same conversations on small screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, timeAt := range [][2]int{{40, 12}, {80, 24}} {
		t.Run(fmt.Sprintf("%dx%d", timeAt[0], timeAt[1]), func(t *testing.T) {
			t.Parallel()
			r := openTranscript(t, timeAt[0], timeAt[1])
			showTalk(r)
			showEdit(r)
			showTools(r)
			wantValidView(t, r.View(), timeAt[0], timeAt[1])
			golden.RequireEqual(t, r.View()+"\n")
		})
	}
}
