package preview_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
	"plimsoll/tui/preview"
	"plimsoll/tui/tuitest"
)

func TestViews(t *testing.T) {
	t.Parallel()
	cannot := masked()
	cannot.Err, cannot.Turns, cannot.Preview, cannot.Then = "nothing to compact: nothing is older than the 3 newest turns, which are left out; --keep-last 0 includes them",
		3, edit.Preview{}, meter.Reading{}
	nothing := masked()
	nothing.Preview = edit.Preview{Profile: "default", Range: edit.Range{To: 8}, Before: 91_200, After: 91_200}
	nothing.Then = nothing.Now
	free, once := -0.0123, 0
	nothing.CostNow, nothing.PaysAfter = &free, &once
	wide := summarised()
	wide.Request.From, wide.Request.To, wide.Turns = bound("1"), bound("140"), 400
	wide.Preview.Range = edit.Range{From: 0, To: 150}
	step := masked()
	step.Preview.Profile, step.Preview.Range.To, step.Turns = "", 0, 2
	step.Preview.Layers = []edit.Layer{{Kind: edit.LayerNote, Events: 2, Saved: 57_100}}
	scenes := []struct {
		name    string
		content preview.Content
		keys    string
	}{
		{"masks", masked(), ""}, {"a summary", summarised(), ""}, {"scrolled", summarised(), "pgdown"}, {"on its way", masked(), "] tab"},
		{"cannot", cannot, ""}, {"nothing changes", nothing, ""}, {"a wider range", wide, ""}, {"a step", step, ""}, {"help", masked(), "?"},
	}
	tuitest.Golden(t, tuitest.Sizes, func(t *testing.T, b *strings.Builder, width, height int) {
		for _, scene := range scenes {
			m := show(scene.content, width, height)
			press(m, scene.keys)
			fmt.Fprintf(b, "%s:\n", scene.name)
			b.WriteString(tuitest.Trim(m.View()))
		}
	})
}

func TestAViewHasItsLinesAndCells(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 9))
	contents := []preview.Content{
		masked(), summarised(), {}, {Err: "no messages yet", Profiles: profiles()}, {Turns: -3, Preview: edit.Preview{
			Profile: "\x1b[2J", Range: edit.Range{From: -9, To: 1 << 60}, BreakAt: 1, Layers: []edit.Layer{{Kind: "\x07", Events: -1 << 60, Saved: math.MinInt}},
			Summary: &edit.SummaryNeed{Model: "\x1b]0;x\x07"}}},
	}
	for width := 1; width <= 200; width += 1 + rng.IntN(9) {
		for height := 1; height <= 60; height += 1 + rng.IntN(7) {
			m := show(contents[rng.IntN(len(contents))], width, height)
			press(m, someKeys(rng, 12))
			tuitest.Fits(t, m, width, height)
		}
	}
}

func someKeys(rng *rand.Rand, n int) string {
	keys := strings.Fields("tab shift+tab left right [ ] { } f v enter esc ? up down pgup pgdown x backspace")
	var b strings.Builder
	for range rng.IntN(n) {
		b.WriteString(keys[rng.IntN(len(keys))] + " ")
	}
	return b.String()
}

func turnsOf(n int) []conversation.Event {
	var log []conversation.Event
	for i := range n {
		at := time.Date(2026, 1, 2, 3, i, 0, 0, time.UTC)
		log = append(log, conversation.Event{Seq: uint64(2*i + 1), Turn: i, Time: at, Body: conversation.UserMessage{Text: "go on"}},
			conversation.Event{Seq: uint64(2*i + 2), Turn: i, Time: at, Body: conversation.AssistantMessage{Text: "done"}})
	}
	return log
}

// After any keys the request is valid: its turns exist, it has one end, and it has a focus or a review only with a summary.
func TestAnyKeysGiveValidRequests(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	firsts := []func(*edit.Request){
		func(*edit.Request) {}, func(w *edit.Request) { w.KeepLast = 1 }, func(w *edit.Request) { w.From, w.To = bound("-2"), bound("-1") },
		func(w *edit.Request) { w.From = bound("5h") }, func(w *edit.Request) { w.Profile, w.Focus = "heavy", "the port" },
		func(w *edit.Request) { w.Focus = "the port" }, func(w *edit.Request) { w.Profile, w.Review = "heavy", true },
	}
	changes := 0
	for range 600 {
		turns := 1 + rng.IntN(14)
		log := turnsOf(turns)
		answer := func(c preview.Content) preview.Content {
			o := edit.RangeOptions{From: c.Request.From, To: c.Request.To, KeepLast: c.Request.KeepLast, Now: time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)}
			if o.KeepLast < 0 {
				o.KeepLast = c.KeepLast
			}
			r, err := edit.ResolveRange(log, o)
			c.Err, c.Busy, c.Preview = "", false, edit.Preview{Range: r, Profile: c.Request.Profile}
			if err != nil {
				c.Err = err.Error()
			}
			if c.Preview.Profile == "" {
				c.Preview.Profile = c.Profile
				if c.Request.Focus != "" {
					c.Preview.Profile = "heavy"
				}
			}
			return c
		}
		c := masked()
		c.Turns = turns
		firsts[rng.IntN(len(firsts))](&c.Request)
		c = answer(c)
		m := show(c, 80, 24)
		for key := range strings.FieldsSeq(someKeys(rng, 60)) {
			switch action := press(m, key).(type) {
			case preview.Changed:
				changes++
				checkRequest(t, action.Request, log, turns)
				c.Request = action.Request
				if rng.IntN(2) == 0 {
					c = answer(c)
					m.Show(c)
				}
			case preview.Accepted:
				checkRequest(t, action.Request, log, turns)
			case pane.Closed:
				m.Show(c)
			}
		}
	}
	if changes < 1000 {
		t.Errorf("only %d wishes were made", changes)
	}
}

func checkRequest(t *testing.T, w edit.Request, log []conversation.Event, turns int) {
	t.Helper()
	if w.To != nil && w.KeepLast >= 0 {
		t.Fatalf("%+v says twice where it ends", w)
	}
	if (w.Focus != "" || w.Review) && w.Profile != "heavy" && w.Profile != "" {
		t.Fatalf("%+v asks a profile for a summary that makes none", w)
	}
	own := func(b *edit.Bound) bool { // made by the keys, not by who typed the command
		return b == nil || !strings.ContainsAny(b.String(), "-h")
	}
	if w.To == nil || !own(w.From) || !own(w.To) {
		return // by default there may be nothing that is old enough
	}
	r, err := edit.ResolveRange(log, edit.RangeOptions{From: w.From, To: w.To})
	if err != nil || r.From < 0 || r.From > r.To || r.To >= turns {
		t.Fatalf("from %v to %v of %d turns: %v, %v", w.From, w.To, turns, r, err)
	}
}
