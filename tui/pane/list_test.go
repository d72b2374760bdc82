package pane_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

// heights are rows with these numbers of lines. Each line names its row and line. The row with the cursor has grows more
// lines.
type heights struct {
	tall  []int
	grows int
	drawn *int // how many rows were drawn, if somebody counts
}

func (h heights) Len() int { return len(h.tall) }

func (h heights) Lines(row int, selected bool, width int) []string {
	if h.drawn != nil {
		*h.drawn++
	}
	n := h.tall[row]
	if selected {
		n += h.grows
	}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%d/%d", row, i)
		if selected {
			out[i] += "<"
		}
	}
	return out
}

func rows(n int) heights { return heights{tall: slices.Repeat([]int{1}, n)} }

func randomRows(rng *rand.Rand) heights {
	h := heights{tall: make([]int, rng.IntN(30)), grows: rng.IntN(2) * rng.IntN(6)}
	for i := range h.tall {
		h.tall[i] = 1 + rng.IntN(3)
		if rng.IntN(8) == 0 {
			h.tall[i] = 1 + rng.IntN(25)
		}
	}
	return h
}

func anyMove(rng *rand.Rand, height int) tea.Msg {
	names := []string{"up", "down", "j", "k", "pgup", "pgdown", "home", "end", "ctrl+u", "ctrl+d", "G", "g"}
	switch rng.IntN(10) {
	case 0:
		return tea.MouseWheelMsg{Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[rng.IntN(2)]}
	case 1:
		return tea.MouseClickMsg{Button: tea.MouseLeft, Y: rng.IntN(height+8) - 2}
	}
	return tuitest.Key(names[rng.IntN(len(names))])
}

func TestTheRowWithTheCursorIsVisibleAfterAnyMove(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var l pane.List
		h, height := randomRows(rng), rng.IntN(14)
		l.SetSize(20, height)
		for range 60 {
			switch rng.IntN(12) {
			case 0:
				height = rng.IntN(14)
				l.SetSize(20, height)
			case 1:
				h = randomRows(rng) // rows come, go and change their heights
			case 2:
				l.Select(h, rng.IntN(40)-5)
			case 3:
				l.Scroll(h, rng.IntN(60)-30)
			default:
				l.Update(h, anyMove(rng, height), pane.DefaultMoves(), 0)
			}
			mustShow(t, &l, h, height)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

// mustShow checks a view: its height, the cursor, that its lines follow each other
// and that no line is left empty that could show one.
func mustShow(t *testing.T, l *pane.List, h heights, height int) {
	t.Helper()
	view := l.View(h)
	if len(view) > height {
		t.Errorf("%d lines of %d: %q", len(view), height, view)
	}
	sel := l.Selected(h)
	if h.Len() == 0 {
		if len(view) > 0 || sel != -1 {
			t.Errorf("without rows: %q, cursor on %d", view, sel)
		}
		return
	}
	if height > 0 && !slices.ContainsFunc(view, func(line string) bool { return strings.HasSuffix(line, "<") }) {
		t.Errorf("row %d is not in sight: %q", sel, view)
	}
	var all []string
	for row := range h.Len() {
		all = append(all, h.Lines(row, row == sel, 20)...)
	}
	if len(view) < min(height, len(all)) {
		t.Errorf("%d lines are shown of %d where there is room for %d", len(view), len(all), height)
	}
	if len(view) == 0 {
		return
	}
	at := slices.Index(all, view[0])
	if at < 0 || at+len(view) > len(all) {
		t.Fatalf("%q is no part of %q", view, all)
	}
	if diff := cmp.Diff(all[at:at+len(view)], view); diff != "" {
		t.Errorf("lines are not in their order:\n%s", diff)
	}
	for y, line := range view {
		if row := l.At(h, y); !strings.HasPrefix(line, fmt.Sprintf("%d/", row)) {
			t.Errorf("line %d is said to be of row %d: %q", y, row, line)
		}
	}
}

func TestSteppingReachesEveryLine(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		h := randomRows(rng)
		var l pane.List
		l.SetSize(20, 1+rng.IntN(12))
		seen := map[string]bool{}
		walk := func(by int) {
			for range 600 {
				for _, line := range l.View(h) {
					seen[strings.TrimSuffix(line, "<")] = true
				}
				l.Step(h, by)
			}
		}
		for _, by := range []int{1, -1} {
			clear(seen)
			walk(by)
			for row, n := range h.tall {
				for i := range n {
					if line := fmt.Sprintf("%d/%d", row, i); !seen[line] {
						t.Fatalf("seed %d, by %d: line %s never came in sight", seed, by, line)
					}
				}
			}
		}
	}
}

func TestClicksBesideTheListSelectNothing(t *testing.T) {
	t.Parallel()
	var l pane.List
	h := rows(50)
	l.SetSize(20, 5)
	l.Scroll(h, 10)
	for y, want := range map[int]int{1: 10, 2: 10, 3: 11, 6: 14, 7: 10, 30: 10} {
		l.Select(h, 10)
		l.Update(h, tea.MouseClickMsg{Button: tea.MouseLeft, Y: y}, pane.DefaultMoves(), 2)
		if got := l.Selected(h); got != want {
			t.Errorf("a click on line %d selects row %d, want %d", y, got, want)
		}
	}
}

func TestOnlyVisibleRowsAreDrawn(t *testing.T) {
	t.Parallel()
	h, drawn := rows(100_000), 0
	h.drawn = &drawn
	var l pane.List
	l.SetSize(20, 30)
	for _, move := range []func(){
		func() {}, func() { l.Step(h, 1) }, func() { l.ToEnd(h) }, func() { l.Scroll(h, -5) }, func() { l.Select(h, 500) },
		func() { l.SetSize(20, 40) }, func() { l.ToTop(h) },
	} {
		drawn = 0
		move()
		l.View(h)
		if drawn > 200 {
			t.Errorf("%d rows were drawn for a view of 40 lines", drawn)
		}
	}
}
