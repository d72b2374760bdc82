package breakdown_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/themes"
	"plimsoll/tui/breakdown"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

func TestViews(t *testing.T) {
	t.Parallel()
	scenes := []struct {
		name    string
		content breakdown.Content
		keys    []string
	}{
		{"top", busy(), nil},
		{"explained", busy(), []string{"down", "?"}},
		{"further down", busy(), []string{"pgdown"}},
		{"end", busy(), []string{"end", "?"}},
		{"fresh", fresh(), nil},
		{"above the hard line", full(), nil},
	}
	tuitest.Golden(t, tuitest.Sizes, func(t *testing.T, b *strings.Builder, width, height int) {
		for _, s := range scenes {
			m := open(s.content, "mono", width, height)
			for _, k := range s.keys {
				m.View()
				m.Update(tuitest.Key(k))
			}
			fmt.Fprintf(b, "%s\n%s\n", s.name, lines(m))
		}
	})
}

func TestKeysOnItems(t *testing.T) {
	t.Parallel()
	locked := busy()
	locked.ReadOnly = true
	say := func(text string) pane.Action { return pane.Snackbar{Text: text} }
	prompt := func(participle string) pane.Action {
		return say("The system prompt and the tools go with every request: they cannot be " + participle + ".")
	}
	only := func(participle string) pane.Action {
		return say("Only one of the heaviest items can be " + participle + ": move to it first.")
	}
	shut := say("This conversation is read only.")
	for _, c := range []struct {
		content breakdown.Content
		on, key string
		want    pane.Action
	}{
		{busy(), "go test ./upload", "enter", pane.Jump{Event: 41}},
		{busy(), "go test ./upload", "p", pane.Pin{Events: []uint64{41}, Pinned: true}},
		{busy(), "go test ./upload", "m", pane.Mask{Events: []uint64{41}}},
		{busy(), "go test ./upload", "c", pane.Preview{}},
		{busy(), "请修复", "p", pane.Pin{Events: []uint64{60}, Pinned: false}},
		{busy(), "请修复", "m", say("Only tool results and call arguments can be shortened.")},
		{busy(), "modify_file", "m", pane.Mask{Events: []uint64{64}}},
		{busy(), "git log --stat", "m", say("It is shortened already.")},
		{busy(), "summary of turns", "m", say("It is no longer sent in full: there is nothing left to shorten.")},
		{busy(), "system prompt", "c", pane.Preview{}},
		{busy(), "definitions of 14", "enter", prompt("gone to")},
		{busy(), "definitions of 14", "p", prompt("pinned")},
		{busy(), "definitions of 14", "m", prompt("shortened")},
		{busy(), "load line", "enter", only("gone to")},
		{busy(), "load line", "p", only("pinned")},
		{busy(), "load line", "m", only("shortened")},
		{locked, "go test ./upload", "enter", pane.Jump{Event: 41}},
		{locked, "go test ./upload", "p", shut},
		{locked, "go test ./upload", "m", shut},
		{busy(), "tokens", "q", pane.Closed{}},
		{busy(), "tokens", "esc", pane.Closed{}},
		{busy(), "tokens", "x", pane.Ignored{}},
		{busy(), "tokens", "down", nil},
	} {
		m := open(c.content, "mono", 120, 40)
		if !to(m, c.on) {
			t.Fatalf("no row with %q", c.on)
		}
		if diff := cmp.Diff(c.want, m.Update(tuitest.Key(c.key))); diff != "" {
			t.Errorf("%s on %q:\n%s", c.key, c.on, diff)
		}
	}
}

func TestTheCursorStaysOnItsItem(t *testing.T) {
	t.Parallel()
	c := busy()
	m := open(c, "mono", 120, 40)
	to(m, "upload/server.go")
	next := busy()
	items := next.Breakdown.Heaviest
	items[0], items[2] = items[2], items[0]
	next.Breakdown.Heaviest = append([]inspect.Item{{Event: 99, Label: "new and heavy", Tokens: 9_000, Kind: projection.Results}}, items...)
	m.Show(next)
	if diff := cmp.Diff(pane.Action(pane.Jump{Event: 52}), m.Update(tuitest.Key("enter"))); diff != "" {
		t.Error(diff)
	}
	m.Show(breakdown.Content{})
	m.View()
	if _, ok := m.Update(tuitest.Key("enter")).(pane.Snackbar); !ok {
		t.Error("enter works on an item that is no longer listed")
	}
}

func randomContent(rng *rand.Rand) breakdown.Content {
	words := []string{"a ", "漢字", "\x1b[31m", "\u202e", "👨‍👩‍👧", "\n", "\t", "e\u0301", "ﷺ", "\xff", "\x1b]0;x\x07", "क्षि"}
	text := func() string {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(words[rng.IntN(len(words))])
		}
		return b.String()
	}
	c := breakdown.Content{Title: text(), Model: text(), Priced: text(), Cold: rng.IntN(2) == 0, Paused: rng.IntN(2) == 0}
	c.Reading = meter.Reading{Used: rng.IntN(300_000), CachedShare: rng.Float64()*2 - 1, Estimated: rng.IntN(2) == 0}
	if rng.IntN(4) > 0 {
		w := 1 + rng.IntN(400_000)
		c.Reading.Window = meter.Window{Tokens: w, Source: meter.WindowFlag}
		c.Reading.LoadLine, c.Reading.HardLine, c.Reading.Reserve = rng.IntN(w+1), rng.IntN(w+1), rng.IntN(w+1)
	}
	for i := range c.Reading.Segments {
		c.Reading.Segments[i] = rng.IntN(3) * rng.IntN(90_000)
	}
	c.Reading.AfterSend = c.Reading.Used + rng.IntN(2)*rng.IntN(90_000)
	c.Breakdown.Forecast = planner.Forecast{Timing: planner.Timing{State: planner.TimingReady, AtTokens: rng.IntN(9)}, Rule: text()}
	states := []projection.State{projection.StateVerbatim, projection.StateMasked, projection.StatePinned, projection.State(text())}
	for range rng.IntN(14) {
		c.Breakdown.Heaviest = append(c.Breakdown.Heaviest, inspect.Item{
			Event: uint64(rng.IntN(4)), Turn: rng.IntN(1_000_000), Kind: projection.Segment(rng.IntN(9)), Label: text(), Why: text(),
			Tokens: rng.IntN(1_000_000), Original: rng.IntN(1_000_000), State: states[rng.IntN(4)],
		})
	}
	for range rng.IntN(6) {
		c.Breakdown.Savings = append(c.Breakdown.Savings, inspect.Saving{Kind: text(), Items: rng.IntN(99), Tokens: rng.IntN(100) - 50})
	}
	return c
}

func TestViewsFitWithRandomContent(t *testing.T) {
	t.Parallel()
	keys := []string{"down", "down", "pgdown", "up", "end", "home", "?", "G", "j"}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := open(randomContent(rng), themes.PlimsollDark, 80, 24)
		for range 30 {
			width, height := 1+rng.IntN(200), 1+rng.IntN(60)
			m.SetSize(width, height)
			m.Update(tuitest.Key(keys[rng.IntN(len(keys))]))
			if rng.IntN(4) == 0 {
				m.Show(randomContent(rng))
			}
			tuitest.Fits(t, m, width, height)
		}
	}
}

// Each iteration shows another reading and draws it, as for each token of a reply.
// Budget: 1 ms.
func BenchmarkShow(b *testing.B) {
	c := busy()
	m := open(c, themes.PlimsollDark, 120, 40)
	for b.Loop() {
		c.Reading.Used++
		m.Show(c)
		m.View()
	}
}
