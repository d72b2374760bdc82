package e2e_test

import (
	"strings"
	"testing"
)

// The changes of a conversation are one diff for each file, with the file's state on disk.
func TestDiffShowsWhatTheConversationChanged(t *testing.T) {
	t.Parallel()
	p := newPlace(t, project)
	term := p.start(wide)
	term.idle("demo model")
	term.say("/diff")
	term.see("No file was changed in this conversation.")
	term.typed("q")
	for _, ask := range []string{"replace 42 with 43 in ships.go", "replace 43 with 44 in ships.go", "create fleet.txt with three ships"} {
		term.say(ask)
		term.asked("Allow this?")
		term.typed("y")
		term.idle("The result")
	}
	p.write("fleet.txt", "sunk\n")
	term.say("/diff")
	term.see("Diff", "2 files  +2 −1", "A fleet.txt", "changed since", "The file has changed since this conversation last wrote it.", "1 + three ships")
	term.typed("]")
	term.see("2 edits  +1 −1", "- func ships() int { return 42 }", "+ func ships() int { return 44 }")
	if shown := term.shown(); shown.has("return 43") {
		t.Errorf("a step in between is shown:\n%s", shown.text)
	}
	term.typed("[")
	term.see("1 + three ships")
	behind := len(term.written())
	term.typed("y")
	term.see("copied the diff of fleet.txt")
	if got := term.clipboard(behind); !strings.Contains(got, "+three ships") {
		t.Errorf("the clipboard is given %q", got)
	}
	term.typed("q")
	term.idle("▾ create fleet.txt")
}
