package replay

import (
	"slices"

	"plimsoll/compact"
	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// newPlannerPolicy is the planner at work, as it decides live: before every request,
// and when a turn has ended.
func newPlannerPolicy(s PolicySetting, rules preset.Rules) Policy {
	d := rules.Preset.Design()
	own := d.HasAdditions
	p := Policy{HasRecall: own, UsesPrices: own}
	switch {
	case own:
		p.StoreResult = StoreResults(s.Window)
	case d.Action == preset.ActSummariseOld:
		p.StoreResult = CutOnArrival(compact.ArrivalCap(rules.Preset, 0, s.Window), false)
	case d.Action == preset.ActOnRepeats:
		// ADA wants the arguments declared that tell calls apart: every one but those
		// that carry a payload. Tools without such an argument are left alone, because
		// without it all their calls would be one. What is configured counts instead.
		if d := rules.Dedupe; len(d.ToolIdentifierFields) > 0 || len(d.ExcludedTools) > 0 {
			break
		}
		rules.Dedupe.ToolIdentifierFields, rules.Dedupe.ExcludedTools = identifierFields(s.Arguments)
	}
	var past planner.Past
	p.Decide = func(l PolicyInput) (Decision, error) {
		plan := l.check(past).Plan(rules)
		if !plan.Acts() && !plan.Hold {
			return Decision{}, nil
		}
		act, err := l.carryOut(rules, plan, past)
		if err == nil && (len(plan.Spans) > 0 || plan.Hold || plan.Note != nil) {
			// What failed is tried again after growth, too.
			past.After = int(l.With(act.Overlays...).Used)
		}
		return act, err
	}
	return p
}

// check is a look as the planner takes it.
func (l PolicyInput) check(past planner.Past) planner.Check {
	moment := planner.MomentRequest
	switch {
	case l.TurnEnd:
		moment = planner.MomentReply
	case l.TurnStart:
		moment = planner.MomentTurn
	}
	sheet := planner.PriceSheet{Read: l.Sheet.Read, Write: l.Sheet.Write, Lifetime: l.Sheet.Lifetime}
	return planner.Check{Moment: moment, Log: l.Log, View: l.View, Meter: l.Meter, Idle: l.Idle, Sheet: sheet, Past: past}
}

// carryOut does what a plan says, one epoch.
func (l PolicyInput) carryOut(r preset.Rules, plan planner.Plan, past planner.Past) (Decision, error) {
	if plan.Profile != "" {
		return carryOutRequest(l, r, edit.RequestOf(plan))
	}
	act := Decision{Overlays: plan.Masks}
	if len(plan.Spans) == 0 {
		act.Overlays = plan.WithoutSummary().Masks
	}
	made := conversation.Origin{Source: conversation.SourceAuto, Trigger: plan.Trigger, Preset: string(r.Preset)}
	then := l.With(act.Overlays...)
	short := plan.Drops
	if len(plan.Spans) > 0 {
		more, err := summarizeSpans(then, r, plan.Spans, made)
		if err != nil {
			return Decision{}, err
		}
		short = short && len(more.Overlays) == 0
		for i := range more.SummaryCalls {
			if r.Preset.Design().HasAdditions {
				more.SummaryCalls[i].View, more.SummaryCalls[i].Input = true, l.Used
			}
		}
		act.Overlays, act.SummaryCalls = append(act.Overlays, more.Overlays...), more.SummaryCalls
		then = then.With(more.Overlays...)
	}
	if short || plan.Hold && then.Used > float64(then.Meter.Reading().HardLine) {
		made.Source, made.Trigger = conversation.SourceRecovery, planner.TriggerHardLine
		bodies := then.check(past).Recover(r)
		act.Overlays, then = append(act.Overlays, bodies...), then.With(bodies...)
	}
	if l.savesTooLittle(r, plan, then) {
		return Decision{SummaryCalls: act.SummaryCalls}, nil
	}
	act.Overlays = conversation.CombineIntoEpoch(act.Overlays, made, int(l.Used), int(then.Used))
	return act, nil
}

// savesTooLittle reports whether a pass above the load line saved less than it has to:
// what a summary saves is known only when it is there.
func (l PolicyInput) savesTooLittle(r preset.Rules, plan planner.Plan, then PolicyInput) bool {
	return plan.Trigger == planner.TriggerLoadLine && l.Used-then.Used < r.Planner.ProgressRatio*l.Used
}

// PlannerPolicy is how rules act by themselves, in the way of their preset; nil for
// one that is not known.
func PlannerPolicy(r preset.Rules) PolicyMaker {
	switch d := r.Preset.Design(); {
	case d.SendsUnchanged:
		return func(PolicySetting) Policy { return Policy{} }
	case d.Action == preset.ActDrop:
		return func(s PolicySetting) Policy { return newTruncatePolicy(s, r) }
	case d.CommandOnly && !r.ActsAutomatically() && !preset.RulesOf(r.Preset).ActsAutomatically(): // otherwise it is D17
		return func(s PolicySetting) Policy { return newCommandPolicy(s, r) }
	}
	if !slices.Contains(preset.All(), r.Preset) {
		return nil
	}
	return func(s PolicySetting) Policy { return newPlannerPolicy(s, r) }
}
