package transcript_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tui/transcript"
)

func TestStreamedEqualsStored(t *testing.T) {
	t.Parallel()
	for _, expanded := range []bool{false, true} {
		for _, cut := range []int{1, 3, 7, 40, 10_000} {
			streamed, stored := openTranscript(t, 50, 60, user("hi")), openTranscript(t, 50, 60, user("hi"))
			if expanded {
				streamed.ToggleExpanded()
				stored.ToggleExpanded()
			}
			reasoning := strings.ReplaceAll(thoughts, "\n", "\r\n")
			for rest := reasoning; rest != ""; {
				n := min(cut, len(rest))
				streamed.Delta("", rest[:n])
				streamed.View()
				rest = rest[n:]
			}
			for rest := answer; rest != ""; {
				n := min(cut, len(rest))
				streamed.Delta(rest[:n], "")
				streamed.View()
				rest = rest[n:]
			}
			b := conversation.AssistantMessage{Text: answer, Reasoning: reasoning, Stop: conversation.StopEnd}
			streamed.add(b)
			stored.add(b)
			if d := cmp.Diff(stored.View(), streamed.View()); d != "" {
				t.Errorf("expanded %v, pieces of %d: %s", expanded, cut, d)
			}
			for _, width := range []int{20, 90} {
				streamed.SetSize(width, 60)
				stored.SetSize(width, 60)
				if d := cmp.Diff(stored.View(), streamed.View()); d != "" {
					t.Errorf("then at width %d: %s", width, d)
				}
			}
		}
	}
}

func TestTheLoggedReplyReplacesTheStreamedOne(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 12)
	r.Delta("a stream that was cleaned \xff", "")
	r.add(reply("the text in the log"))
	r.wantText(t, "the text in the log")
	r.wantNoText(t, "a stream")
}

func TestAFailedCallShowsTheReason(t *testing.T) {
	t.Parallel()
	source := "Makefile: old does not occur. The lines closest to it are:\n    13\tNAME ?= x\n    14\tVERSION  ?= dev"
	for name, c := range map[string]struct {
		arguments, text, want, not string
	}{
		"an edit":              {`{"path":"Makefile","old":"x"}`, source, "Makefile: old does not occur", "VERSION"},
		"an imported command":  {`{"command":"make"}`, "cc -c a.c\na.c:1: error: no type", "a.c:1: error: no type", "cc -c"},
		"one that was not run": {`{"command":"make"}`, "error: the shell is missing", "error: the shell is missing", "VERSION"},
	} {
		r := openTranscript(t, 70, 20, calls(call("1", "tool", c.arguments)), result("1", conversation.ResultError, c.text))
		view := ansi.Strip(r.View())
		if !strings.Contains(view, c.want) || strings.Contains(view, c.not) {
			t.Errorf("%s: %q is not all that is shown:\n%s", name, c.want, view)
		}
	}
	ran := result("1", conversation.ResultError, "exit code 1, 3s\nlots of output")
	ran.Detail = "exit code 1, 3s\na.c:1: error: no type"
	r := openTranscript(t, 70, 20, calls(call("1", "run_command", `{"command":"make"}`)), ran)
	r.wantText(t, "▎ $ make · exit 1", "▎ a.c:1: error: no type")
	r.wantNoText(t, "exit code", "lots of output")

	edit := result("1", conversation.ResultError, "upload.go: the disk is full\nnothing was written")
	edit.Detail = "for the eye"
	r = openTranscript(t, 70, 20, calls(call("1", "modify_file", `{"path":"upload.go"}`)), edit)
	r.wantText(t, "upload.go: the disk is full")
	r.wantNoText(t, "for the eye", "nothing was written")
}

func TestBlankReplyBeforeCallsShowsNothing(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 12, user("go"))
	r.Delta("\n", "")
	r.add(conversation.AssistantMessage{Text: "\n", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{call("1", "todo_read", "{}")}})
	want := "  ▌ go\n\n    · read todos"
	if d := cmp.Diff(want, r.screen()); d != "" {
		t.Error(d)
	}
	r.Reset(r.log.Events())
	if d := cmp.Diff(want, r.screen()); d != "" {
		t.Errorf("as stored: %s", d)
	}
}

func TestACallShowsEachOfItsStates(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 12, calls(call("1", "run_command", `{"command":"make"}`)))
	r.wantText(t, "▎ $ make")
	r.SetAsked("1") // the question shows it
	r.wantNoText(t, "make")
	r.SetAsked("")
	r.wantText(t, "▎ $ make")
	r.ToolOutput("1", "too early")
	r.wantNoText(t, "too early")
	r.ToolStarted("1", "run_command make")
	r.wantText(t, "▎ ⠋ make")
	r.ToolOutput("1", "first\n")
	r.SetFrame(1)
	r.wantText(t, "▎ ⠙ make", "first")
	r.ToolOutput("1", strings.Repeat("x\n", 5000)+"last")
	r.wantText(t, "last")
	r.wantNoText(t, "first")
	r.add(result("1", conversation.ResultOK, "all of it"))
	r.wantText(t, "▎ $ make", "▎ all of it")
	r.wantNoText(t, "last")
	before := r.View()
	r.SetFrame(2)
	r.ToolOutput("1", "late")
	r.ToolStarted("1", "again")
	r.ToolOutput("unknown", "late")
	r.ToolStarted("unknown", "late")
	if d := cmp.Diff(before, r.View()); d != "" {
		t.Errorf("a finished call changed: %s", d)
	}
}

