package agent

import (
	"context"
	"slices"
	"strings"
	"time"

	"plimsoll/compact/planner"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// In a long pause the provider's cache expires. Where Options.KeepWarm allows it, a ping renews it shortly before that: the
// newest request, sent again for one token of reply. Rules:
//
//   - It is sent where the user's pauses let it save more than it costs, and only while nothing else goes on. What the user sends
//     stops it.
//   - Of its reply only the usage is kept, in the log.
//   - A failed ping is the last until the next reply. A ping that finds nothing in the cache is the last of the program's run:
//     the provider does not keep the prompt as long as is assumed.

// maxPings is the largest number of pings in a pause.
const maxPings = 2

// warmer sends pings. It belongs to the owner of the conversation.
type warmer struct {
	*Agent
	isOn func() bool // nil: the user does not want it

	isRunning bool
	cancel    context.CancelFunc // stops the newest ping
	pings     int                // since the reply that event after reports
	after     uint64
}

// idle sends a ping if one is due. Otherwise it returns a channel that receives when one may be, nil if none will be. It is
// called while the conversation is idle.
func (w *warmer) idle(ctx context.Context) <-chan time.Time {
	j, m, now := w.journal, w.journal.Model(), w.journal.Now()
	if w.isOn == nil || !w.isOn() || w.isRunning || !j.Interactive || !w.requester.answeredModels[m.Name()] || w.compactor.HasPendingSummary() || len(w.questions.open) > 0 {
		return nil
	}
	sheet := m.Sheet()
	last, changed := j.LastReport(m)
	if w.after != last.Seq {
		w.after, w.pings = last.Seq, 0
	}
	reply, _ := last.Body.(conversation.Usage)
	switched := slices.ContainsFunc(j.Events()[last.Seq:], func(e conversation.Event) bool { return e.Body.Kind() == conversation.KindModel }) // such as another effort
	if w.pings >= maxPings || changed || switched || m.NoCache || sheet.Unpriced || sheet.Lifetime <= 0 || reply.Through == 0 ||
		j.Request(nil).PrefixChanged > last.Seq || strings.Contains(reply.WireForm, "budget=") { // one token is too few for thinking
		return nil
	}
	left := last.Time.Add(sheet.Lifetime).Sub(now)
	if early := left - min(sheet.Lifetime/5, time.Minute); early > 0 {
		return time.After(early)
	}
	events, evictions := j.Events(), planner.EvictionSizes(j.Rules(), j.Meter())
	messages, err := projection.Harden(projection.Project(events[:reply.Through]), m.Caps)
	if err != nil || left <= 0 || m.PingSaves(events, float64(reply.Prompt), evictions, now.Sub(events[last.Seq-1].Time), left) <= 0 {
		return nil
	}
	r := j.Request(messages)
	r.MaxTokens, w.isRunning = 1, true
	w.pings++
	ctx, cancel := context.WithTimeout(ctx, left)
	w.cancel = cancel
	w.running.Go(func() {
		defer cancel()
		rep, err := w.AskModel(ctx, m.Name(), conversation.PurposeWarm, r)
		w.inbox.Put(func(context.Context) {
			if w.isRunning = false; err != nil {
				w.pings = maxPings
			} else if rep.Usage != nil && rep.Usage.Cached == 0 {
				w.isOn = nil
			}
		})
	})
	return nil
}
