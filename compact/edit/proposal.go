package edit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	made   conversation.Origin
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
			return ProposeOverlays(log, r, s, conversation.Origin{Source: w.Source, Trigger: w.Trigger}, step.Note)
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
	p.made = conversation.Origin{Source: w.Source, Trigger: w.Trigger, Preset: string(r.Preset), Profile: name}
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
	for i, rewind := range conversation.RewoundBy(log) {
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
		if !covered.Contains(e.Seq) {
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
	return conversation.AssignEpoch(p.bodies, seq, p.made)
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
		p.Range.From, p.Range.To = conversation.TurnRange(conversation.MessagesIn(p.log, spans))
	}
}

// ProposeOverlays is a proposal of overlays that some rule chose from the view of the
// situation. What made says of why is put behind what they do. The error wraps
// ErrNothingToGain.
func ProposeOverlays(log []conversation.Event, r preset.Rules, s Inputs, made conversation.Origin, bodies ...conversation.Body) (Proposal, error) {
	p := Proposal{log: log, rules: r, now: s, made: made, before: s.Meter.View()}
	p.made.Preset = string(r.Preset)
	p.Range.From, p.Range.To = p.turnsTouched(bodies)
	if err := p.apply(bodies...); err != nil {
		return Proposal{}, err
	}
	if made.Why != "" {
		p.made.Why += "; " + made.Why
	}
	return p, nil
}

func (p *Proposal) turnsTouched(bodies []conversation.Body) (from, to int) {
	touched := map[uint64]bool{}
	var spans []conversation.Span
	for _, b := range bodies {
		maps.Copy(touched, eventsOf(b))
		switch b := b.(type) {
		case conversation.Summary:
			spans = conversation.JoinSpans(spans, b.Spans)
		case conversation.Drop:
			spans = conversation.JoinSpans(spans, b.Spans)
		}
	}
	var found []conversation.Event
	covered := conversation.Disjoint(spans)
	for _, e := range p.log {
		if touched[e.Seq] || covered.Contains(e.Seq) && conversation.IsMessage(e.Body) {
			found = append(found, e)
		}
	}
	return conversation.TurnRange(found)
}

// Rebase is a proposal that needs no model any more, on a log that has grown since it
// was worked out, with masks in the same epoch before it. It is for the caller
// to see that no overlay has joined the log. The error wraps ErrNothingToGain.
func (p *Proposal) Rebase(log []conversation.Event, s Inputs, masks ...conversation.Body) (Proposal, error) {
	now := *p
	now.log, now.now, now.before = log, s, s.Meter.View()
	bodies := slices.Clone(p.bodies)
	if text, ok := p.text(); ok && preset.WordingOf(text.Style).Notes && p.evictedSince(log) {
		text.Appendix = summary.Note(log, now.before, now.told(), now.noteRoom())
		bodies[p.writtenAt()] = text
	}
	if err := now.apply(append(slices.Clone(masks), bodies...)...); err != nil {
		return Proposal{}, err
	}
	return now, nil
}

// evictedSince reports whether a longer log than that of the proposal has overlays that
// the note of the proposal does not speak of.
func (p *Proposal) evictedSince(log []conversation.Event) bool {
	return slices.ContainsFunc(log[min(len(p.log), len(log)):], func(e conversation.Event) bool { return e.Body.Kind().IsOverlay() })
}

// Progresses reports whether a proposal that needs no model any more saves as much
// as the planner wants of one.
func (p *Proposal) Progresses() bool {
	saved := p.made.Before - p.made.After
	return saved > 0 && float64(saved) >= p.rules.Planner.ProgressRatio*float64(p.made.Before)
}

// Leaves reports whether the oldest messages are left out by it.
func (p *Proposal) Leaves() bool {
	return slices.ContainsFunc(p.bodies, func(b conversation.Body) bool { return b.Kind() == conversation.KindDrop })
}

// A summary that was prepared is no overlay: it joins a step that evicts what it
// covers, as one epoch. Rules:
//
//   - Its text stands for what it was written from, a note for the rest of the step.
//     The newest of the overlays has the note, which speaks of all.
//   - Notes that were put over its events meanwhile do not matter: what it says of
//     them holds. Nor do summaries of other events. Any other overlay behind it does.

// ErrNotEvicted says that a step leaves something standing that a summary covers.
var ErrNotEvicted = errors.New("the step leaves a part of what the summary covers")

// Stands reports whether spans of events are shown as they were at an overlay of a
// log, or evicted since: behind it there are only notes, and summaries of other
// events.
func Stands(log []conversation.Event, seq uint64, spans []conversation.Span) bool {
	for _, e := range slices.Backward(log) {
		if e.Seq <= seq {
			return true
		}
		if !e.Body.Kind().IsOverlay() || isNote(e.Body) {
			continue
		}
		if s, ok := e.Body.(conversation.Summary); !ok || s.Policies != nil || meet(spans, s.Spans) {
			return false
		}
	}
	return true
}

