package compacttest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// PlannerInput is the input of the planner without the log.
type PlannerInput struct {
	Rules   preset.Rules
	Options meter.Options
	System  int // tokens of the system prompt
	Check   planner.Check
}

// TokensAfter returns the tokens of the next request after overlays are appended to a log.
func (in PlannerInput) TokensAfter(l *LogBuilder, bodies []conversation.Body) int {
	next := conversation.NextEvents(l.Events(), conversationtest.Epoch, bodies...)
	return in.CheckOf(slices.Concat(l.Events(), next)).Meter.EstimatedTokens()
}

// CheckOf returns the full planner input for a log.
func (in PlannerInput) CheckOf(log []conversation.Event) planner.Check {
	c := in.Check
	c.Log, c.View = log, projection.Project(log)
	m := meter.New(in.Options).WithRules(in.Rules).WithPrompt(conversation.Size{ASCII: 4 * in.System}, conversation.Size{})
	c.Meter = m.WithView(c.View)
	return c
}

// Plan returns the plan for a log.
func (in PlannerInput) Plan(l *LogBuilder) planner.Plan { return in.CheckOf(l.Events()).Plan(in.Rules) }

// With returns a changed copy.
func (in PlannerInput) With(change func(*PlannerInput)) PlannerInput {
	change(&in)
	return in
}

// PlannerInputAt returns the input at a moment, with [PlanRules] and a window of 100,000 tokens.
func PlannerInputAt(m planner.Moment) PlannerInput {
	return PlannerInput{Rules: PlanRules(), Options: meter.Options{Window: meter.Window{Tokens: 100_000}, CharsOnly: true},
		Check: planner.Check{Moment: m, Sheet: planner.PriceSheet{Read: 0.1, Write: 1}}}
}

// Moments lists the moments at which the planner decides.
func Moments() []planner.Moment {
	return []planner.Moment{planner.MomentTurn, planner.MomentRequest, planner.MomentReply}
}

// AnyCheck draws rules, and planner input for a log, with rapid.
func AnyCheck(t *rapid.T, log []conversation.Event) (preset.Rules, planner.Check) {
	presets := append([]preset.Name{preset.Plimsoll, preset.Plimsoll, preset.Plimsoll, preset.Plimsoll}, preset.All()...)
	p := rapid.SampledFrom(presets).Draw(t, "preset")
	r := preset.RulesOf(p)
	if p == preset.Plimsoll {
		r = MaskRules(t)
		r.ProtectedRatio = rapid.SampledFrom([]float64{0.25, 0, 0.6}).Draw(t, "protected")
	}
	if p == preset.JPAuto {
		r.Auto.MinTurns = 1
	}
	switch layer := rapid.IntRange(0, 5).Draw(t, "layer"); {
	case p == preset.JCLI || p == preset.Plimsoll && layer == 5:
		r.Micro = preset.MicroRules{Enabled: true, KeepRecent: rapid.IntRange(0, 3).Draw(t, "recent"), MinBytes: rapid.SampledFrom([]int{800, 10}).Draw(t, "min bytes")}
	case p == preset.Plimsoll && layer == 4:
		r.Dedupe.Enabled = true
	}
	if p == preset.JCLI {
		r.TokenThreshold = rapid.SampledFrom([]int{500, 5000}).Draw(t, "threshold")
	}
	r.Dedupe.ToolIdentifierFields = map[string][]string{"read_file": {"path"}, "create_file": {"path"}}
	v := projection.Project(log)
	c := planner.Check{
		Moment: rapid.SampledFrom(Moments()).Draw(t, "moment"), Log: log, View: v,
		Meter: meter.New(MeterOptions(t)).WithRules(r).WithView(v), Sheet: AnyPriceSheet(t),
		Idle: rapid.SampledFrom([]time.Duration{0, 10 * time.Minute, 2 * time.Hour}).Draw(t, "idle"), CacheInvalid: rapid.IntRange(0, 4).Draw(t, "cache invalid") == 4,
	}
	if rapid.Bool().Draw(t, "some system prompt") {
		c.Meter = c.Meter.WithPrompt(conversation.Size{ASCII: rapid.IntRange(0, 20_000).Draw(t, "system")}, conversation.Size{})
	}
	if rapid.Bool().Draw(t, "past of the log") {
		c.History = planner.HistoryOf(log)
	} else {
		c.History.Failures = rapid.IntRange(0, 4).Draw(t, "failures")
	}
	return r, c
}

// AnyPriceSheet draws the prices of a provider.
func AnyPriceSheet(t *rapid.T) planner.PriceSheet {
	return planner.PriceSheet{
		Read:     rapid.SampledFrom([]float64{0.1, 0.5, 1, 0.02}).Draw(t, "read"),
		Write:    rapid.SampledFrom([]float64{1, 1.25, 2}).Draw(t, "write"),
		Lifetime: rapid.SampledFrom([]time.Duration{0, 5 * time.Minute}).Draw(t, "lifetime"),
	}
}

// Undo undoes the newest compaction, and reports whether there was one.
func Undo(t *testing.T, l *LogBuilder) bool {
	t.Helper()
	r, err := edit.Undo(l.Events(), 0)
	if err != nil && !errors.Is(err, edit.ErrNothingToUndo) {
		t.Fatal(err)
	}
	if err == nil {
		l.Epoch(r)
	}
	return err == nil
}
