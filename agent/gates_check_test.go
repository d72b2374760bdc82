package agent_test

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What must hold of a conversation after whatever happened to it.

// costs is what a log says that was paid, and for how many requests.
func costs(events []conversation.Event) (usd float64, requests int) {
	for _, e := range events {
		if u, isUsage := e.Body.(conversation.Usage); isUsage && u.CostUSD != nil {
			usd += *u.CostUSD
			requests++
		}
	}
	return usd, requests
}

// consistent checks a conversation in which nothing moves any more, and ends it.
func (c *course) consistent() {
	c.t.Helper()
	if !c.gone {
		if len(c.watch.Phases()) > 0 {
			c.idle()
		}
		c.sends("and then")
		c.wait()
		all := said(c.memory.Events())
		if n := len(all); n < 2 || !strings.HasPrefix(all[n-2], "user and then") || !strings.HasPrefix(all[n-1], "assistant stop") {
			c.t.Errorf("the conversation does not go on: %.80q, failures %v", all[max(0, n-2):], c.failures())
		}
		c.idle()
		c.measured()
		if failed, waiting := c.failures(), c.memory.Waiting(); len(failed) > 0 || len(waiting) > 0 {
			c.t.Errorf("told failures %v, and %v wait", failed, waiting)
		}
		if err := c.stop(); err != nil {
			c.t.Errorf("Run: %v", err)
		}
		c.watched()
	}
	events := c.memory.Events()
	checkLog(c.t, events)
	for _, what := range c.provider.wrong {
		c.t.Error(what)
	}
	if c.provider.running != 0 {
		c.t.Errorf("%d streams outlived the agent", c.provider.running)
	}
	if diff := cmp.Diff(c.sent, c.answered()); diff != "" {
		c.t.Errorf("of what was said: %s", diff)
	}
	if usd, _ := costs(events); usd != c.provider.paid {
		c.t.Errorf("the log has costs of %v, and %v were paid", usd, c.provider.paid)
	}
	c.epochs()
	c.summaries(events)
	c.valid(events)
}

// measured checks that the meter is that of somebody who opens the log now.
func (c *course) measured() {
	c.t.Helper()
	var o core.Options
	withTools(slowLooked(), compactTool())(&o)
	o.System = "be brief"
	c.options(&o)
	o.Stored.ID = "conversation"
	fresh, err := agent.New(o)
	if err != nil {
		c.t.Fatal(err)
	}
	if diff := cmp.Diff(fresh.Meter().Reading(), c.reading()); diff != "" {
		c.t.Errorf("the meter is not that of the log: %s", diff)
	}
}

// valid checks that what is stored can be sent.
func (c *course) valid(events []conversation.Event) {
	c.t.Helper()
	messages, err := projection.Harden(projection.Project(append(events, conversation.Event{
		Seq: uint64(len(events) + 1), Turn: events[len(events)-1].Turn + 1, Body: conversation.UserMessage{Text: "more"},
	})), c.model.Caps)
	if err != nil {
		c.t.Fatal(err)
	}
	var w whim
	w.inspect(messages)
	for _, what := range w.wrong {
		c.t.Errorf("the stored view: %s", what)
	}
}

