package transcript

import (
	"math"
	"strconv"

	"plimsoll/compact/planner"
	"plimsoll/conversation"
)

// Some presets compact before nearly every request (JCL). What they do in one
// turn shares a small line, where the first of it stands; unfolded, each
// compaction has its own, with the number for /undo.

// requestsItem is the compactions before the requests of a turn, oldest first.
type requestsItem struct {
	passes []*epochItem
	sum    *epochItem // all of them as one, as drawn last
}

// request shows a compaction before a request: with those before it, if only
// calls and replies came between.
func (o *overlays) request(push func(item), e conversation.Event, made conversation.Made) *epochItem {
	it := newEpochItem(e, made, made.Epoch, "compacted")
	it.small = true
	o.lines = append(o.lines, it)
	if o.requests == nil {
		o.requests = &requestsItem{}
		push(o.requests)
	}
	o.requests.passes = append(o.requests.passes, it)
	return it
}

func (r *requestsItem) indent(int) int      { return 0 }
func (r *requestsItem) source(*look) string { return "" }

// version counts the changes of all of them.
func (r *requestsItem) version() int {
	n := len(r.passes)
	for _, p := range r.passes {
		n += p.version()
	}
	return n
}

func (r *requestsItem) draw(l *look, width int) []string {
	if !r.folds(l) {
		r.sum = nil
		var lines []string
		for _, p := range r.passes {
			lines = append(lines, p.draw(l, width)...)
		}
		return lines
	}
	r.sum = r.together()
	return r.sum.draw(l, width)
}

// folds reports whether one line stands for all.
func (r *requestsItem) folds(l *look) bool { return len(r.passes) > 1 && !l.expanded }

// undoAt is the epoch that a click on a cell undoes, 0 for none.
func (r *requestsItem) undoAt(line, x int) uint64 {
	switch {
	case r.sum != nil:
		return r.sum.undoAt(x)
	case line >= 0 && line < len(r.passes):
		return r.passes[line].undoAt(x)
	}
	return 0
}

// together is all of them as one, with the number of the newest in force.
func (r *requestsItem) together() *epochItem {
	first := r.passes[0]
	sum := &epochItem{at: first.at, made: first.made, verb: first.verb, small: true, passes: len(r.passes), from: math.MaxInt, to: -1}
	sum.made.Why, sum.made.Before, sum.made.After = "", 0, 0
	for _, p := range r.passes {
		sum.parts += p.parts
		sum.reach(p.from, p.to)
		sum.did.add(p.did)
		sum.saved += max(0, p.made.Before-p.made.After)
		sum.state = sum.state.and(p.state)
		if sum.id == 0 || !p.undone() {
			sum.id = p.id
		}
	}
	return sum
}

// and is the state of two compactions as one.
func (s epochState) and(other epochState) epochState {
	s.gone += other.gone
	s.newest = s.newest || other.newest
	s.redone = s.redone || other.redone
	if other.since.After(s.since) {
		s.since = other.since
	}
	return s
}

// add counts what another compaction did.
func (d *deeds) add(other deeds) {
	d.results += other.results
	d.arguments += other.arguments
	d.capped += other.capped
	d.summaries += other.summaries
	d.reasoning = d.reasoning || other.reasoning
	d.calls = d.calls || other.calls
	d.dropped = d.dropped || other.dropped
	d.evicted = d.evicted || other.evicted
}

// automatic reports whether neither the user nor the model asked for it.
func automatic(s conversation.Source) bool {
	return s == conversation.SourceAuto || s == conversation.SourceRecovery
}

// triggers says what set a compaction off that nobody asked for.
var triggers = map[string]string{
	planner.TriggerLoadLine:  " at the load line",
	planner.TriggerHardLine:  " at the hard line",
	planner.TriggerCold:      " with a cold cache",
	planner.TriggerStride:    " to save cost",
	planner.TriggerThreshold: " at the threshold",
	planner.TriggerRequest:   " before a request",
}

// wanted is who wanted it or what set it off, "" if the user did.
func (it *epochItem) wanted() string {
	why, known := triggers[it.made.Trigger]
	switch {
	case it.made.Source == conversation.SourceTool:
		return ", asked for by the model"
	case !automatic(it.made.Source):
		return ""
	case it.passes > 1:
		return " before " + strconv.Itoa(it.passes) + " requests"
	case known:
		return why
	case it.made.Source == conversation.SourceRecovery:
		return " to recover from an overflow"
	}
	return " automatically"
}

// commandOrder is when the command that undoes it is left out. On a small line
// it is what one unfolds the line for.
func (it *epochItem) commandOrder() int {
	if it.small {
		return keepKey
	}
	return keepCommand
}

// word says what was done in a word. It says when messages were left out automatically, as
// the snackbar did.
func (it *epochItem) word() string {
	if it.did.dropped && automatic(it.made.Source) {
		return "trimmed"
	}
	return it.verb
}

// tokens says how many tokens a request had before and after, "" if nobody knows;
// of several compactions, which lie apart, how many all of them saved.
func (it *epochItem) tokens() string {
	switch {
	case it.passes > 1 && it.saved > 0:
		return ": " + amount(float64(it.saved)) + " tokens less"
	case it.made.Before > 0 && it.id != 0:
		return ": " + amount(float64(it.made.Before)) + " → " + amount(float64(max(0, it.made.After)))
	}
	return ""
}
