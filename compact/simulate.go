package compact

import (
	"context"
	"errors"

	"plimsoll/conversation"
)

// What a preset would give for a conversation now: its rules are applied at
// once to what was said, whatever overlays there are, with extracts in place of
// summaries. Nothing is written. Rules that wait for something (a trigger, a
// cold cache, a command) count as having come to it; thresholds that are part
// of a rule stay.

// PresetView is the view that the rules would give of a log now. Without a
// window, rules that are shares of it do nothing.
func PresetView(log []conversation.Event, s Situation, r Rules) (View, error) {
	said := asSaid(log, r.Preset == PresetPlimsoll)
	p := presetRun{log: said, rules: r, now: s}
	p.look()
	err := p.run()
	if errors.Is(err, ErrNoRange) || errors.Is(err, ErrNothingToGain) || errors.Is(err, ErrSummaryRefused) {
		err = nil // the rule finds nothing to do
	}
	return p.view, err
}

// asSaid is a log without overlays but turns that are taken back. With pointers
// a result that repeats an earlier one says so.
func asSaid(log []conversation.Event, pointers bool) []conversation.Event {
	gone := conversation.TakenBack(log)
	var repeats Repeats
	var out []conversation.Event
	for i, e := range log {
		if e.Body.Kind().Overlay() || gone != nil && gone[i] != 0 {
			continue
		}
		if b, ok := e.Body.(conversation.ToolResult); ok {
			b.Repeats = 0
			if pointers {
				b.Repeats = repeats.Of(b)
			}
			e.Body = b
			repeats.Note(e)
		}
		out = append(out, e)
	}
	return out
}

// presetRun applies a preset to a log.
type presetRun struct {
	log   []conversation.Event
	rules Rules
	now   Situation
	view  View
}

// look projects the log as it is now.
func (p *presetRun) look() {
	p.view = Project(p.log)
	p.now.Meter = p.now.Meter.WithView(p.view)
}

// add puts an overlay behind the log.
func (p *presetRun) add(body conversation.Body) {
	p.log = behind(p.log, p.now.Now, body)
	p.look()
}

func (p *presetRun) run() error {
	switch p.rules.Preset {
	case PresetRaw:
		return nil
	case PresetTruncate:
		p.truncate()
		return nil
	case PresetAdachsoft:
		p.mask(dedupeItems(p.view.Messages, p.rules))
		return nil
	case PresetJCLI:
		return p.jcli()
	case PresetOneClaw:
		return p.oneClaw()
	case PresetJP, PresetJPHeavy, PresetJPAuto:
		return p.jp()
	}
	return p.plimsoll()
}

// mask hides items in the preset's style.
func (p *presetRun) mask(items []conversation.MaskItem) {
	if len(items) > 0 {
		p.add(conversation.Mask{Style: p.rules.Preset.Style(), Version: StubVersion, Preview: p.rules.Mask.Preview, Items: items})
	}
}

// used and soft are the size of a request now and the load line, in tokens.
func (p *presetRun) used() float64 { return float64(p.now.Meter.EstimatedTokens()) }

func (p *presetRun) soft() float64 { return float64(p.now.Meter.Reading().LoadLine) }

func (p *presetRun) truncate() {
	soft := p.soft()
	if soft == 0 || p.used() <= soft {
		return
	}
	if spans := DropSpans(p.view, p.now.Meter, TruncateShare*soft); len(spans) > 0 {
		p.add(conversation.Drop{Spans: spans})
	}
}

// plimsoll masks what is old; above the load line it does what the planner does
// there.
func (p *presetRun) plimsoll() error {
	now := newPlanner(p.rules, Check{Moment: MomentRequest, Log: p.log, View: p.view, Meter: p.now.Meter})
	soft, hard := now.reading.LoadLine, now.reading.HardLine
	if soft == 0 || now.reading.Used <= soft {
		p.mask(MaskItems(p.view, p.rules, p.now.Meter))
		return nil
	}
	plan := now.makeRoom(now.plan(TriggerLoadLine))
	for _, b := range plan.Masks {
		p.add(b)
	}
	err := p.summarise(plan.Spans)
	if p.used() > float64(hard) {
		for _, b := range p.rules.Recover(Check{Log: p.log, View: p.view, Meter: p.now.Meter}) {
			p.add(b)
		}
	}
	return err
}

// oneClaw summarises everything but the newest share of the window.
func (p *presetRun) oneClaw() error {
	window := float64(p.now.Meter.Window().Tokens)
	if window == 0 {
		return nil
	}
	return p.summarise(BandSpans(p.view, p.now.Meter, BandRule{Protected: p.rules.ProtectedRatio * window, First: true}))
}

// jcli replaces old results, then above its threshold everything but the newest
// message of the user and what is open.
func (p *presetRun) jcli() error {
	p.mask(MicroItems(p.view, p.rules))
	if p.soft() == 0 || p.used() <= p.soft() {
		return nil
	}
	return p.summarise(BandSpans(p.view, p.now.Meter, BandRule{First: true}))
}

// jp is its compaction by hand, as if it were asked for now.
func (p *presetRun) jp() error {
	pass, err := NewPass(p.log, p.rules, p.now, NewWish())
	if err != nil {
		return err
	}
	if pass.Job != nil {
		if err := pass.Extract(); err != nil {
			return err
		}
	}
	for _, body := range pass.Bodies(0) {
		p.add(body)
	}
	return nil
}

// summarise puts an extract in place of spans.
func (p *presetRun) summarise(spans []conversation.Span) error {
	if len(spans) == 0 {
		return nil
	}
	pass := Pass{Spans: spans, Profile: ProfileHeavy, log: p.log, rules: p.rules, now: p.now, before: p.view}
	pass.Range.From, pass.Range.To = turnsOf(saidIn(p.log, spans))
	if err := pass.needSummary(p.rules.Summary); err != nil {
		return err
	}
	if err := pass.Extract(); err != nil {
		return err
	}
	for _, body := range pass.Bodies(0) {
		p.add(body)
	}
	return nil
}

// Extract answers the pass's job without a model. The error wraps
// ErrSummaryRefused or ErrNothingToGain.
func (pass *Pass) Extract() error {
	job := *pass.Job
	if pass.rules.Preset.Style() == conversation.StylePlimsoll {
		job.MaxTokens = min(job.MaxTokens, pass.rules.Planner.summaryMost(pass.now.Meter.Window().Tokens))
	}
	answer, err := Extractive{Log: pass.log}.Summarise(context.Background(), job) // never waits
	if err != nil {
		return err
	}
	return pass.Accept(answer)
}