// watched checks what one run told: every summary that was begun came to one end,
// every compaction was told once, and none was made right after an undo.
func (c *course) watched() {
	c.t.Helper()
	var open *updates.Compacting
	undone, used, hard, window, room, prepared := 0, 0, 0, 0, 0, 0
	newest, masks := uint64(0), map[uint64]bool{} // of epochs; and those by hand
	if _, waits := c.waiting(); waits {
		c.t.Error("a summary waits for its reader when the program has ended")
	}
	for _, u := range c.watch.Updates() {
		switch u := u.(type) {
		case updates.Metered:
			r := u.Meter.Reading()
			used, hard, window = r.Used, r.HardLine, r.Window.Tokens
		case updates.Compacting:
			if open != nil && open.Since.Equal(u.Since) && open.Focus == u.Focus {
				continue
			}
			if open != nil {
				c.t.Errorf("%+v is begun while %+v is written", u, *open)
			}
			open, room = &u, window
			if u.Source == conversation.SourceAuto && undone > 0 && used < undone+min(20_000, window/5) && used <= hard && !c.configured {
				c.t.Errorf("after an undo at %d a summary is begun at %d", undone, used)
			}
		case updates.Prepared:
			open, prepared = nil, prepared+1
		case updates.Appended:
			for _, e := range u.Events {
				if e.Body.Kind().Overlay() {
					newest = conversation.EpochOf(e)
				}
			}
		case updates.Edited:
			if u.Err == nil && u.What == updates.EditMask {
				c.told[newest]++
				masks[newest] = true
			}
		case updates.Compacted:
			switch {
			case masks[u.Epoch]: // says nothing of what the user thinks of passes
			case u.Undone:
				undone = u.Preview.After
			default:
				undone = 0
			}
			if !u.Undone && !u.Redone {
				c.told[u.Epoch]++
			}
			if c.summarised(u.Epoch) && !u.Undone && !u.Redone {
				if prepared > 0 && (open == nil || open.Source != conversation.SourceManual) {
					prepared--
					continue
				}
				if open == nil || window < room {
					c.t.Errorf("%+v is made: begun %t, in a window of %d, and now it is %d", u, open != nil, room, window)
				}
				open = nil
			}
		case updates.CompactionFailed:
			reversal := u.Request.Trigger == string(edit.OpUndo) || u.Request.Trigger == string(edit.OpRedo)
			switch {
			case reversal:
			case prepared > 0 && u.Request.Source == conversation.SourceAuto:
				prepared--
			case open != nil && open.Focus == u.Request.Focus:
				open = nil
			case u.Err.Class == llm.Cancelled:
				c.t.Errorf("%+v is given up and was not begun", u.Request)
			}
		}
	}
	if open != nil {
		c.t.Errorf("nothing came of %+v", *open)
	}
}

var accountNumber = regexp.MustCompile(`ACCOUNT (\d+): `)

// accountOf is the number of a summary that a model wrote, 0 of any other.
func accountOf(s conversation.Summary) int {
	found := accountNumber.FindStringSubmatch(s.Text)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // digits
	return n
}

// summarised reports whether an epoch has a summary that a model wrote.
func (c *course) summarised(epoch uint64) bool {
	return slices.ContainsFunc(c.memory.Events(), func(e conversation.Event) bool {
		s, isSummary := e.Body.(conversation.Summary)
		return isSummary && s.Made.Epoch == epoch && accountOf(s) != 0
	})
}

// epochs checks that the overlays of each epoch stand side by side in one
// transaction of their own, and were told once.
func (c *course) epochs() {
	c.t.Helper()
	seen := map[uint64]bool{}
	for _, batch := range c.memory.Batches()[1:] { // the first is what was stored before
		var first, last uint64
		for _, e := range batch {
			if !e.Body.Kind().Overlay() {
				continue
			}
			if first == 0 {
				first, last = e.Seq, e.Seq-1
			}
			if last++; conversation.EpochOf(e) != first || e.Seq != last {
				c.t.Errorf("e%d is of epoch %d, beside e%d", e.Seq, conversation.EpochOf(e), first)
			}
		}
		if seen[first] {
			c.t.Errorf("epoch %d is in two transactions", first)
		}
		seen[first] = first != 0
	}
	for _, e := range conversation.Epochs(c.memory.Events()) {
		if seen[e.ID] && c.told[e.ID] != 1 {
			c.t.Errorf("epoch %d is told %d times", e.ID, c.told[e.ID])
		}
	}
}

