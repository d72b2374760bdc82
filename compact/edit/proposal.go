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
var ErrNothingToGain = errors.New("nothing to compact")

// Inputs is what a compaction depends on besides the log and the rules.
type Inputs struct {
	Meter meter.Meter // of a request as it would be made now, its view included
	Now   time.Time
	// Cold says that the provider's cache no longer holds the conversation, or
	// that it may not. A summary is then written from the originals.
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
	p, err := newProposal(log, r, s, w)
	if (errors.Is(err, ErrNoRange) || errors.Is(err, ErrNothingToGain)) && w.Evicts && w.plain() && r.Evicts() {
		check := planner.Check{Log: log, View: s.Meter.View(), Meter: s.Meter}
		if step := check.EvictNow(r, w.Trigger); step.Note != nil {
			return ProposeOverlays(log, r, s, conversation.Made{Source: w.Source, Trigger: w.Trigger}, step.Note)
		}
	}
	return p, err
}

func newProposal(log []conversation.Event, r preset.Rules, s Inputs, w Request) (Proposal, error) {
	name, profile, err := profileOf(r, w)
	if err != nil {
		return Proposal{}, err
	}
	p := Proposal{Profile: name, Focus: w.Focus, log: log, rules: r, now: s, before: s.Meter.View()}
	p.made = conversation.Made{Source: w.Source, Trigger: w.Trigger, Preset: string(r.Preset), Profile: name}
	if p.Range, err = p.resolve(w, profile); err != nil {
		return Proposal{}, err
	}
	p.Spans = p.Range.Spans(log, goneTurns(log))
	if s.Answering {
		p.leaveNewest(profile.Summarize)
	}
	if len(p.Spans) == 0 {
		return Proposal{}, fmt.Errorf("%w: nothing in %s can be compacted", ErrNoRange, numbers.Turns(p.Range.From, p.Range.To))
	}
	if profile.Summarize {
		err = p.needSummary(profile.Summary)
	} else {
		err = p.apply(p.mechanical(profile))
	}
	if err != nil {
		return Proposal{}, err
	}
	return p, nil
}

func (p *Proposal) resolve(w Request, profile preset.Profile) (Range, error) {
	keep := w.KeepLast
	if keep < 0 {
		keep = p.rules.KeepLast
	}
	r, err := ResolveRange(p.log, RangeOptions{From: w.From, To: w.To, KeepLast: keep, Now: p.now.Now,
		AfterLast: AfterLastCompaction(p.log), Gone: goneTurns(p.log)})
	if err != nil || !profile.Summarize {
		return r, err
	}
	existing := SummaryRanges(p.log)
	if profile.Summary.Mode == preset.ModeCumulative && len(existing) > 0 {
		for _, old := range existing {
			r.From = min(r.From, old.From)
		}
	}
	return ExtendOver(r, existing), nil
}

// goneTurns tells which turns were rewound, nil if none was.
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

func (p *Proposal) mechanical(profile preset.Profile) conversation.Body {
	policies := p.rules.Policies(profile, p.toolsUsed())
	return conversation.Summary{Style: p.rules.Preset.Design().PolicyStyle, Version: projection.StubVersion, Spans: p.Spans,
		FromTurn: p.Range.From, ToTurn: p.Range.To, Policies: &policies}
}

func (p *Proposal) toolsUsed() []string {
	var names []string
	covered := conversation.Disjoint(p.Spans)
	for _, e := range p.log {
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
func (p *Proposal) apply(bodies ...conversation.Body) error {
	after := projection.Project(conversation.Extend(p.log, p.now.Now, bodies...))
	before, then := p.tokens(p.before), p.tokens(after)
	gains := then < before && changed(p.before, after)
	switch {
	case p.made.Trigger == planner.TriggerRequest:
		gains = changed(p.before, after) // layers of a source that act before every request replace to its letter
	case p.asked != nil && p.asked.Input != preset.InputView && p.coversSummary():
		gains = true // its job has judged the length, and another focus is worth as many tokens
	}
	if !gains {
		return fmt.Errorf("%w: %q would not shrink %s%s",
			ErrNothingToGain, p.Profile, numbers.Turns(p.Range.From, p.Range.To), p.advice())
	}
	p.after, p.bodies = after, bodies
	p.made.Before, p.made.After = before, then
	p.made.Why = p.why()
	return nil
}

func (p *Proposal) advice() string {
	if p.rules.Profiles[p.Profile].Summarize {
		return ""
	}
	if p.Profile == preset.ProfileLight {
		return " (providers rarely need old reasoning); --profile " + preset.ProfileDefault + " or " + preset.ProfileHeavy + " does more"
	}
	return "; --profile " + preset.ProfileHeavy + " would summarize them"
}

func (p *Proposal) why() string {
	text := numbers.Turns(p.Range.From, p.Range.To)
	for _, l := range p.Layers() {
		if l.Kind == LayerSummary && p.evicts && p.rules.Wording().Notes {
			text += ", " + numbers.Count(l.Events, "message") + " evicted, note"
		}
		text += ", " + l.words()
	}
	if p.Focus != "" {
		text += ", focus: " + conversation.OneLine(p.Focus, 120)
	}
	return text
}

func (p *Proposal) tokens(v projection.View) int {
	return p.now.Meter.WithView(v).EstimatedTokens()
}

// Bodies are the overlays to append in one transaction as one epoch whose first
// event gets this Seq. Nil while a summary is needed.
func (p *Proposal) Bodies(seq uint64) []conversation.Body {
	return conversation.Stamp(p.bodies, seq, p.made)
}

// After is the view that the proposal would give; the zero view while a summary is
// needed.
func (p *Proposal) After() projection.View { return p.after }

func changed(a, b projection.View) bool { return firstChange(a, b) >= 0 }

// leaveNewest takes out of the proposal what a request in the middle of a turn is
// about.
func (p *Proposal) leaveNewest(summarize bool) {
	newest, last := newestMessage(p.log), lastUnit(p.log)
	spans := conversation.SpansWithout(p.log, p.Spans, func(seq uint64) bool { return seq == newest || last[seq] })
	if summarize {
		older, newer := partedAt(spans, newest)
		spans = older
		if meter.CoveredTokens(p.before, newer) > meter.CoveredTokens(p.before, older) {
			spans = newer
		}
	}
	p.Spans = spans
	if len(spans) > 0 {
		p.Range.From, p.Range.To = conversation.TurnsOf(conversation.MessagesIn(p.log, spans))
	}
}
