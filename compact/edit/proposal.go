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

// A proposal is a compaction that is computed for a log and not committed: the user can
// see it before it takes effect. Rules:
//
//   - It is computed for one log and is valid until an overlay is appended to that log.
//   - A summary that partly overlaps earlier ones grows until it covers them
//     whole (JP's RFD 064). A proposal that does not make the view shorter is refused.
//   - The preview is exact, but an estimate while a summary is not yet written.

// ErrNothingToGain says that a compaction would leave the view unchanged or make it
// longer.
var ErrNothingToGain = errors.New("nothing to compact")

// IsNothingToDo reports whether an error only says that a compaction found nothing to change, or that its summary was refused.
func IsNothingToDo(err error) bool {
	return errors.Is(err, ErrNoRange) || errors.Is(err, ErrNothingToGain) || errors.Is(err, summary.ErrRefused)
}

// Inputs is what a compaction depends on besides the log and the rules.
type Inputs struct {
	Meter meter.Meter // measures the next request, with the view
	Now   time.Time
	// Cold says that the provider's cache may have expired. A summary is then written
	// from the original messages and not from the view.
	Cold bool
	// Caps are the capabilities of the endpoint, for a summary request that continues
	// the conversation.
	Caps projection.Capabilities
	// Writer is the window in tokens of the model that writes summaries. 0: it is the
	// window of the meter. Where that is unknown, a refusal of the provider may have named it.
	WriterWindow int
	// Transcript is the path of the file with the history as it was sent (J-CLI), or "".
	Transcript string
	// Answering says that a turn is in progress: the next request answers the newest
	// messages, which therefore stay.
	TurnInProgress bool
}

// Proposal is a compaction that could be committed.
type Proposal struct {
	Profile string
	Range   Range
	Spans   []conversation.Span
	Focus   string
	Job     *summary.Job // the summary to request from a model, nil if none is needed or it is written

	answeredJob *summary.Job // the job whose answer was accepted, nil before
	evicts      bool         // an eviction of the planner, not a compaction of a profile
	log         []conversation.Event
	rules       preset.Rules
	inputs      Inputs
	origin      conversation.Origin
	viewBefore  projection.View
	viewAfter   projection.View
	overlays    []conversation.Body
}

// NewProposal computes the compaction that a request asks for. Errors wrap ErrNoProfile,
// ErrBadRequest, ErrNoSummaries, ErrNoRange or ErrNothingToGain and say what to do.
func NewProposal(log []conversation.Event, r preset.Rules, in Inputs, req Request) (Proposal, error) {
	p, err := newProposal(log, r, in, req)
	if (errors.Is(err, ErrNoRange) || errors.Is(err, ErrNothingToGain)) && req.Evicts && req.hasNoOptions() && r.EvictsAutomatically() {
		check := planner.Check{Log: log, View: in.Meter.View(), Meter: in.Meter}
		if plan := check.EvictNow(r, req.Trigger); plan.Note != nil {
			return ProposeOverlays(log, r, in, conversation.Origin{Source: req.Source, Trigger: req.Trigger}, plan.Note)
		}
	}
	return p, err
}

func newProposal(log []conversation.Event, r preset.Rules, in Inputs, req Request) (Proposal, error) {
	name, profile, err := profileOf(r, req)
	if err != nil {
		return Proposal{}, err
	}
	p := Proposal{Profile: name, Focus: req.Focus, log: log, rules: r, inputs: in, viewBefore: in.Meter.View()}
	p.origin = conversation.Origin{Source: req.Source, Trigger: req.Trigger, Preset: string(r.Preset), Profile: name}
	if p.Range, err = p.resolveRange(req, profile); err != nil {
		return Proposal{}, err
	}
	p.Spans = p.Range.Spans(log, rewoundTurns(log))
	if in.TurnInProgress {
		p.excludeNewest(profile.Summarize)
	}
	if len(p.Spans) == 0 {
		return Proposal{}, noRange("nothing in %s can be compacted", p.Range)
	}
	if profile.Summarize {
		err = p.prepareJob(profile.Summary)
	} else {
		policies := r.Policies(profile, p.toolsUsed())
		err = p.setOverlays(conversation.Summary{Style: r.Preset.Design().PolicyStyle, Version: projection.StubVersion, Spans: p.Spans,
			FromTurn: p.Range.From, ToTurn: p.Range.To, Policies: &policies})
	}
	if err != nil {
		return Proposal{}, err
	}
	return p, nil
}

