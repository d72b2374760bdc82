package edit

import (
	"errors"
	"fmt"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A proposal is a compaction worked out on a log and not made yet: it can be shown
// before it takes effect, and it commits nothing. Rules:
//
//   - It is made of one log; it holds while no overlay joins that log.
//   - A summary that partly overlaps earlier ones grows until it covers them
//     whole (S64), and what nothing is gained by is refused.
//   - Without a summary it is exact. With one, it is until the text is there.

// ErrNothingToGain says that a compaction would leave the view as it is, or
// make it longer.
var ErrNothingToGain = errors.New("nothing would be saved")

// Inputs is what a compaction depends on besides the log and the rules.
type Inputs struct {
	Meter meter.Meter // of a request as it would be made now, its view included
	Now   time.Time
	// Cold says that the provider's cache no longer holds the conversation, or
	// that nobody knows: a summary then reads what was said.
	Cold bool
	// Caps is what the endpoint wants, for a summary that is asked for as the
	// next request.
	Caps projection.Capabilities
	// Writer is the window of the model that writes, in tokens, where it is not the
	// meter's, or where that is unknown but a refusal tells; 0: it is the meter's.
	Writer int
	// Transcript is the file that holds the history as it was sent (JCL), "" for none.
	Transcript string
	// Answering says that a turn is under way: the next request answers what
	// stands at the end, which therefore stays.
	Answering bool
}

// Proposal is a compaction that could be made.
type Proposal struct {
	Profile string
	Range   Range
	Spans   []conversation.Span
	Focus   string
	Job     *summary.Job // what a summary has to be asked for, nil if none is needed or it is there

	asked  *summary.Job // whose answer was taken, nil while none was
	evicts bool         // a step of the planner, and no compaction by hand
	log    []conversation.Event
	rules  preset.Rules
	now    Inputs
	made   conversation.Made
	before projection.View
	after  projection.View
	bodies []conversation.Body
}

// NewProposal works a request out. Errors wrap ErrNoProfile, ErrBadRequest, ErrNoSummaries,
// ErrNoRange or ErrNothingToGain and say what to do; nothing is changed then.
func NewProposal(log []conversation.Event, r preset.Rules, s Inputs, w Request) (Proposal, error) {
	name, p, err := profileOf(r, w)
	if err != nil {
		return Proposal{}, err
	}
	pass := Proposal{Profile: name, Focus: w.Focus, log: log, rules: r, now: s, before: s.Meter.View()}
	pass.made = conversation.Made{Source: w.Source, Trigger: w.Trigger, Preset: string(r.Preset), Profile: name}
	if pass.Range, err = pass.resolve(w, p); err != nil {
		return Proposal{}, err
	}
	pass.Spans = pass.Range.Spans(log, goneTurns(log))
	if s.Answering {
		pass.leaveNewest(p.Summarize)
	}
	if len(pass.Spans) == 0 {
		return Proposal{}, fmt.Errorf("%w: %s hold nothing that could be shown in another way", ErrNoRange, numbers.Turns(pass.Range.From, pass.Range.To))
	}
	if p.Summarize {
		err = pass.needSummary(p.Summary)
	} else {
		err = pass.apply(pass.mechanical(p))
	}
	if err != nil {
		return Proposal{}, err
	}
	return pass, nil
}

// resolve is the range a request means on the log.
func (pass *Proposal) resolve(w Request, p preset.Profile) (Range, error) {
	keep := w.KeepLast
	if keep < 0 {
		keep = pass.rules.KeepLast
	}
	r, err := ResolveRange(pass.log, RangeOptions{From: w.From, To: w.To, KeepLast: keep, Now: pass.now.Now,
		AfterLast: AfterLastCompaction(pass.log), Gone: goneTurns(pass.log)})
	if err != nil || !p.Summarize {
		return r, err
	}
	existing := SummaryRanges(pass.log)
	if p.Summary.Mode == preset.ModeCumulative && len(existing) > 0 {
		for _, old := range existing {
			r.From = min(r.From, old.From)
		}
	}
	return ExtendOver(r, existing), nil
}

// goneTurns tells which turns were taken back, nil if none was.
func goneTurns(log []conversation.Event) func(int) bool {
	gone := map[int]bool{}
	for i, rewind := range conversation.TakenBack(log) {
		if rewind != 0 {
			gone[log[i].Turn] = true
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return func(turn int) bool { return gone[turn] }
}

// mechanical is the overlay of a profile that needs no model.
func (pass *Proposal) mechanical(p preset.Profile) conversation.Body {
	policies := pass.rules.Policies(p, pass.toolsUsed())
	return conversation.Summary{Style: pass.rules.Preset.Design().PolicyStyle, Version: projection.StubVersion, Spans: pass.Spans,
		FromTurn: pass.Range.From, ToTurn: pass.Range.To, Policies: &policies}
}

// toolsUsed names the tools that occur in the range.
func (pass *Proposal) toolsUsed() []string {
	var names []string
	covered := conversation.Disjoint(pass.Spans)
	for _, e := range pass.log {
		if !covered.Holds(e.Seq) {
			continue
		}
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				names = append(names, c.Name)
			}
		case conversation.ToolResult:
			names = append(names, b.Tool)
		}
	}
	return names
}

// apply takes overlays into the proposal. The error wraps ErrNothingToGain.
func (pass *Proposal) apply(bodies ...conversation.Body) error {
	after := projection.Project(conversation.Extend(pass.log, pass.now.Now, bodies...))
	before, then := pass.tokens(pass.before), pass.tokens(after)
	least := before - 1 // that it saves something
	switch {
	case pass.made.Trigger == planner.TriggerRequest:
		least = then // layers of a source that act before every request replace to its letter
	case pass.asked != nil && pass.asked.Input != preset.InputView && pass.coversSummary():
		least = before // another focus is worth as many tokens
	}
	if then > least || !changed(pass.before, after) {
		return fmt.Errorf("%w: the profile %s makes nothing shorter in %s%s",
			ErrNothingToGain, pass.Profile, numbers.Turns(pass.Range.From, pass.Range.To), pass.advice())
	}
	pass.after, pass.bodies = after, bodies
	pass.made.Before, pass.made.After = before, then
	pass.made.Why = pass.why()
	return nil
}

// advice is what else could be tried.
func (pass *Proposal) advice() string {
	if pass.rules.Profiles[pass.Profile].Summarize {
		return ""
	}
	if pass.Profile == preset.ProfileLight {
		return " (reasoning is rarely sent back anyway); --profile " + preset.ProfileDefault + " or " + preset.ProfileHeavy + " does more"
	}
	return "; --profile " + preset.ProfileHeavy + " puts a summary there instead"
}

// why tells the user what the proposal did.
func (pass *Proposal) why() string {
	text := numbers.Turns(pass.Range.From, pass.Range.To)
	for _, l := range pass.Layers() {
		if l.Kind == LayerSummary && pass.evicts && pass.rules.Wording().Notes {
			text += ", " + numbers.Count(l.Events, "message") + " evicted, note"
		}
		text += ", " + l.words()
	}
	if pass.Focus != "" {
		text += ", focus: " + conversation.OneLine(pass.Focus, 120)
	}
	return text
}

// tokens is the calibrated estimate of a request with a view.
func (pass *Proposal) tokens(v projection.View) int {
	return pass.now.Meter.WithView(v).EstimatedTokens()
}

// Bodies are the overlays to append in one transaction as one epoch whose first
// event gets this Seq. Nil while a summary is needed.
func (pass *Proposal) Bodies(seq uint64) []conversation.Body {
	return conversation.Stamp(pass.bodies, seq, pass.made)
}

// After is the view that the proposal would give; the zero view while a summary is
// needed.
func (pass *Proposal) After() projection.View { return pass.after }

// changed reports whether two views show anything differently.
func changed(a, b projection.View) bool { return firstChange(a, b) >= 0 }

// leaveNewest takes out of the proposal what a request in the middle of a turn is
// about.
func (pass *Proposal) leaveNewest(summarize bool) {
	newest, last := newestMessage(pass.log), lastUnit(pass.log)
	spans := conversation.SpansWithout(pass.log, pass.Spans, func(seq uint64) bool { return seq == newest || last[seq] })
	if summarize {
		older, newer := partedAt(spans, newest)
		spans = older
		if meter.CoveredTokens(pass.before, newer) > meter.CoveredTokens(pass.before, older) {
			spans = newer
		}
	}
	pass.Spans = spans
	if len(spans) > 0 {
		pass.Range.From, pass.Range.To = conversation.TurnsOf(conversation.MessagesIn(pass.log, spans))
	}
}
