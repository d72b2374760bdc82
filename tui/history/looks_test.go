package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
)

func TestWhatIsSentInFullHasTheWidthAndNoBadge(t *testing.T) {
	t.Parallel()
	r := newRig(t, 200, 30)
	r.add(conversation.UserMessage{Text: "why?"})
	r.add(conversation.AssistantMessage{Text: strings.Repeat("words and more words ", 12), Stop: conversation.StopEnd})
	r.add(conversation.UserMessage{Text: "thanks"})
	r.show()
	screen := r.screen()
	for _, bad := range []string{"verbatim", "│", "what the model is sent"} {
		if strings.Contains(screen, bad) {
			t.Errorf("%q is on the screen:\n%s", bad, screen)
		}
	}
	wants(t, screen, "\n= assistant  ")
	for l := range strings.Lines(screen) {
		if strings.Contains(l, "words and") && ansi.StringWidth(strings.TrimSpace(l)) > 100 {
			t.Errorf("a line of prose is too long to read: %q", l)
		}
	}
}

func TestMarkdownIsRenderedOnBothSides(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	long := "## A heading\n\nIt is **bold**, and so on.\n\n- one\n- two\n- three\n- four\n- five\n- six"
	first := r.add(conversation.UserMessage{Text: "why?"})
	last := r.add(conversation.AssistantMessage{Text: long, Stop: conversation.StopEnd})
	r.add(conversation.UserMessage{Text: "thanks"})
	r.add(conversation.AssistantMessage{Text: long, Stop: conversation.StopEnd})
	r.pass("", conversation.Summary{Style: conversation.StylePlimsoll, Spans: []conversation.Span{{First: first, Last: last}}, Text: "## Asked\n\nWhy it is **so**."})
	r.show()
	for _, keys := range [][]string{{"home"}, {"home", "enter"}, {"end", "k", "enter"}, {"tab", "end", "enter"}, {"tab", "home", "enter"}} {
		r.press(keys...)
		for _, raw := range []string{"**", "##"} {
			if strings.Contains(r.screen(), raw) {
				t.Errorf("after %v %q is on the screen:\n%s", keys, raw, r.screen())
			}
		}
		wants(t, r.screen(), "A heading", "It is bold")
		r.show()
	}
	wants(t, r.screen(), "│ Why it is so.")
	r.press("/")
	r.typed("bold")
	if match := history.DefaultStyles().Pane.Match.Render("bold"); !strings.Contains(r.View(), match) {
		t.Errorf("a match in Markdown does not stand out:\n%q", r.View())
	}
}

func TestLightCallsAreToldByTheirResults(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	r.add(conversation.UserMessage{Text: "look, then write"})
	light := r.call("grep", `{"pattern":"socket"}`, "nothing found", conversation.ResultOK)
	r.call("create_file", `{"path":"a.md","content":"`+strings.Repeat("heavy ", 400)+`"}`, "written", conversation.ResultOK)
	r.show()
	wants(t, r.screen(), "▸ grep socket", "→ create_file  a.md", "▸ create a.md")
	if strings.Contains(r.screen(), "→ grep") || strings.Contains(r.screen(), "nothing found") {
		t.Errorf("a call is told twice, or its result in full:\n%s", r.screen())
	}
	r.to(light - 2)
	wants(t, under(r), "▸ grep")
	r.press("enter")
	wants(t, under(r), `→ grep {"pattern":"socket"}`, "nothing found")
	r.press("home", "/")
	r.typed("pattern")
	r.press("enter")
	wants(t, under(r), "grep", `"pattern":"socket"`)
	if diff := cmp.Diff(pane.Action(history.Fork{Before: light + 1}), r.press("f")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestACallThatFailedSaysWhyInALine(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	r.add(conversation.UserMessage{Text: "try"})
	r.call("read_file", `{"path":"a.go"}`, "there is no a.go\nin this folder", conversation.ResultError)
	r.show()
	wants(t, r.screen(), "▸ read a.go · failed", "  there is no a.go")
	if strings.Contains(r.screen(), "more line") || strings.Contains(r.screen(), "in this folder") {
		t.Errorf("it takes more than a line:\n%s", r.screen())
	}
}

func TestAReplyShortenedInItsCallsStandsOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	r.add(conversation.UserMessage{Text: "write it"})
	call := conversation.ToolCall{ID: "1", Name: "create_file", Arguments: `{"path":"a.md","content":"` + strings.Repeat("word ", 300) + `"}`}
	reply := r.add(conversation.AssistantMessage{Text: "I write it down.", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{call}})
	r.add(conversation.ToolResult{CallID: "1", Tool: "create_file", Status: conversation.ResultOK, Text: "written"})
	r.pass("", conversation.Mask{Style: conversation.StylePlimsoll, Version: 1,
		Items: []conversation.MaskItem{{Event: reply, Part: conversation.PartArguments, Call: "1"}}})
	r.show()
	r.to(reply)
	wants(t, under(r), "│ → create_file", "→ create_file {\"path\":\"a.md\"")
	if n := strings.Count(r.screen(), "I write it down."); n != 1 {
		t.Errorf("what both sides share stands %d times:\n%s", n, r.screen())
	}
}

// A reply with several calls that were shortened is one message.
func TestTheMessagesThatAreNotListedAreCounted(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 100)
	m := conversation.Mask{Style: conversation.StylePlimsoll, Version: 1}
	for n := range 42 {
		var reply conversation.AssistantMessage
		for c := range 2 {
			reply.Calls = append(reply.Calls, conversation.ToolCall{ID: fmt.Sprintf("%d.%d", n, c), Name: "create_file", Arguments: `{"content":"` + strings.Repeat("word ", 99) + `"}`})
		}
		reply.Stop = conversation.StopCalls
		seq := r.add(reply)
		for _, c := range reply.Calls {
			m.Items = append(m.Items, conversation.MaskItem{Event: seq, Part: conversation.PartArguments, Call: c.ID})
			r.add(conversation.ToolResult{CallID: c.ID, Tool: c.Name, Status: conversation.ResultOK, Text: "written"})
		}
	}
	r.add(conversation.UserMessage{Text: "thanks"})
	r.to(r.pass("", m))
	r.show()
	r.press("enter")
	wants(t, r.screen(), "… 2 more messages")
}

func TestACompactionOpensToWhatItShortened(t *testing.T) {
	t.Parallel()
	r := newRig(t, 120, 40)
	at := r.story()
	r.show()
	r.to(at["mask"])
	wants(t, under(r), "▸ compacted automatically · 1 result masked", "91k → 34k")
	r.press("enter")
	wants(t, under(r), "▾ compacted", "e12‹1›", "188  run_command  go test ./upload")
	r.press("1")
	wants(t, under(r), "go test ./upload -count=10 · failed")
}
