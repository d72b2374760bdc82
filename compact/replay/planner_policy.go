package replay

import (
	"slices"

	"plimsoll/compact"
	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// newPlannerPolicy returns a policy that applies the planner as the program does: before every request and at the end
// of every turn.
func newPlannerPolicy(s PolicySetting, rules preset.Rules) Policy {
	design := rules.Preset.Design()
	p := Policy{HasRecall: design.OwnFeatures, UsesPrices: design.OwnFeatures}
	switch {
	case design.OwnFeatures:
		p.StoreResult = StoreResults(s.Window)
	case design.Action == preset.ActSummariseOld:
		p.StoreResult = CutOnArrival(compact.ArrivalCap(rules.Preset, 0, s.Window), false)
	case design.Action == preset.ActOnRepeats:
		// Preset adachsoft requires a declaration of the arguments that identify a call: here all but those
		// with a payload. A tool without such arguments is excluded, because all its calls would count as repeats.
		// Configured fields replace this default.
		if dedupe := rules.Dedupe; len(dedupe.ToolIdentifierFields) > 0 || len(dedupe.ExcludedTools) > 0 {
			break
		}
		rules.Dedupe.ToolIdentifierFields, rules.Dedupe.ExcludedTools = identifierFields(s.Arguments)
	}
	var history planner.History
	p.Decide = func(in PolicyInput) (Decision, error) {
		plan := in.check(history).Plan(rules)
		if !plan.Acts() && !plan.BlocksRequest {
			return Decision{}, nil
		}
		decision, err := in.applyPlan(rules, plan, history)
		if err == nil && (len(plan.Spans) > 0 || plan.BlocksRequest || plan.Note != nil) {
			// A failed compaction, too, is retried only after the request has grown.
			history.After = int(in.With(decision.Overlays...).Used)
		}
		return decision, err
	}
	return p
}

// check converts the input to the planner's input.
func (in PolicyInput) check(history planner.History) planner.Check {
	moment := planner.MomentRequest
	switch {
	case in.TurnEnd:
		moment = planner.MomentReply
	case in.TurnStart:
		moment = planner.MomentTurn
	}
	sheet := planner.PriceSheet{Read: in.Sheet.Read, Write: in.Sheet.Write, Lifetime: in.Sheet.Lifetime}
	return planner.Check{Moment: moment, Log: in.Log, View: in.View, Meter: in.Meter, Idle: in.Idle, Sheet: sheet, History: history}
}

// applyPlan returns the overlays of a plan as one epoch, with extracts as summaries.
func (in PolicyInput) applyPlan(r preset.Rules, plan planner.Plan, history planner.History) (Decision, error) {
	if plan.Profile != "" {
		return applyRequest(in, r, edit.RequestOf(plan))
	}
	decision := Decision{Overlays: plan.Masks}
	if len(plan.Spans) == 0 {
		decision.Overlays = plan.WithoutSummary().Masks
	}
	origin := conversation.Origin{Source: conversation.SourceAuto, Trigger: plan.Trigger, Preset: string(r.Preset)}
	after := in.With(decision.Overlays...)
	needsRecovery := plan.Drops
	if len(plan.Spans) > 0 {
		proposal, err := edit.ProposeSummary(after.Log, r, after.editInputs(r), plan.Spans, origin)
		summarized, err := applyProposal(proposal, err, coveredChars(after.View, proposal.Spans))
		if err != nil {
			return Decision{}, err
		}
		needsRecovery = needsRecovery && len(summarized.Overlays) == 0
		for i := range summarized.SummaryCalls {
			if r.Preset.Design().OwnFeatures {
				summarized.SummaryCalls[i].View, summarized.SummaryCalls[i].Input = true, in.Used
			}
		}
		decision.Overlays, decision.SummaryCalls = append(decision.Overlays, summarized.Overlays...), summarized.SummaryCalls
		after = after.With(summarized.Overlays...)
	}
	if needsRecovery || plan.BlocksRequest && after.Used > float64(after.Meter.Reading().HardLine) {
		origin.Source, origin.Trigger = conversation.SourceRecovery, planner.TriggerHardLine
		recovery := after.check(history).Recover(r)
		decision.Overlays, after = append(decision.Overlays, recovery...), after.With(recovery...)
	}
	// Only the finished summary shows how many tokens it saves.
	if plan.Trigger == planner.TriggerLoadLine && in.Used-after.Used < r.Planner.ProgressRatio*in.Used {
		return Decision{SummaryCalls: decision.SummaryCalls}, nil
	}
	decision.Overlays = conversation.CombineIntoEpoch(decision.Overlays, origin, int(in.Used), int(after.Used))
	return decision, nil
}

// PlannerPolicy returns the maker of a policy that compacts automatically under the rules, as their preset does. It returns nil
// for an unknown preset.
func PlannerPolicy(r preset.Rules) PolicyMaker {
	switch d := r.Preset.Design(); {
	case d.SendsUnchanged:
		return func(PolicySetting) Policy { return Policy{} }
	case d.Action == preset.ActDrop:
		return func(s PolicySetting) Policy { return newTruncatePolicy(s, r) }
	case d.CommandOnly && !r.ActsAutomatically() && !preset.RulesOf(r.Preset).ActsAutomatically(): // otherwise as jp-auto (JP's RFD D17)
		return func(s PolicySetting) Policy { return newCommandPolicy(s, r) }
	}
	if !slices.Contains(preset.All(), r.Preset) {
		return nil
	}
	return func(s PolicySetting) Policy { return newPlannerPolicy(s, r) }
}
