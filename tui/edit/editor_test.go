package edit_test

import (
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tui/edit"
)

func TestALargePasteIsFolded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of a log\n", 200)
	folding := func() *edit.Editor {
		return edit.NewEditor(edit.NewBuffer(func(s conversation.Size) int { return s.ASCII }))
	}
	e := folding()
	e.Enter("see ")
	e.Enter(long)
	if e.Text() != "see "+long || e.Lines() != 1 || e.Size() != conversation.Measure("see "+long) {
		t.Errorf("%d lines, %v, %d bytes", e.Lines(), e.Size(), len(e.Text()))
	}
	if _, _, label := e.Atom(e.Line(0)[len("see "):]); label != "[pasted 1: 200 lines, ~3.2k tokens]" {
		t.Errorf("the paste is labelled %q", label)
	}
	other := folding()
	other.InsertDraft(e.Draft())
	e.Remove(e.Left(), e.At())
	if e.Text() != "see " || e.Size() != conversation.Measure("see ") {
		t.Errorf("without the paste: %q, %v", e.Text(), e.Size())
	}
	if other.Text() != "see "+long || other.Size() != conversation.Measure("see "+long) {
		t.Errorf("grafted: %v, %d bytes", other.Size(), len(other.Text()))
	}
	open := edit.NewBuffer(nil)
	open.Enter(long)
	if open.Lines() != 201 {
		t.Errorf("a buffer that folds nothing has %d lines", open.Lines())
	}
}