func TestAUserCommandShowsTheBeginningOfItsOutput(t *testing.T) {
	t.Parallel()
	lines := strings.TrimSpace(strings.Repeat("line\n", 11)) + "\nthe last"
	r := openTranscript(t, 60, 40, conversation.UserMessage{Text: conversation.FormatCommandOutput("seq", lines)})
	r.ShowOutput("!!long", lines+"\n")
	r.wantText(t, "▌ !seq", "▌ line", "+ output, 12 lines · ", "· !!long", "… 12 lines, ")
	r.wantNoText(t, "the last", "I ran")
	if n := strings.Count(r.screen(), "line\n"); n != 8 {
		t.Errorf("%d lines of output are shown, want 4 of each:\n%s", n, r.screen())
	}
	r.ToggleExpanded()
	r.wantText(t, "▌ !seq", "▌ the last", "  the last")
	r.wantNoText(t, "I ran", "```")
	r = openTranscript(t, 60, 20, conversation.UserMessage{Text: conversation.FormatCommandOutput("true", "")})
	r.ShowOutput("!!short", "a\nb\nc\nd\ne\n")
	r.wantText(t, "▌ !true · no output", "  e")
	r.wantNoText(t, "…")
}

// A failed turn shows its error once, and the key that sends it again until another event follows. A rewind folds the error away.
func TestAFailedTurnShowsItsErrorOnceAndTheRetryKey(t *testing.T) {
	t.Parallel()
	const failure = "No answer after 4 tries (9 s)"
	failed := conversation.TurnFailed{Message: failure, Hint: "is it running?"}
	r := openTranscript(t, 80, 20, user("hi"), conversation.AssistantMessage{Text: "half", Stop: conversation.StopFailed, Error: failure}, failed)
	r.SetKeys(transcript.Keys{Retry: "enter"})
	r.wantText(t, "■ broke off", "▍ "+failure, "is it running? · enter sends again")
	r.SetBusy(true) // it is being sent again
	r.wantNoText(t, "enter sends again")
	r.SetBusy(false)
	r.wantText(t, "enter sends again")
	if n := strings.Count(r.screen(), failure); n != 1 || !r.Failed() {
		t.Errorf("failure %d times; Failed: %v", n, r.Failed())
	}
	r.add(conversation.Rewind{Turn: 1, Reply: 2}, failed)
	r.wantNoText(t, "half", "broke off\n")
	r.wantText(t, "sent again without the reply that broke off")
	if n := strings.Count(r.screen(), "enter sends again"); n != 1 {
		t.Errorf("the key is named %d times", n)
	}
	r.add(reply("There."))
	r.wantText(t, "▍ "+failure)
	r.wantNoText(t, "enter sends again")
	r.add(user("more"), failed, conversation.Rewind{Turn: 1})
	if r.Failed() || strings.Count(r.screen(), failure) != 2 {
		t.Errorf("the error of the undone turn is still shown:\n%s", r.screen())
	}
}

func TestLastReplyAndExchange(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 12)
	if r.LastReply() != "" || r.LastExchange() != "" {
		t.Error("something of nothing")
	}
	r.add(user("one"), reply("first"), user("two\nlines"), reply("**second**"),
		calls(call("1", "x", "{}")), reply("third \x1b[31m"))
	if d := cmp.Diff("third \x1b[31m", r.LastReply()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("> two\n> lines\n\n**second**\n\nthird ␛[31m", r.LastExchange()); d != "" {
		t.Error(d)
	}
	r.add(user("three"))
	r.Delta("half", "")
	if d := cmp.Diff("> three\n\nhalf", r.LastExchange()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("third \x1b[31m", r.LastReply()); d != "" {
		t.Error(d)
	}
}

func TestFilesOfAMessageFold(t *testing.T) {
	t.Parallel()
	files := "\n\n<file path=\"a \\\"b\\\".go\">\npackage a\n\n</file> is no end\n</file>\n\n<file path=\"big.txt\">\n" + strings.Repeat("word ", 800) + "\n</file>"
	r := openTranscript(t, 80, 12, user("see @a.go"+files))
	if d := cmp.Diff("  ▌ see @a.go\n  ▌ + a \"b\".go · 7 tokens\n  ▌ + big.txt · 1k tokens", r.screen()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("> see @a.go", r.LastExchange()); d != "" {
		t.Error(d)
	}
	openTranscript(t, 80, 12, user("see @a"+"\n\n<file path=\"a\">\nx\n</file>")).wantText(t, "+ a · 1 token")
	r.ToggleExpanded()
	r.ToTop()
	r.wantText(t, "package a", `<file path="a \"b\".go">`)
	for _, odd := range []string{"just </file>", "\n</file>", "x\n\n<file path=\"no end\n</file>", "<file path=\"x\">\ny\n</file>"} {
		r := openTranscript(t, 80, 12, user(odd))
		r.wantText(t, "</file>")
	}
}
