package transcript

import (
	"testing"

	"plimsoll/conversation"
)

// Of a long conversation only what is near the screen is laid out, wherever the user has been.
func TestOnlyWhatIsNearTheScreenIsLaidOut(t *testing.T) {
	t.Parallel()
	x := items{width: 40}
	const n = 3 * maxEntries
	for range n {
		x.entries = append(x.entries, &entry{item: &planned{}})
	}
	for i := range x.entries {
		x.drawn.view++
		x.linesOf(i)
	}
	held := 0
	for i, e := range x.entries {
		if laid := e.item.(*planned).laid; laid != (e.drawing != nil) {
			t.Fatalf("entry %d has lines: %t, its item a layout: %t", i, e.drawing != nil, laid)
		}
		if e.drawing != nil {
			held++
		}
	}
	if held == 0 || held > maxEntries {
		t.Errorf("%d of %d entries keep their lines", held, n)
	}
	last := x.entries[n-1]
	x.remove(n - 1)
	if last.drawing != nil || last.item.(*planned).laid || x.drawn.lines != held-1 {
		t.Errorf("an entry that was removed keeps %v; %d lines are counted, want %d", last, x.drawn.lines, held-1)
	}
	if newReply(conversation.AssistantMessage{Text: "x"}).indent(0) != 2 {
		t.Error("a reply that is not laid out has a text at the edge")
	}
}

// planned is an item of one line that keeps a layout.
type planned struct {
	versioned
	laid bool
}

func (k *planned) draw(*look, int) []string { k.laid = true; return []string{"x"} }
func (k *planned) indent(int) int           { return 0 }
func (k *planned) source(*look) string      { return "x" }
func (k *planned) forget()                  { k.laid = false }
