package inspect

import (
	"plimsoll/compact"
	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A preset is simulated on a log: its rules are applied at once to the original messages, without the existing
// overlays. Extracts replace summaries, and nothing is stored. The planner decides, as in a live conversation. A rule
// that waits for a trigger, a cold cache or a command acts at once; thresholds that are part of a rule stay.

// PresetView returns the view that the rules would give of a log now. Without a known window, rules that depend on
// its size do nothing.
func PresetView(log []conversation.Event, s edit.Inputs, r preset.Rules) (projection.View, error) {
	said := withoutOverlays(log, r.Preset.Design().OwnFeatures)
	p := presetSimulation{log: said, rules: r, inputs: s}
	p.project()
	err := p.run()
	return p.view, err
}

// withoutOverlays returns a log without overlays and rewound turns. With pointers, a result that repeats an earlier
// one refers to it.
func withoutOverlays(log []conversation.Event, pointers bool) []conversation.Event {
	gone := conversation.RewoundBy(log)
	var repeats compact.Repeats
	var out []conversation.Event
	for i, e := range log {
		if e.Body.Kind().IsOverlay() || gone != nil && gone[i] != 0 {
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

type presetSimulation struct {
	log    []conversation.Event
	rules  preset.Rules
	inputs edit.Inputs
	view   projection.View
}

func (p *presetSimulation) project() {
	p.view = projection.Project(p.log)
	p.inputs.Meter = p.inputs.Meter.WithView(p.view)
}

func (p *presetSimulation) add(bodies ...conversation.Body) {
	if len(bodies) > 0 {
		p.log = conversation.Extend(p.log, p.inputs.Now, bodies...)
		p.project()
	}
}

// used and loadLine are the size of the next request and the load line, in tokens.
func (p *presetSimulation) used() float64 { return float64(p.inputs.Meter.EstimatedTokens()) }

func (p *presetSimulation) loadLine() float64 { return float64(p.inputs.Meter.Reading().LoadLine) }

// maxPlans bounds the plans at one moment: one for rules that waited, and more for layers that act before every
// request.
const maxPlans = 3

// run asks the planner at the end of a turn and before the next request, as a live conversation does. Rules that are
// turned off do nothing here either.
func (p *presetSimulation) run() error {
	switch d := p.rules.Preset.Design(); {
	case d.SendsUnchanged || !p.rules.Enabled:
		return nil
	case d.CommandOnly && !p.rules.Auto.Enabled:
		return p.compactManually(edit.NewRequest())
	case d.Action == preset.ActDrop:
		p.truncate()
	}
	atOnce := true
	for _, moment := range []planner.Moment{planner.MomentReply, planner.MomentRequest} {
		for range maxPlans {
			plan := p.check(moment, atOnce).Plan(p.rules)
			if !plan.Acts() {
				break
			}
			if err := p.carryOut(plan); err != nil {
				return err
			}
			atOnce = false
		}
	}
	return nil
}

// check returns the input of a planner decision. After the first plan nothing acts at once any more.
func (p *presetSimulation) check(moment planner.Moment, atOnce bool) planner.Check {
	c := planner.Check{Moment: moment, Log: p.log, View: p.view, Meter: p.inputs.Meter, IgnoreWaits: atOnce}
	if !atOnce {
		c.History.After = p.inputs.Meter.Reading().Used
	}
	return c
}

// carryOut executes a plan, with an extract in place of a summary.
func (p *presetSimulation) carryOut(plan planner.Plan) error {
	if plan.Profile != "" {
		return p.compactManually(edit.RequestOf(plan))
	}
	p.add(plan.Masks...)
	summarised, err := p.summarise(plan)
	if err != nil {
		return err
	}
	if !summarised && plan.Note != nil {
		p.add(plan.Note)
	}
	hard := float64(p.inputs.Meter.Reading().HardLine)
	if plan.BlocksRequest && hard > 0 && p.used() > hard || plan.Drops && !summarised && p.used() > p.loadLine() {
		p.add(p.check(planner.MomentRequest, false).Recover(p.rules)...)
	}
	return nil
}

func (p *presetSimulation) truncate() {
	loadLine := p.loadLine()
	if loadLine == 0 || p.used() <= loadLine {
		return
	}
	if spans := planner.DropSpans(p.view, p.inputs.Meter, preset.TruncateShare*loadLine); len(spans) > 0 {
		p.add(conversation.Drop{Spans: spans})
	}
}

func (p *presetSimulation) compactManually(request edit.Request) error {
	_, err := p.apply(edit.NewProposal(p.log, p.rules, p.inputs, request))
	return err
}

// apply adds the overlays of a proposal, with an extract in place of a summary, and reports whether there were any.
func (p *presetSimulation) apply(proposal edit.Proposal, err error) (bool, error) {
	if err == nil && proposal.Job != nil {
		err = proposal.Extract()
	}
	switch {
	case err == nil:
		p.add(proposal.Bodies(0)...)
		return true, nil
	case edit.IsNothingToDo(err):
		return false, nil
	}
	return false, err
}

// summarise replaces the spans of a plan with an extract, and reports whether it did.
func (p *presetSimulation) summarise(plan planner.Plan) (bool, error) {
	if len(plan.Spans) == 0 {
		return false, nil
	}
	origin := conversation.Origin{Source: conversation.SourceAuto, Trigger: plan.Trigger}
	return p.apply(edit.ProposeSummary(p.log, p.rules, p.inputs, plan.Spans, origin))
}