// isNote reports whether an overlay evicts events behind a note, without a text.
func isNote(b conversation.Body) bool {
	s, ok := b.(conversation.Summary)
	return ok && s.Policies == nil && s.Text == "" && preset.WordingOf(s.Style).Notes
}

// Covers reports whether a proposal covers any of the events of spans.
func (p *Proposal) Covers(spans []conversation.Span) bool { return meet(p.Spans, spans) }

func meet(a, b []conversation.Span) bool {
	return slices.ContainsFunc(a, func(x conversation.Span) bool {
		return slices.ContainsFunc(b, func(y conversation.Span) bool { return x.First <= y.Last && y.First <= x.Last })
	})
}

// EvictWith is the step of a note on a log, in one epoch with the texts of proposals
// that were prepared for it. More says that the step may evict what a text covers
// besides. The error wraps ErrNotEvicted or ErrNothingToGain.
func EvictWith(log []conversation.Event, r preset.Rules, s Inputs, made conversation.Origin, note conversation.Body, more bool, prepared ...*Proposal) (Proposal, error) {
	step, _ := note.(conversation.Summary) // by the planner
	p := Proposal{Profile: preset.ProfileHeavy, log: log, rules: r, now: s, made: made, before: s.Meter.View(), evicts: true}
	p.made.Preset, p.made.Profile = string(r.Preset), preset.ProfileHeavy
	covered := conversation.Disjoint(projection.WithEarlier(log, step.Spans))
	var texts []conversation.Summary
	for _, one := range prepared {
		text, ok := one.text()
		held := ok && holdsAll(log, covered, text.Spans)
		if !ok || !held && !(more && one.Covers(step.Spans)) {
			return Proposal{}, ErrNotEvicted
		}
		text.Appendix, p.asked = "", one.asked
		p.Spans, texts = conversation.JoinSpans(p.Spans, text.Spans), append(texts, text)
		if !held {
			step = planner.Evicted(log, s.Meter.View(), conversation.JoinSpans(step.Spans, p.Spans), p.noteRoom())
		}
	}
	rest := conversation.SpansWithout(log, step.Spans, conversation.Disjoint(p.Spans).Contains)
	p.Spans = conversation.JoinSpans(p.Spans, step.Spans)
	p.Range.From, p.Range.To = conversation.TurnRange(conversation.MessagesIn(log, p.Spans))
	if err := p.apply(withNote(log, texts, step, rest)...); err != nil {
		return Proposal{}, err
	}
	return p, nil
}

// withNote is the overlays of texts and of the note of a step, which stands for the
// rest and is the newest. Where nothing is left for it the last text has it.
func withNote(log []conversation.Event, texts []conversation.Summary, step conversation.Summary, rest []conversation.Span) []conversation.Body {
	var bodies []conversation.Body
	for i, text := range texts {
		if len(rest) == 0 && i == len(texts)-1 {
			text.Appendix = step.Appendix
		}
		bodies = append(bodies, text)
	}
	if len(rest) > 0 {
		step.Spans = rest
		step.FromTurn, step.ToTurn = conversation.TurnRange(conversation.MessagesIn(log, rest))
		bodies = append(bodies, step)
	}
	return bodies
}

func (p *Proposal) text() (conversation.Summary, bool) {
	i := p.writtenAt()
	if i < 0 {
		return conversation.Summary{}, false
	}
	s, ok := p.bodies[i].(conversation.Summary)
	return s, ok
}

// holdsAll reports whether spans hold every event of others that the model was sent.
func holdsAll(log []conversation.Event, held conversation.Spans, others []conversation.Span) bool {
	for _, e := range conversation.MessagesIn(log, others) {
		if !held.Contains(e.Seq) {
			return false
		}
	}
	return true
}

// Where a compaction is made between a message and its answer, the request that
// follows has to be one that can be answered. Rules:
//
//   - The newest message of the user and the last unit stay: what the model is
//     about to read is never read for it, and no request ends with its own words.
//   - A text that stands for a range stands in one place. Where the newest message
//     parts a range, the side that weighs more is covered.

func newestMessage(log []conversation.Event) uint64 {
	for _, e := range slices.Backward(log) {
		if _, ok := e.Body.(conversation.UserMessage); ok {
			return e.Seq
		}
	}
	return 0
}

func lastUnit(log []conversation.Event) map[uint64]bool {
	units := conversation.Units(log)
	if len(units) == 0 {
		return nil
	}
	seqs := map[uint64]bool{}
	for _, i := range units[len(units)-1].Events {
		seqs[log[i].Seq] = true
	}
	return seqs
}

