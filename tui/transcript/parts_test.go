package transcript

import (
	"testing"
)

func TestOnlyEntriesNearTheScreenKeepTheirLines(t *testing.T) {
	t.Parallel()
	x := items{width: 40}
	const n = 3 * maxEntries
	for range n {
		x.entries = append(x.entries, &entry{item: &fakeItem{}})
	}
	for i := range x.entries {
		x.cache.view++
		x.linesOf(i)
	}
	cached := 0
	for i, e := range x.entries {
		if hasLayout := e.item.(*fakeItem).hasLayout; hasLayout != (e.drawing != nil) {
			t.Fatalf("entry %d has lines: %t, its item a layout: %t", i, e.drawing != nil, hasLayout)
		}
		if e.drawing != nil {
			cached++
		}
	}
	if cached == 0 || cached > maxEntries {
		t.Errorf("%d of %d entries keep their lines", cached, n)
	}
	last := x.entries[n-1]
	x.cache.forget(last)
	if last.drawing != nil || last.item.(*fakeItem).hasLayout || x.cache.lines != cached-1 {
		t.Errorf("an entry that was removed keeps %v; %d lines are counted, want %d", last, x.cache.lines, cached-1)
	}
	if (&replyItem{text: "x"}).indent(0) != 2 {
		t.Error("a reply that is not laid out has no indentation")
	}
}

// fakeItem is an item of one line that keeps a layout.
type fakeItem struct {
	versioned
	hasLayout bool
}

func (k *fakeItem) draw(*drawOptions, int) []string { k.hasLayout = true; return []string{"x"} }
func (k *fakeItem) indent(int) int                  { return 0 }
func (k *fakeItem) source(*drawOptions) string      { return "x" }
func (k *fakeItem) forget()                         { k.hasLayout = false }
