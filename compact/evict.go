package compact

import (
	"math"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// What a step evicts, and what its note may hold, depend on the window. A small
// one is nearly full of what is at work: little can go at a time, and a note has
// to be short. A large one can forget more, and remember more of it.

// EvictRules is how far a step evicts and how long its note is, as shares of the
// window. 0 is what a window of its size calls for.
type EvictRules struct {
	Target float64 // what a step at the load line leaves
	Cold   float64 // what a step leaves while the provider's cache is cold; below it none is made
	Index  float64 // names in the note
	Words  float64 // the user's words in the note
}

// shares is what a window of a size calls for.
type shares struct {
	window    float64 // tokens
	trigger   float64 // the load line: nearer the hard line in small windows, as evicting needs no model
	protected float64 // newest tokens that stay
	EvictRules
}

// listsPart is the room for the lists of a note, as a part of that for the user's
// words: what was done, files, todos, skills and errors.
const listsPart = 0.2

// sharesBySize was measured on recorded conversations. Between two sizes the
// shares go evenly from one to the other, by the logarithm of the window.
var sharesBySize = [...]shares{
	{32_000, 0.856, 0.21, EvictRules{Target: 0.473, Cold: 0.45, Index: 0.0388, Words: 0.065}},
	{128_000, DefaultTriggerRatio, DefaultProtectedRatio, EvictRules{Target: 0.45, Cold: 0.50, Index: 0.03, Words: 0.10}},
	{200_000, DefaultTriggerRatio, DefaultProtectedRatio, EvictRules{Target: 0.50, Cold: 0.45, Index: 0.03, Words: 0.08}},
}

// sharesOf is what a window of so many tokens calls for.
func sharesOf(window int) shares {
	w, by := float64(window), sharesBySize[:]
	if w <= by[0].window {
		return by[0]
	}
	for i := 1; i < len(by); i++ {
		if a, b := by[i-1], by[i]; w < b.window {
			part := math.Log(w/a.window) / math.Log(b.window/a.window)
			between := func(x, y float64) float64 { return x + part*(y-x) }
			return shares{w, between(a.trigger, b.trigger), between(a.protected, b.protected), EvictRules{
				Target: between(a.Target, b.Target), Cold: between(a.Cold, b.Cold),
				Index: between(a.Index, b.Index), Words: between(a.Words, b.Words),
			}}
		}
	}
	return by[len(by)-1]
}

// ProtectedShare is how much of a window of so many tokens stays as it is: its newest
// tokens. A small window calls for less than the default.
func (r Rules) ProtectedShare(window int) float64 {
	if r.ProtectedRatio == DefaultProtectedRatio {
		return sharesOf(window).protected
	}
	return r.ProtectedRatio
}

// For is the rules with a share in place of every 0, for a window of so many
// tokens.
func (e EvictRules) For(window int) EvictRules {
	auto := sharesOf(window).EvictRules
	for _, share := range []struct {
		own  *float64
		auto float64
	}{{&e.Target, auto.Target}, {&e.Cold, auto.Cold}, {&e.Index, auto.Index}, {&e.Words, auto.Words}} {
		if *share.own == 0 {
			*share.own = share.auto
		}
	}
	return e
}

// capacityOf is the window as far as it is used: all of it, or less where a
// threshold, a ratio or a price puts the load line lower than a window of its size
// calls for. Below a lower line there is less to keep.
func capacityOf(window, loadLine int) int {
	natural := sharesOf(window).trigger
	if loadLine <= 0 || loadLine >= int(natural*float64(window)) {
		return window
	}
	return int(math.Ceil(float64(loadLine) / natural))
}

// goals is what a step leaves, in tokens: at the load line, and with a cold cache.
// Shares that the user sets count of the window as long as that is below the load
// line.
func (e EvictRules) goals(window, capacity, loadLine int) (target, cold float64) {
	shares := e.For(capacity)
	tokens := func(own, share float64) float64 {
		if t := own * float64(window); own > 0 && t < float64(loadLine) {
			return t
		}
		return share * float64(capacity)
	}
	return tokens(e.Target, shares.Target), tokens(e.Cold, shares.Cold)
}

// assumedWindow is the window that the length of a note follows where it is not
// known.
const assumedWindow = 128_000

// room is what each part of a note may have, for a window of so many tokens, 0
// unknown.
func (e EvictRules) room(window int) NoteRoom {
	if window <= 0 {
		window = assumedWindow
	}
	e = e.For(window)
	w := float64(window)
	return NoteRoom{lists: listsPart * e.Words * w, words: e.Words * w, index: e.Index * w}
}

// promptShare is what system prompt and tools usually take of a window at most.
const promptShare = 0.125

// promptTokens is what system prompt and tools take.
func promptTokens(r Reading) float64 {
	return float64(r.Segments[projection.System] + r.Segments[projection.Tools])
}

// roomLeft is what system prompt and tools leave of a window, as a share of what they
// usually leave: at most 1.
func roomLeft(window int, r Reading) float64 {
	w := float64(window)
	if w <= 0 {
		return 1
	}
	return max(0, min(1, (w-promptTokens(r))/((1-promptShare)*w)))
}

// eviction is what a step evicts.
type eviction struct {
	spans  []conversation.Span
	tokens float64 // of what goes
	note   float64 // of the note that stands, whose place the new one takes
	left   float64 // of a request without all that
}

// gains is the least that the eviction saves, with room for a note of so many
// tokens. A note grows by less than half of what it comes to stand for.
func (e eviction) gains(room float64) float64 { return e.tokens - min(max(room-e.note, 0), e.tokens/2) }

// oldestUnits is the oldest units of a view that a step evicts, so that a request with
// a note of so many tokens comes down to a target. Pins, the newest message of the
// user, open units and the newest protected tokens stay. It has no spans if nothing
// may go.
func oldestUnits(v projection.View, m Meter, target, note, protected float64) eviction {
	messages := v.Messages
	e := eviction{note: m.Weigh(noteShown(messages))}
	e.left = float64(m.WithView(v).EstimatedTokens()) - e.note
	end, newest := protectedFrom(messages, m, protected), newestOfUser(messages)
	var s spans
	for i := 0; i < end && e.left+note > target; {
		next := unitAt(messages, i)
		if next > end {
			break
		}
		open := isOpen(messages[i:next])
		for k := i; k < next; k++ {
			switch msg := &messages[k]; {
			case msg.State == projection.StatePinned: // it stays also where spans hold it
			case k == newest, open, msg.State == projection.StateSummarised, isPart(msg):
				s.end()
			default:
				s.take(msg)
				tokens := m.Weigh(msg.After()) + m.Framing()
				e.tokens, e.left = e.tokens+tokens, e.left-tokens
			}
		}
		i = next
	}
	e.spans = s.taken
	return e
}

// isPart reports whether a message is what is left of units whose calls are left out.
// It is short, and need not hold the whole unit, which is what is evicted.
func isPart(m *projection.Message) bool { return m.Why == projection.WhyLeftOut }

// noteShown is about the size of the note that a view shows. Its text is not read
// for that, as this is asked before every request while a step is due.
func noteShown(messages []projection.Message) conversation.Size {
	for i := range messages {
		m := &messages[i]
		if m.State != projection.StateSummarised {
			continue
		}
		if at := strings.Index(m.Text, "\n"+noteTitle); at >= 0 {
			part := func(n int) int { return n * (len(m.Text) - at) / len(m.Text) }
			return conversation.Size{ASCII: part(m.Size.ASCII), CJK: part(m.Size.CJK), Other: part(m.Size.Other)}
		}
	}
	return conversation.Size{}
}
