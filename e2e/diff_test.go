package e2e_test

import (
	"strings"
	"testing"
)

// The changes of a conversation are one diff for each file, with the file's state on disk.
func TestDiffShowsWhatTheConversationChanged(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, project)
	term := p.start(wide)
	term.awaitIdle("demo model")
	term.sendMessage("/diff")
	term.awaitText("No file was changed in this conversation.")
	term.typeText("q")
	for _, ask := range []string{"replace 42 with 43 in ships.go", "replace 43 with 44 in ships.go", "create fleet.txt with three ships"} {
		term.sendMessage(ask)
		term.awaitQuestion("Allow this?")
		term.typeText("y")
		term.awaitIdle("The result")
	}
	p.writeFile("fleet.txt", "sunk\n")
	term.sendMessage("/diff")
	term.awaitText("Diff", "2 files  +2 −1", "A fleet.txt", "changed since", "The file has changed since this conversation last wrote it.", "1 + three ships")
	term.typeText("]")
	term.awaitText("2 edits  +1 −1", "- func ships() int { return 42 }", "+ func ships() int { return 44 }")
	if shown := term.shown(); shown.has("return 43") {
		t.Errorf("a step in between is shown:\n%s", shown.text)
	}
	term.typeText("[")
	term.awaitText("1 + three ships")
	behind := len(term.written())
	term.typeText("y")
	term.awaitText("copied the diff of fleet.txt")
	if got := term.awaitClipboard(behind); !strings.Contains(got, "+three ships") {
		t.Errorf("the clipboard is given %q", got)
	}
	term.typeText("q")
	term.awaitIdle("▾ create fleet.txt")
}
