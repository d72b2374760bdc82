package history_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui/history"
)

// newLongRig returns a history of n events. Results have 1 KB; half of them are masked, and the first tenth is summarised.
func newLongRig(b *testing.B, n int) (*rig, history.Content) {
	b.Helper()
	r := newRig(b, 120, 40)
	var results []uint64
	tenth := uint64(0)
	for r.log.Len() < n-10 {
		r.add(conversation.UserMessage{Text: fmt.Sprintf("question %d, of a line or so, about something.go %s", r.log.Len(), strings.Repeat("and so on ", 90))})
		results = append(results, r.call("read_file", `{"path":"a/b/c.go"}`, strings.Repeat("a line of the file\n", 54), conversation.ResultOK))
		end := r.add(conversation.AssistantMessage{Text: strings.Repeat("An answer of some words. ", 40), Stop: conversation.StopEnd})
		if tenth == 0 && r.log.Len() > n/10 {
			tenth = end
		}
	}
	r.compact("masked", maskOf(results[:len(results)/2]...))
	r.compact("summarised", conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion,
		Spans: []conversation.Span{{First: 1, Last: tenth}}, Text: summary})
	return r, r.content()
}

// Budget: 20 ms from a log to the first screen, at 10,000 events.
func BenchmarkShow(b *testing.B) {
	r, c := newLongRig(b, 10_000)
	for b.Loop() {
		r.Show(c)
		r.View()
	}
}

// Budget: 4 ms, at 1,000 events as at 100,000.
func BenchmarkScroll(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r, c := newLongRig(b, n)
			r.Show(c)
			r.press("g")
			i := 0
			for b.Loop() {
				if i++; i%(n/2) == 0 {
					r.press("g")
				}
				r.press("j")
				r.View()
			}
		})
	}
}

// Budget: 50 ms for a letter of a search, over 10,000 events of 1 KB.
func BenchmarkSearchLetter(b *testing.B) {
	r, c := newLongRig(b, 10_000)
	r.Show(c)
	r.press("/")
	r.typeText("nowhere")
	for b.Loop() {
		r.press("x")
		r.View()
		r.press("backspace")
	}
}

// Budget: 5 ms after one more event, at 10,000.
func BenchmarkRefresh(b *testing.B) {
	r, c := newLongRig(b, 10_000)
	r.Show(c)
	r.View()
	r.add(conversation.UserMessage{Text: "one more"})
	d := c
	d.Log = r.log.Events()
	d.View = c.View.Extend(d.Log)
	for b.Loop() {
		r.Refresh(d)
		r.View()
	}
}
