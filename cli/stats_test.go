package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestStatsCountRequestsOnceAndCompactionsInForce(t *testing.T) {
	t.Parallel()
	var log conversation.Log
	now := time.Date(2026, 5, 2, 12, 0, 0, 0, time.Local)
	add := func(day int, bodies ...conversation.Body) uint64 {
		events := log.Prepare(now.AddDate(0, 0, day), bodies...)
		conversationtest.Must(t, log.Commit(events))
		now = now.Add(time.Second)
		return events[0].Seq
	}
	cost := 0.5
	request := func(day, prompt, cached int) {
		reply := add(day, conversation.AssistantMessage{Text: "a", Stop: conversation.StopEnd})
		add(day, conversation.Usage{Reply: reply, Prompt: prompt, Cached: cached, Completion: 100, CostUSD: &cost, BodyHash: "x"})
	}
	compact := func(after int) uint64 {
		return add(0, conversation.Drop{Origin: conversation.Origin{Source: conversation.SourceAuto, Before: 1000, After: after}, Spans: []conversation.Span{{First: 1, Last: 1}}})
	}
	add(-9, conversation.UserMessage{Text: "a"})
	request(-9, 7_000, 0) // before the first day
	request(-1, 2_000, 500)
	compact(400)
	request(0, 1_000, 1_000)
	request(0, 1_000, 1_000)
	undone := compact(300)
	add(0, conversation.Revert{Event: undone})
	days := []statsRow{{Date: "2026-05-01"}, {Date: "2026-05-02"}}
	at, counted := map[string]*statsRow{days[0].Date: &days[0], days[1].Date: &days[1]}, map[string]bool{}
	countLog(log.Events(), at, counted)
	countLog(log.Events(), at, counted) // as a fork has them
	request(0, 1_000, 5_000)            // more from the cache than was sent
	countLog(log.Events(), at, counted)
	total := statsRow{usages: append(days[0].usages, days[1].usages...)}
	for _, r := range []*statsRow{&days[0], &days[1], &total} {
		r.addCosts()
	}
	if d := days[1]; d.Requests != 3 || d.Prompt != 3_000 || *d.CachedShare != 1 || *d.CostUSD != 1.5 || d.Compactions != 1 || d.Saved != 1_800 || total.Requests != 4 {
		t.Errorf("counted are %+v", d)
	}
	var out bytes.Buffer
	conversationtest.Must(t, (&statsCommand{app: newApp(console.Env{Stdout: &out}, setup.Flags{})}).draw(days, total))
	for _, want := range []string{"Fri 1 May  " + strings.Repeat("█", 15) + strings.Repeat("░", 4) + strings.Repeat(" ", 9) + "    2k", "Sat 2 May  " + strings.Repeat("░", 28), "100%", "$2.00", "4 requests in 2 days."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the picture lacks %q:\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > 81 {
			t.Errorf("a line is wider than 80 cells: %q", line)
		}
	}
}