// ProfileOf returns the name of the profile that a request means. The profile need not exist.
func ProfileOf(r preset.Rules, req Request) string {
	switch {
	case req.Profile != "":
		return req.Profile
	case (req.Focus != "" || req.Review) && !r.Profiles[r.DefaultProfile].Summarize:
		return preset.ProfileHeavy
	}
	return r.DefaultProfile
}

func profileOf(r preset.Rules, req Request) (string, preset.Profile, error) {
	name := ProfileOf(r, req)
	p, ok := r.Profiles[name]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(r.Profiles)), ", ")
		return name, p, fmt.Errorf("%w: %q; there are %s", ErrNoProfile, name, names)
	}
	if (req.Focus != "" || req.Review) && !p.Summarize {
		return name, p, fmt.Errorf("%w: the profile %s writes no summary; use --profile %s", ErrBadRequest, name, preset.ProfileHeavy)
	}
	if when := p.Summary.When; p.Summarize && (when == preset.SummaryNever || when == preset.SummaryByHand && req.Source == conversation.SourceAuto) {
		return name, p, fmt.Errorf("%w: compaction.summary.when is %s", ErrNoSummaries, when)
	}
	return name, p, nil
}

func (p *Proposal) resolveRange(req Request, profile preset.Profile) (Range, error) {
	keep := req.KeepLast
	if keep < 0 {
		keep = p.rules.KeepLast
	}
	r, err := ResolveRange(p.log, RangeOptions{From: req.From, To: req.To, KeepLast: keep, Now: p.inputs.Now,
		FirstUncompacted: AfterLastCompaction(p.log), Rewound: rewoundTurns(p.log)})
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

// rewoundTurns returns a test of whether a turn was rewound, nil if no turn was.
func rewoundTurns(log []conversation.Event) func(int) bool {
	rewound := map[int]bool{}
	for i, rewind := range conversation.RewoundBy(log) {
		if rewind != 0 {
			rewound[log[i].Turn] = true
		}
	}
	if len(rewound) == 0 {
		return nil
	}
	return func(turn int) bool { return rewound[turn] }
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

// setOverlays makes overlays the content of the proposal and computes the view after them. The
// error wraps ErrNothingToGain.
func (p *Proposal) setOverlays(bodies ...conversation.Body) error {
	after := projection.Project(conversation.Extend(p.log, p.inputs.Now, bodies...))
	tokensBefore, tokensAfter := p.inputs.Meter.WithView(p.viewBefore).EstimatedTokens(), p.inputs.Meter.WithView(after).EstimatedTokens()
	changes := firstChange(p.viewBefore, after) >= 0
	gains := tokensAfter < tokensBefore && changes
	switch {
	case p.origin.Trigger == planner.TriggerRequest:
		gains = changes // a source that compacts before every request does so even where the view grows
	case p.answeredJob != nil && p.answeredJob.Input != preset.InputView && p.coversSummary():
		gains = true // the job has checked the length, and another focus may cost as many tokens as the old summary
	}
	if !gains {
		return fmt.Errorf("%w: %q would not shrink %s%s",
			ErrNothingToGain, p.Profile, numbers.Turns(p.Range.From, p.Range.To), p.profileAdvice())
	}
	p.viewAfter, p.overlays = after, bodies
	p.origin.Before, p.origin.After = tokensBefore, tokensAfter
	p.origin.Why = p.reason()
	return nil
}

func (p *Proposal) profileAdvice() string {
	if p.rules.Profiles[p.Profile].Summarize {
		return ""
	}
	if p.Profile == preset.ProfileLight {
		return " (providers rarely need old reasoning); --profile " + preset.ProfileDefault + " or " + preset.ProfileHeavy + " does more"
	}
	return "; --profile " + preset.ProfileHeavy + " would summarize them"
}

func (p *Proposal) reason() string {
	text := numbers.Turns(p.Range.From, p.Range.To)
	for _, l := range p.Layers() {
		if l.Kind == LayerSummary && p.evicts && p.rules.Wording().HasNotes {
			text += ", " + numbers.Count(l.Events, "message") + " evicted, note"
		}
		text += ", " + l.description()
	}
	if p.Focus != "" {
		text += ", focus: " + conversation.OneLine(p.Focus, 120)
	}
	return text
}

// Bodies returns the overlays to append in one transaction as one epoch whose first
// event gets this Seq. It is nil while a summary is not written.
func (p *Proposal) Bodies(seq uint64) []conversation.Body {
	return conversation.AssignEpoch(p.overlays, seq, p.origin)
}

// excludeNewest removes from the proposal what the model must still see to answer the next request: the newest user
// message and the last unit, so that no request ends with its own reply. A summary stands in one place of the view.
// Where the newest user message splits the range, the summary covers the side with more tokens.
func (p *Proposal) excludeNewest(summarize bool) {
	newest, last := uint64(0), map[uint64]bool{}
	for _, e := range slices.Backward(p.log) {
		if _, ok := e.Body.(conversation.UserMessage); ok {
			newest = e.Seq
			break
		}
	}
	if units := conversation.Units(p.log); len(units) > 0 {
		for _, i := range units[len(units)-1].Events {
			last[p.log[i].Seq] = true
		}
	}
	spans := conversation.SpansWithout(p.log, p.Spans, func(seq uint64) bool { return seq == newest || last[seq] })
	if i := slices.IndexFunc(spans, func(s conversation.Span) bool { return s.First > newest }); i > 0 && summarize {
		older, newer := spans[:i], spans[i:]
		spans = older
		if meter.EstimateCovered(p.viewBefore, newer) > meter.EstimateCovered(p.viewBefore, older) {
			spans = newer
		}
	}
	p.Spans = spans
	if len(spans) > 0 {
		p.Range.From, p.Range.To = conversation.TurnRange(conversation.MessagesIn(p.log, spans))
	}
}

// ProposeOverlays returns a proposal of overlays that a rule chose. The reason in made
// is appended to the description of their effect. The error wraps ErrNothingToGain.
func ProposeOverlays(log []conversation.Event, r preset.Rules, in Inputs, origin conversation.Origin, bodies ...conversation.Body) (Proposal, error) {
	p := Proposal{log: log, rules: r, inputs: in, origin: origin, viewBefore: in.Meter.View()}
	p.origin.Preset = string(r.Preset)
	p.Range.From, p.Range.To = p.turnsTouched(bodies)
	if err := p.setOverlays(bodies...); err != nil {
		return Proposal{}, err
	}
	if origin.Why != "" {
		p.origin.Why += "; " + origin.Why
	}
	return p, nil
}

func (p *Proposal) turnsTouched(bodies []conversation.Body) (from, to int) {
	var spans []conversation.Span
	for _, b := range bodies {
		spans = conversation.JoinSpans(spans, conversation.SpansOf(b))
	}
	var found []conversation.Event
	covered := conversation.Disjoint(spans)
	for _, e := range p.log {
		if covered.Contains(e.Seq) && conversation.IsMessage(e.Body) {
			found = append(found, e)
		}
	}
	return conversation.TurnRange(found)
}

// Rebase recomputes a proposal without an open job for a log that has grown since, with
// masks in the same epoch before its overlays. The caller makes sure that no overlay was
// appended to the log in between. The error wraps ErrNothingToGain.
func (p *Proposal) Rebase(log []conversation.Event, in Inputs, masks ...conversation.Body) (Proposal, error) {
	rebased := *p
	rebased.log, rebased.inputs, rebased.viewBefore = log, in, in.Meter.View()
	bodies := slices.Clone(p.overlays)
	if text, ok := p.writtenSummary(); ok && preset.WordingOf(text.Style).HasNotes && p.hasNewerOverlays(log) {
		text.Appendix = summary.Note(log, rebased.viewBefore, rebased.Spans, rebased.noteLimits())
		bodies[p.summaryIndex()] = text
	}
	if err := rebased.setOverlays(append(slices.Clone(masks), bodies...)...); err != nil {
		return Proposal{}, err
	}
	return rebased, nil
}

// hasNewerOverlays reports whether overlays were appended to the log of the proposal,
// which its note does not mention.
func (p *Proposal) hasNewerOverlays(log []conversation.Event) bool {
	return slices.ContainsFunc(log[min(len(p.log), len(log)):], func(e conversation.Event) bool { return e.Body.Kind().IsOverlay() })
}

// SavesEnough reports whether a proposal without an open job saves the share of the
// request that the planner requires (progress ratio).
func (p *Proposal) SavesEnough() bool {
	saved := p.origin.Before - p.origin.After
	return saved > 0 && float64(saved) >= p.rules.Planner.ProgressRatio*float64(p.origin.Before)
}

// DropsOldest reports whether the proposal drops the oldest messages.
func (p *Proposal) DropsOldest() bool {
	return slices.ContainsFunc(p.overlays, func(b conversation.Body) bool { return b.Kind() == conversation.KindDrop })
}

// A prepared summary is not an overlay until the planner evicts the events that
// it covers; then both are committed as one epoch. Rules:
//
//   - The text replaces the events it was written from, a note the other events of the
//     eviction. The note is part of the newest overlay and describes all the events.
//   - The summary stays valid where notes replaced its events meanwhile, or summaries
//     other events. Any other later overlay makes it invalid.

// ErrNotEvicted says that an eviction does not take all events that a summary covers.
var ErrNotEvicted = errors.New("the step leaves a part of what the summary covers")

// UnchangedSince reports whether a summary of spans that was prepared at an event of a
// log is still valid: the only overlays after the event are notes and summaries of
// other events.
func UnchangedSince(log []conversation.Event, seq uint64, spans []conversation.Span) bool {
	for _, e := range slices.Backward(log) {
		if e.Seq <= seq {
			return true
		}
		if !e.Body.Kind().IsOverlay() || isNote(e.Body) {
			continue
		}
		if s, ok := e.Body.(conversation.Summary); !ok || s.Policies != nil || spansOverlap(spans, s.Spans) {
			return false
		}
	}
	return true
}

// isNote reports whether an overlay replaces events by a note without a summary.
func isNote(b conversation.Body) bool {
	s, ok := b.(conversation.Summary)
	return ok && s.Policies == nil && s.Text == "" && preset.WordingOf(s.Style).HasNotes
}

// Covers reports whether a proposal covers any of the events of spans.
func (p *Proposal) Covers(spans []conversation.Span) bool { return spansOverlap(p.Spans, spans) }

func spansOverlap(a, b []conversation.Span) bool {
	return slices.ContainsFunc(a, func(x conversation.Span) bool {
		return slices.ContainsFunc(b, func(y conversation.Span) bool { return x.First <= y.Last && y.First <= x.Last })
	})
}

// EvictWith returns the proposal that evicts events by a note of the planner, in one
// epoch with the summaries of prepared proposals. With mayExtend it may evict events that
// only a summary covers, too. The error wraps ErrNotEvicted or ErrNothingToGain.
func EvictWith(log []conversation.Event, r preset.Rules, in Inputs, origin conversation.Origin, note conversation.Body, mayExtend bool, prepared ...*Proposal) (Proposal, error) {
	noteOverlay, _ := note.(conversation.Summary) // the planner's notes always are
	p := Proposal{Profile: preset.ProfileHeavy, log: log, rules: r, inputs: in, origin: origin, viewBefore: in.Meter.View(), evicts: true}
	p.origin.Preset, p.origin.Profile = string(r.Preset), preset.ProfileHeavy
	covered := projection.WithEarlier(log, noteOverlay.Spans)
	var texts []conversation.Summary
	for _, preparedProposal := range prepared {
		text, ok := preparedProposal.writtenSummary()
		evictsAll := ok && covered.ContainsMessages(log, text.Spans)
		if !ok || !evictsAll && !(mayExtend && preparedProposal.Covers(noteOverlay.Spans)) {
			return Proposal{}, ErrNotEvicted
		}
		text.Appendix, p.answeredJob = "", preparedProposal.answeredJob
		p.Spans, texts = conversation.JoinSpans(p.Spans, text.Spans), append(texts, text)
		if !evictsAll {
			noteOverlay = planner.EvictionNote(log, in.Meter.View(), conversation.JoinSpans(noteOverlay.Spans, p.Spans), p.noteLimits())
		}
	}
	rest := conversation.SpansWithout(log, noteOverlay.Spans, conversation.Disjoint(p.Spans).Contains)
	p.Spans = conversation.JoinSpans(p.Spans, noteOverlay.Spans)
	p.Range.From, p.Range.To = conversation.TurnRange(conversation.MessagesIn(log, p.Spans))
	if err := p.setOverlays(withNote(log, texts, noteOverlay, rest)...); err != nil {
		return Proposal{}, err
	}
	return p, nil
}

// withNote returns the overlays of texts and after them the note of an eviction, which
// replaces the rest of the events. Without a rest the last text gets the note.
func withNote(log []conversation.Event, texts []conversation.Summary, note conversation.Summary, rest []conversation.Span) []conversation.Body {
	var bodies []conversation.Body
	for i, text := range texts {
		if len(rest) == 0 && i == len(texts)-1 {
			text.Appendix = note.Appendix
		}
		bodies = append(bodies, text)
	}
	if len(rest) > 0 {
		note.Spans = rest
		note.FromTurn, note.ToTurn = conversation.TurnRange(conversation.MessagesIn(log, rest))
		bodies = append(bodies, note)
	}
	return bodies
}

// writtenSummary returns the summary that a model wrote; false if none is written.
func (p *Proposal) writtenSummary() (conversation.Summary, bool) {
	i := p.summaryIndex()
	if i < 0 {
		return conversation.Summary{}, false
	}
	s, ok := p.overlays[i].(conversation.Summary)
	return s, ok
}

// ProposeSummary proposes a summary of spans of whole units that a rule chose. The
// proposal has a job according to r.Summary; made describes the cause of the overlay.
// The error wraps ErrNoRange.
func ProposeSummary(log []conversation.Event, r preset.Rules, in Inputs, spans []conversation.Span, origin conversation.Origin) (Proposal, error) {
	if len(spans) == 0 {
		return Proposal{}, noRange("no event may be covered now")
	}
	if r.Summary.Mode == preset.ModeRawUnion {
		spans = projection.WithEarlier(log, spans)
	}
	spans = conversation.SpansWithoutRewound(log, spans)
	p := Proposal{Spans: spans, Profile: preset.ProfileHeavy, log: log, rules: r, inputs: in, origin: origin, viewBefore: in.Meter.View(), evicts: true}
	p.origin.Preset, p.origin.Profile = string(r.Preset), preset.ProfileHeavy
	p.Range.From, p.Range.To = conversation.TurnRange(conversation.MessagesIn(log, spans))
	if r.Summary.Mode == preset.ModeCumulative {
		for _, old := range SummaryRanges(log) {
			p.Range.From = min(p.Range.From, old.From)
		}
	}
	if err := p.prepareJob(r.Summary); err != nil {
		return Proposal{}, err
	}
	return p, nil
}

// ReadingAfter returns the meter's reading after the compaction. Its segments add up to
// Preview.After. A summary that is not written counts with its greatest expected length.
func (p *Proposal) ReadingAfter() meter.Reading {
	if p.Job == nil {
		return p.inputs.Meter.WithView(p.viewAfter).Reading()
	}
	remaining := p.viewBefore
	remaining.Messages, remaining.Sizes = nil, projection.Sizes{}
	isReplaced := p.isReplaced()
	for _, m := range p.viewBefore.Messages {
		if !isReplaced(&m) {
			m.AddTo(&remaining.Sizes)
			remaining.Messages = append(remaining.Messages, m)
		}
	}
	preview := p.Preview()
	return p.inputs.Meter.WithView(remaining).ReadingWithSummary(preview.After, preview.Summary.Estimate)
}

// Written is the written summary of a proposal that is not committed.
type Written struct {
	Text     string
	Appendix string // note that the program adds to it, or ""
	Covers   int    // tokens that it replaces: of the view, or where more of the originals it was written from
}

// Written returns the summary that a model wrote for the proposal; false if none is written.
func (p *Proposal) Written() (w Written, ok bool) {
	s, ok := p.writtenSummary()
	if !ok {
		return w, false
	}
	covers, isReplaced := 0.0, p.isReplaced()
	for i := range p.viewBefore.Messages {
		if m := &p.viewBefore.Messages[i]; isReplaced(m) {
			covers += p.inputs.Meter.MessageTokens(m)
		}
	}
	if p.answeredJob.Input != preset.InputView {
		covers = max(covers, p.inputs.Meter.Factor()*float64(p.answeredJob.CoveredTokens))
	}
	return Written{Text: s.Text, Appendix: s.Appendix, Covers: roundedTokens(covers)}, true
}

// WithText returns a proposal with the summary as the user edited it; p does not change.
// The error wraps summary.ErrRefused or ErrNothingToGain.
func (p *Proposal) WithText(text string) (Proposal, error) {
	text = strings.TrimSpace(conversation.Clean(text))
	s, ok := p.writtenSummary()
	if !ok {
		return Proposal{}, summary.Refused(summary.ErrUnended)
	}
	if text == s.Text {
		return *p, nil
	}
	if err := p.answeredJob.Check(text); err != nil {
		return Proposal{}, err
	}
	s.Text, s.Edited = text, true
	bodies := slices.Clone(p.overlays)
	bodies[p.summaryIndex()] = s
	edited := *p
	if err := edited.setOverlays(bodies...); err != nil {
		return Proposal{}, err
	}
	return edited, nil
}

// Edited reports whether the user edited the summary of the proposal.
func (p *Proposal) Edited() bool {
	s, _ := p.writtenSummary() // the zero summary is not edited
	return s.Edited
}

// summaryIndex returns the index of the written summary among the overlays, or -1.
func (p *Proposal) summaryIndex() int {
	if p.answeredJob == nil {
		return -1
	}
	return slices.IndexFunc(p.overlays, func(b conversation.Body) bool {
		s, ok := b.(conversation.Summary)
		return ok && s.Policies == nil
	})
}
