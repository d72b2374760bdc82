package transcript

import (
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
)

// lined is an item of some lines.
type lined struct {
	versioned
	lines []string
}

func (l *lined) draw(*look, int) []string { return slices.Clone(l.lines) }
func (l *lined) indent(int) int           { return 0 }
func (l *lined) source() string           { return strings.Join(l.lines, "\n") }

// page is items of so many lines each, "0.0" the first line of the first, in a view of a height.
func page(height int, sizes ...int) *scroll {
	x := &items{width: 40}
	for i, n := range sizes {
		it := &lined{}
		for line := range n {
			it.lines = append(it.lines, string(rune('0'+i))+"."+string(rune('0'+line)))
		}
		x.entries = append(x.entries, &entry{item: it})
	}
	return &scroll{items: x, height: height, position: position{follow: true}}
}

func (s *scroll) shown() string {
	var out []string
	for _, p := range s.rows() {
		out = append(out, strings.TrimSpace(s.items.text(p)))
	}
	return strings.Join(out, "|")
}

// The parts of the transcript stand alone: scroll and selection need items, and no log.
func TestScrollKeepsItsPlaceInItems(t *testing.T) {
	t.Parallel()
	s := page(3, 2, 3, 2)
	for _, c := range []struct {
		name string
		do   func()
		want string
	}{
		{"it follows the end", func() {}, "|2.0|2.1"},
		{"a line up", func() { s.by(-1) }, "1.2||2.0"},
		{"an item that goes above", func() { s.remove(s.items.entries[0]) }, "1.2||2.0"},
		{"the top", s.toTop, "1.0|1.1|1.2"},
		{"while the mouse is down nothing moves", func() {
			s.by(99)
			s.held = true
			s.items.entries = append(s.items.entries, &entry{item: &lined{lines: []string{"3.0"}}})
		}, "|2.0|2.1"},
		{"then it follows again", func() { s.held = false }, "2.1||3.0"},
	} {
		c.do()
		if got := s.shown(); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

func TestSelectionCopiesWhatIsMarked(t *testing.T) {
	t.Parallel()
	m := selection{scroll: page(4, 2, 1)}
	m.press(3, 0, time.Time{})
	m.drag(2, 3)
	if got := m.copied(m.scroll.rows()); got != "0\n0.1\n\n1." || !m.scroll.held {
		t.Errorf("copied %q", got)
	}
	m.clear()
	if m.on || m.scroll.held {
		t.Error("a cleared selection marks text")
	}
}

func TestOverlaysOfACompactionAreOneLine(t *testing.T) {
	t.Parallel()
	var o overlays
	var pushed []item
	made := conversation.Made{Epoch: 5}
	mask := conversation.Mask{Items: []conversation.MaskItem{{Event: 2, Part: conversation.PartResult}}}
	mask.Made = made
	limit := conversation.Cap{}
	limit.Made = made
	for i, b := range []conversation.Body{mask, limit} {
		o.add(conversation.Event{Seq: uint64(5 + i), Time: time.Unix(0, 0), Body: b}, func(it item) { pushed = append(pushed, it) })
	}
	if len(pushed) != 1 || len(o.lines) != 1 || o.lines[0].parts != 2 {
		t.Errorf("%d lines for two overlays of a compaction", len(pushed))
	}
	o.add(conversation.Event{Seq: 7, Body: conversation.Revert{Epoch: 5}}, nil)
	o.judge(nil)
	if !o.lines[0].undone() {
		t.Error("the line does not say that it was undone")
	}
}

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
func (k *planned) source() string           { return "x" }
func (k *planned) forget()                  { k.laid = false }
