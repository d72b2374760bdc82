package compacttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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
	return in.CheckOf(append(slices.Clip(l.Events()), conversation.NextEvents(l.Events(), conversationtest.Epoch, bodies...)...)).Meter.EstimatedTokens()
}

// CheckOf returns the full planner input for a log.
func (in PlannerInput) CheckOf(log []conversation.Event) planner.Check {
	c := in.Check
	c.Log, c.View = log, projection.Project(log)
	c.Meter = meter.New(in.Options).WithRules(in.Rules).WithPrompt(conversation.Size{ASCII: 4 * in.System}, conversation.Size{}).WithView(c.View)
	return c
}

// Plan returns the plan for a log.
func (in PlannerInput) Plan(l *LogBuilder) planner.Plan { return in.CheckOf(l.Events()).Plan(in.Rules) }

// With returns a changed copy.
func (in PlannerInput) With(change func(*PlannerInput)) PlannerInput {
	change(&in)
	return in
}

// PlannerInputAt returns the input at a moment, with PlanRules and a window of 100,000 tokens.
func PlannerInputAt(m planner.Moment) PlannerInput {
	return PlannerInput{Rules: PlanRules(), Options: meter.Options{Window: meter.Window{Tokens: 100_000}, CharsOnly: true},
		Check: planner.Check{Moment: m, Sheet: planner.PriceSheet{Read: 0.1, Write: 1}}}
}

// DescribePlan describes a plan in one line, "" if it does nothing.
func DescribePlan(p planner.Plan) string {
	var parts []string
	for _, b := range p.Masks {
		m, _ := b.(conversation.Mask) // the planner makes only masks here
		var items []string
		for _, i := range m.Items {
			item := fmt.Sprintf("e%d", i.Event)
			if i.Part == conversation.PartArguments {
				item += " " + i.Call
			}
			items = append(items, item)
		}
		parts = append(parts, "mask "+strings.Join(items, " "))
	}
	note, evicts := p.Note.(conversation.Summary)
	switch {
	case len(p.Spans) > 0:
		parts = append(parts, "cover "+SpansText(p.Spans))
	case evicts:
		parts = append(parts, "evict "+SpansText(note.Spans))
	}
	if p.Profile != "" {
		parts = append(parts, "profile "+p.Profile)
	}
	if p.Drops {
		parts = append(parts, "drops")
	}
	if p.Trigger != "" {
		parts = []string{p.Trigger + ": " + strings.Join(parts, ", ")}
	}
	if p.BlocksRequest {
		parts = append([]string{"hold"}, parts...)
	}
	return strings.Join(parts, ", ")
}

// SpansText formats spans, for example "1-4 7-9".
func SpansText(spans []conversation.Span) string {
	var out []string
	for _, s := range spans {
		out = append(out, fmt.Sprintf("%d-%d", s.First, s.Last))
	}
	return strings.Join(out, " ")
}

// PresetInput returns the input at a moment, with the rules of a preset.
func PresetInput(p preset.Name, m planner.Moment) PlannerInput {
	return PlannerInputAt(m).With(func(in *PlannerInput) { in.Rules = preset.RulesOf(p) })
}

// Moments lists the moments at which the planner decides.
func Moments() []planner.Moment {
	return []planner.Moment{planner.MomentTurn, planner.MomentRequest, planner.MomentReply}
}

// AnyCheck draws rules, and planner input for a log.
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

// Encoded returns the events of a log as they are stored.
func Encoded(t *rapid.T, log []conversation.Event) []string {
	out := make([]string, len(log))
	for i, e := range log {
		data, err := conversation.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = string(data)
	}
	return out
}

// LongCheck returns rules and planner input for a log of 10,000 events of about 1 KB, for a window in tokens. The rules could mask
// about 640,000 tokens of tool results.
func LongCheck(windowTokens int, at planner.Moment) (preset.Rules, planner.Check) {
	log := AppendTo(LongLog(10_000), conversation.UserMessage{Text: "And now?"})
	v := projection.Project(log)
	return preset.RulesOf(preset.Plimsoll), planner.Check{Moment: at, Log: log, View: v,
		Meter: meter.New(Window(windowTokens)).WithView(v), Sheet: planner.DefaultSheet()}
}

// LoadLine returns Plimsoll's load line for a window in tokens. It is higher than that of the other presets.
func LoadLine(tokens int) int {
	return int(preset.SharesFor(tokens).Trigger * float64(tokens))
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