// summaries checks that a summary in the log came to its end, and that nothing
// was made of the view it was written from meanwhile; and that each one that was
// given up is on record.
func (c *course) summaries(events []conversation.Event) {
	c.t.Helper()
	given := 0
	var overlays []uint64
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.Attempt:
			if b.Outcome != conversation.OutcomeFailed {
				given++
			}
		case conversation.Summary:
			if n := accountOf(b); n != 0 {
				c.held(n, conversation.EpochOf(e), overlays)
			}
		}
		if e.Body.Kind().Overlay() {
			overlays = append(overlays, e.Seq)
		}
	}
	broken := 0
	for _, summary := range c.provider.broken {
		if summary {
			broken++
		}
	}
	if given < broken {
		c.t.Errorf("%d summaries were given up, and %d are on record", broken, given)
	}
}

// held checks one summary.
func (c *course) held(n int, epoch uint64, overlays []uint64) {
	c.t.Helper()
	began, known := c.provider.began[n]
	if !known || c.provider.broken[n] {
		c.t.Errorf("summary %d is in the log: asked for %t, given up %t", n, known, c.provider.broken[n])
	}
	for _, seq := range overlays {
		if int(seq) > began && seq < epoch {
			c.t.Errorf("summary %d of e%d is in the log with overlay e%d made meanwhile", n, began, seq)
		}
	}
}

// saidIn is what the user said in a turn.
func saidIn(events []conversation.Event, turn int) string {
	for _, e := range events {
		if m, isUser := e.Body.(conversation.UserMessage); isUser && e.Turn == turn {
			return m.Text
		}
	}
	return ""
}

// answered are the messages that are in the log or came back, by how often. One that
// came back with its turn, which is there again, counts once.
func (c *course) answered() map[string]int {
	got := maps.Clone(c.got)
	events := c.memory.Events()
	taken := conversation.TakenBack(events)
	for i, e := range events {
		if m, isUser := e.Body.(conversation.UserMessage); isUser && (taken == nil || taken[i] == 0) {
			got[m.Text]++
		}
	}
	if !c.gone {
		for _, text := range c.returned() {
			got[text]++
		}
	}
	force := conversation.InForce(events)
	for i, e := range events {
		if b, isRewind := e.Body.(conversation.Rewind); isRewind && !slices.Contains(force, i) {
			got[saidIn(events, b.Turn)]--
		}
	}
	return got
}

// came checks what came of the first summary when something happened at a gate:
// nothing, if it was still being written and another view, window or wish took its
// place, a larger window left no reason for it, or whoever was there stopped it or
// left. It is then not written on. A wish that is refused changes nothing.
func (c *course) came(o origin, a act, g gate) {
	c.t.Helper()
	first, made := math.MaxInt, false
	for n := range c.provider.began {
		first = min(first, n)
	}
	for _, e := range c.memory.Events() {
		s, isSummary := e.Body.(conversation.Summary)
		made = made || isSummary && accountOf(s) == first
	}
	last := storing // from which on it is too late
	byItself, read := o.name == "planned" || o.name == "held", o.name == "read"
	switch {
	case read && a.name == "refuse" && g != behind:
		last = begun
	case read && slices.Contains([]string{"undo", "redo", "rewind", "rewind and back", "pin", "unpin", "mask", "other", "refuse"}, a.name):
		last = storing
	case a.name == "larger" && o.name == "planned": // the text waits for a step, which is far by then
		last = storing
	case slices.Contains([]string{"rewind and back", "pin", "unpin", "mask"}, a.name):
		last = behind
	case slices.Contains([]string{"cancel", "cancel twice", "undo", "redo", "rewind", "other"}, a.name), a.name == "larger" && byItself:
		last = behind
	case slices.Contains([]string{"smaller", "quit", "delete"}, a.name):
	default:
		last = begun
	}
	if stopped := c.provider.broken[first]; made != (g >= last) || stopped != (g < behind && g < last) {
		c.t.Errorf("the summary was made: %t; its writing was stopped: %t", made, stopped)
	}
}
