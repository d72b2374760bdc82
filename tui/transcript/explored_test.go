package transcript_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
)

// Calls that only look fold into one line until they are unfolded; a failed one keeps its own, and anything else ends the run.
func TestCallsThatOnlyLookFold(t *testing.T) {
	t.Parallel()
	read := func(id, path string) conversation.ToolCall { return call(id, "read_file", `{"path":"`+path+`"}`) }
	ok := func(id string) conversation.ToolResult {
		r := result(id, conversation.ResultOK, strings.Repeat("a line of it\n", 100))
		r.Duration = 100 * time.Millisecond
		return r
	}
	r := openTranscript(t, 80, 40, user("go"), calls(read("1", "a/go.mod"), read("2", "Makefile"), call("3", "grep_files", `{"pattern":"TODO","path":"a"}`)), ok("1"))
	r.ToolStarted("2", "")
	r.SetFrame(1)
	r.wantText(t, "    ⠙ exploring 2 files, 1 search · go.mod, Makefile, TODO i…  325 tok · 0.1 s")
	r.add(ok("2"), ok("3"), calls(read("4", "b/go.mod"), read("5", "gone"), call("6", "list_files", `{"path":"."}`), call("7", "grep_files", `{"pattern":"x"}`)),
		ok("4"), result("5", conversation.ResultError, "no such file: gone"), ok("6"), ok("7"))
	line := "    ▸ explored 3 files, 1 folder, 2 searches · go.mod, Make"
	r.wantText(t, line, "  1.9k tok · 0.6 s", "▸ read gone · failed", "no such file")
	r.wantNoText(t, "TODO")
	for _, width := range []int{60, 40, 20, 5, 1} {
		r.SetSize(width, 40)
		wantValidView(t, r.View(), width, 40)
	}
	r.SetSize(80, 40)
	r.add(reply("Well."), calls(read("8", "c.go")), ok("8"))
	r.wantText(t, line, "▸ read c.go")
	r.Press(6, r.row("explored"))
	r.Release()
	r.wantText(t, "▸ read a/go.mod", "▸ search TODO in a", "▸ list .")
	r.wantNoText(t, "explored", "a line of it")
	r.ToggleExpanded()
	r.ToTop()
	r.wantText(t, "▾ read a/go.mod", "a line of it")
	r.ToggleExpanded()
	r.wantText(t, line)
}

// A long message shows what was typed around its paste.
func TestAPasteIsAChip(t *testing.T) {
	t.Parallel()
	log := strings.TrimSuffix(strings.Repeat("2026 ERROR refused\n", 421), "\n")
	for text, want := range map[string]string{
		"see:\n\n" + log + "\n\nwhy?": "  ▌ see:\n  ▌ [pasted 421 lines · 2k tokens]\n  ▌ why?",
		"see: " + log:                 "  ▌ see: 2026 ERROR refused\n  ▌ [pasted 420 lines · 2k tokens]",
		strings.Repeat("word ", 2000): "  ▌ [… 2.5k tokens in all]",
	} {
		r := openTranscript(t, 80, 12, user(text))
		if !strings.HasSuffix(r.screen(), want) {
			t.Errorf("shown as\n%s\nwant\n%s", r.screen(), want)
		}
		r.ToggleExpanded()
		r.wantNoText(t, "[")
	}
}
