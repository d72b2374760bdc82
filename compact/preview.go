package compact

import (
	"math"
	"slices"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// What a pass would do, in numbers, before it does it. They are those of the
// views before and after: nothing is guessed but what a model has yet to write.

// Layer is what one kind of reduction does in a pass.
type Layer struct {
	Kind   string // results, arguments, reasoning, calls, summary, note, dropped
	Events int    // that are shown otherwise
	Saved  int    // tokens
}

// words says a layer in words.
func (l Layer) words() string {
	switch l.Kind {
	case LayerResults:
		return numbers.Count(l.Events, "result") + " masked"
	case LayerArguments:
		return "arguments of " + replies(l.Events) + " stripped"
	case LayerReasoning:
		return "reasoning stripped"
	case LayerCalls:
		return "tool calls left out"
	case LayerNote:
		return numbers.Count(l.Events, "message") + " evicted, note"
	case LayerDropped:
		return numbers.Count(l.Events, "message") + " dropped"
	}
	return "1 summary"
}

// replies is a number of replies.
func replies(n int) string {
	if n == 1 {
		return "1 reply"
	}
	return numbers.Grouped(n) + " replies"
}

const (
	LayerResults   = "results"
	LayerArguments = "arguments"
	LayerReasoning = "reasoning"
	LayerCalls     = "calls"
	LayerSummary   = "summary"
	LayerNote      = "note" // what is evicted without a summary
	LayerDropped   = "dropped"
)

// Preview is a pass in numbers. Tokens are calibrated estimates of a whole
// request.
type Preview struct {
	Profile string
	Range   Range
	Before  int
	After   int // with a summary that is not written yet: with the longest expected
	Layers  []Layer
	// BreakAt is the Seq of the first event that is shown otherwise: from there
	// on the provider's cache is of no use. 0: nothing changes.
	BreakAt uint64
	// Behind is how many tokens behind that place are sent again as new.
	Behind  int
	Summary *SummaryNeed // nil: none, or it is written
}

// SummaryNeed is a summary that a preview cannot show.
type SummaryNeed struct {
	Model    string // "": the conversation's
	Input    SummaryInput
	Covers   int // tokens
	Estimate int // tokens of the text, at most
}

// Preview tells what the pass would do.
func (pass *Pass) Preview() Preview {
	p := Preview{Profile: pass.Profile, Range: pass.Range, Before: pass.tokens(pass.before)}
	if pass.Job != nil {
		return pass.expected(p)
	}
	p.After, p.Layers = pass.tokens(pass.after), pass.Layers()
	if i := pass.firstBreak(); i >= 0 {
		p.BreakAt = brokenAt(pass.before, i)
		behind := 0.0
		for _, m := range pass.after.Messages[min(i, len(pass.after.Messages)):] {
			behind += pass.weigh(m)
		}
		p.Behind = min(whole(behind), p.After)
	}
	return p
}

// ExpectSummary is the preview of a summary of spans of the view of the situation. It
// is worked out without a request, from the longest text that is expected.
func ExpectSummary(log []conversation.Event, r Rules, s Situation, spans []conversation.Span) Preview {
	pass := Pass{Spans: spans, log: log, rules: r, before: s.Meter.View(), now: s}
	ask := SummaryAsk{Rules: r.Summary}
	if window := s.Meter.Window().Tokens; window > 0 && pass.readsView(r.Summary) {
		ask.Free = max(window-s.Meter.EstimatedTokens(), 1)
	}
	job := ask.Expected(CoveredTokens(pass.before, spans))
	pass.Job = &job
	return pass.Preview()
}

// expected is the preview of a pass whose summary is not written yet.
func (pass *Pass) expected(p Preview) Preview {
	covered, behind, events := 0.0, 0.0, 0
	replaced := pass.replaced()
	for i, m := range pass.before.Messages {
		if !replaced(&m) {
			if covered > 0 {
				behind += pass.weigh(m)
			}
			continue
		}
		if covered == 0 {
			p.BreakAt = brokenAt(pass.before, i)
		}
		covered += pass.weigh(m)
		events += len(m.Events)
	}
	covers := whole(covered)
	most := int(pass.now.Meter.Factor() * pass.Job.Longest())
	if n := pass.Job.MaxTokens; n > 0 {
		most = min(most, n)
	}
	p.After = p.Before - covers + most
	p.Behind = min(whole(behind)+most, p.After)
	p.Layers = []Layer{{Kind: LayerSummary, Events: events, Saved: covers - most}}
	p.Summary = &SummaryNeed{Model: pass.Job.Model, Input: pass.Job.Input, Covers: covers, Estimate: most}
	return p
}

// replaced returns a test of whether a summary of the pass stands for a message of
// the view before it.
func (pass *Pass) replaced() func(m *Message) bool {
	covered := conversation.Disjoint(pass.Spans)
	return func(m *Message) bool { return covered.Holds(m.Events[0]) && m.State != StatePinned }
}

// weigh is a message in tokens.
func (pass *Pass) weigh(m Message) float64 {
	return pass.now.Meter.MessageTokens(&m)
}

// whole is a number of tokens. Sums are rounded once, at their end.
func whole(tokens float64) int { return int(math.Round(tokens)) }

// Layers is what each kind of reduction does in the pass, without those that
// do nothing.
func (pass *Pass) Layers() []Layer {
	was := map[uint64]*Message{}
	pairs := map[uint64]*Message{} // the second message of a pair that stands for events
	for i := range pass.before.Messages {
		m := &pass.before.Messages[i]
		if len(m.Events) > 0 && was[m.Events[0]] != nil {
			pairs[m.Events[0]] = m
		}
		for _, seq := range m.Events {
			if was[seq] == nil {
				was[seq] = m
			}
		}
	}
	sums := layerSums{}
	for i := range pass.after.Messages {
		m := &pass.after.Messages[i]
		if second := pairs[m.Events[0]]; second == nil || !sameMessage(second, m) {
			pass.compare(m, was, sums)
		}
	}
	for _, a := range pass.after.Absent {
		if m := was[a.Event]; m != nil && m.Events[0] == a.Event {
			sums.add(LayerCalls, 1, pass.weigh(*m))
		}
	}
	var out []Layer
	for _, kind := range []string{LayerReasoning, LayerArguments, LayerResults, LayerCalls, LayerSummary, LayerNote, LayerDropped} {
		if l := sums[kind]; l.events > 0 {
			out = append(out, Layer{Kind: kind, Events: l.events, Saved: whole(l.saved)})
		}
	}
	return out
}

// compare adds what a message saves.
func (pass *Pass) compare(m *Message, was map[uint64]*Message, sums layerSums) {
	old := was[m.Events[0]]
	if old == nil || sameMessage(old, m) {
		return
	}
	switch {
	case m.State == StateSummarised || m.State == StateDropped:
		pass.compareRun(m, was, sums)
	case m.Role == RoleTool && old.Repeats != 0 && m.Overlay == 0:
		// The result that it pointed to is what the pass hides, not this one.
		sums.add(pass.hides(), 0, pass.tokensOf(old.Size)-pass.tokensOf(m.Size))
	case m.Role == RoleTool:
		sums.add(LayerResults, 1, pass.tokensOf(old.Size)-pass.tokensOf(m.Size))
	default:
		if len(old.Calls) > len(m.Calls) {
			sums.add(LayerCalls, 1, pass.weigh(*old)-pass.weigh(*m))
			return
		}
		if saved := pass.tokensOf(old.After()) - pass.tokensOf(m.After()); saved != 0 {
			sums.add(LayerArguments, 1, saved)
		}
		switch echo := pass.now.Meter.EchoesReasoning(); {
		case echo && m.Reasoning == "" && old.Reasoning != "":
			sums.add(LayerReasoning, 1, pass.tokensOf(old.ReasoningSize))
		case !echo && (m.Stripped || m.Reasoning != old.Reasoning):
			sums.add(LayerReasoning, 1, 0)
		}
	}
}

// notesAlone reports whether the pass evicts and summarises nothing.
func (pass *Pass) notesAlone() bool {
	notes := false
	for _, b := range pass.bodies {
		if s, ok := b.(conversation.Summary); ok {
			if s.Text != "" || s.Policies != nil {
				return false
			}
			notes = true
		}
	}
	return notes
}

// compareRun adds what a message saves that stands for many.
func (pass *Pass) compareRun(m *Message, was map[uint64]*Message, sums layerSums) {
	kind := LayerSummary
	switch {
	case m.State == StateSummarised && pass.notesAlone():
		kind = LayerNote
	case m.State == StateDropped && m.Why == WhyLeftOut:
		kind = LayerCalls
	case m.State == StateDropped:
		kind = LayerDropped
	}
	saved := -pass.weigh(*m)
	if m.Before.Chars() > 0 { // of a pair only one stands for the events
		seen, events := map[*Message]bool{}, len(m.Events)
		for _, seq := range m.Events {
			old := was[seq]
			if old != nil && !seen[old] {
				seen[old] = true
				saved += pass.weigh(*old)
			}
			if kind == LayerNote && old != nil && (old.State == StateSummarised || old.State == StateDropped) {
				events-- // it was before
			}
		}
		sums.add(kind, events, saved)
		return
	}
	sums.add(kind, 0, saved)
}

func (pass *Pass) tokensOf(s conversation.Size) float64 { return pass.now.Meter.Weigh(s) }

// layerSums is what each kind of reduction does, by kind.
type layerSums map[string]layerSum

type layerSum struct {
	events int
	saved  float64 // tokens
}

func (s layerSums) add(kind string, events int, saved float64) {
	s[kind] = layerSum{s[kind].events + events, s[kind].saved + saved}
}

// firstBreak is the index of the first message that is sent otherwise, -1 if
// none is.
func (pass *Pass) firstBreak() int { return firstChange(pass.sent(pass.before), pass.sent(pass.after)) }

// sent is the messages of a view with what of them is sent: reasoning only to
// endpoints that demand it back, and then what is kept for them as well.
func (pass *Pass) sent(v View) View {
	messages := slices.Clone(v.Messages)
	for i := range messages {
		messages[i].Stripped = false
		if !pass.now.Meter.EchoesReasoning() {
			messages[i].Reasoning = ""
		}
	}
	return View{Messages: messages}
}

// firstChange is the index of the first message that differs, -1 if none does.
func firstChange(a, b View) int {
	for i := range a.Messages {
		if i >= len(b.Messages) || !sameMessage(&a.Messages[i], &b.Messages[i]) {
			return i
		}
	}
	if len(b.Messages) > len(a.Messages) {
		return len(a.Messages)
	}
	return -1
}

// brokenAt is the Seq that message i of a view begins with, the last one's if
// there is none.
func brokenAt(v View, i int) uint64 {
	if len(v.Messages) == 0 {
		return 0
	}
	return v.Messages[min(i, len(v.Messages)-1)].Events[0]
}

// sameMessage reports whether two messages are the same on the wire, wherever
// they came from.
func sameMessage(a, b *Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.CallID == b.CallID && a.Reasoning == b.Reasoning && a.Stripped == b.Stripped &&
		slices.EqualFunc(a.Calls, b.Calls, func(x, y conversation.ToolCall) bool {
			return x.ID == y.ID && x.Name == y.Name && x.Arguments == y.Arguments
		})
}