// partedAt is the spans before an event and those behind it; none of them holds
// it.
func partedAt(spans []conversation.Span, seq uint64) (older, newer []conversation.Span) {
	for i, s := range spans {
		if s.First > seq {
			return spans[:i], spans[i:]
		}
	}
	return spans, nil
}

// ProposeSummary works out a summary of spans of whole units, which some rule
// chose from the view of the situation. The job is what r.Summary says; made is
// how the overlay came about. The error wraps ErrNoRange.
func ProposeSummary(log []conversation.Event, r preset.Rules, s Inputs, spans []conversation.Span, made conversation.Origin) (Proposal, error) {
	if len(spans) == 0 {
		return Proposal{}, noRange("no event may be covered now")
	}
	if r.Summary.Mode == preset.ModeRawUnion {
		spans = projection.WithEarlier(log, spans)
	}
	spans = conversation.SpansWithoutRewound(log, spans)
	p := Proposal{Spans: spans, Profile: preset.ProfileHeavy, log: log, rules: r, now: s, made: made, before: s.Meter.View(), evicts: true}
	p.made.Preset, p.made.Profile = string(r.Preset), preset.ProfileHeavy
	p.Range.From, p.Range.To = conversation.TurnRange(conversation.MessagesIn(log, spans))
	if r.Summary.Mode == preset.ModeCumulative {
		for _, old := range SummaryRanges(log) {
			p.Range.From = min(p.Range.From, old.From)
		}
	}
	if err := p.needSummary(r.Summary); err != nil {
		return Proposal{}, err
	}
	return p, nil
}

// Then is the gauge as it would be with the proposal in force: what it shows adds up
// to Preview.After. Of a summary that is not written yet the longest expected
// stands in place of what it covers.
func (p *Proposal) Then() meter.Reading {
	if p.Job == nil {
		return p.now.Meter.WithView(p.after).Reading()
	}
	left := p.before
	left.Messages, left.Sizes = nil, projection.Sizes{}
	replaced := p.replaced()
	for _, m := range p.before.Messages {
		if !replaced(&m) {
			m.AddTo(&left.Sizes)
			left.Messages = append(left.Messages, m)
		}
	}
	preview := p.Preview()
	return p.now.Meter.WithView(left).ReadingWithSummary(preview.After, preview.Summary.Estimate)
}

// Written is the summary of a proposal as it was written, before it is in force.
type Written struct {
	Text     string
	Appendix string // what the program adds to it, "" for nothing
	Covers   int    // tokens that it stands for: of what was said where it is summarised anew, else of what is shown
}

// Written is the summary that a model wrote for the proposal; false if none did.
func (p *Proposal) Written() (w Written, ok bool) {
	s, ok := p.text()
	if !ok {
		return w, false
	}
	covers, replaced := 0.0, p.replaced()
	for i := range p.before.Messages {
		if m := &p.before.Messages[i]; replaced(m) {
			covers += p.weigh(*m)
		}
	}
	if p.asked.Input != preset.InputView {
		covers = max(covers, p.now.Meter.Factor()*float64(p.asked.CoveredTokens))
	}
	return Written{Text: s.Text, Appendix: s.Appendix, Covers: whole(covers)}, true
}

// WithText is the proposal with what the user made of its summary, trimmed and
// storable. The error wraps summary.ErrRefused or ErrNothingToGain; the proposal stays
// as it is.
func (p *Proposal) WithText(text string) (Proposal, error) {
	text = strings.TrimSpace(conversation.Clean(text))
	s, ok := p.text()
	if !ok {
		return Proposal{}, summary.Refused(summary.ErrUnended)
	}
	if text == s.Text {
		return *p, nil
	}
	if err := p.asked.Check(text); err != nil {
		return Proposal{}, err
	}
	s.Text, s.Edited = text, true
	bodies := slices.Clone(p.bodies)
	bodies[p.writtenAt()] = s
	changed := *p
	if err := changed.apply(bodies...); err != nil {
		return Proposal{}, err
	}
	return changed, nil
}

// Edited reports whether the summary of the proposal is the user's and no longer as it
// was written.
func (p *Proposal) Edited() bool {
	s, _ := p.text() // the zero one is not edited
	return s.Edited
}

// writtenAt is the place of the summary that was written for the proposal, -1 without
// one.
func (p *Proposal) writtenAt() int {
	if p.asked == nil {
		return -1
	}
	return slices.IndexFunc(p.bodies, func(b conversation.Body) bool {
		s, ok := b.(conversation.Summary)
		return ok && s.Policies == nil
	})
}
