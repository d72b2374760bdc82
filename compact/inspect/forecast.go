package inspect

import (
	"math"
	"time"

	"plimsoll/compact/edit"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// The forecast puts what the planner will do next into numbers and words. Edits are
// worked out as the agent would make them, and nothing is made.

// Forecast is what the planner will do next.
type Forecast struct {
	State planner.TimingState
	// At is the tokens of a request from which on it acts, 0 if none makes it act;
	// Left is how many may be added until then, never negative.
	At, Left int
	// Turns is in how many turns that will be, as the last ones went; 0 unknown.
	Turns int
	// Wait is how many more turns have to be said before it acts, whatever is used;
	// 0 none (D17).
	Wait int
	// What it would do at At, as far as what is said so far tells: how many results
	// and arguments it would hide, how many turns it would summarise, and what would
	// be left of a request, in tokens as the reading has them. All are 0 where
	// nothing is known.
	Masks              int
	Arguments          int  // of Masks, the arguments of calls
	SummaryFrom, Until int  // turns a summary would cover; Until -1: none
	EvictFrom, EvictTo int  // turns that a note would stand for; EvictTo -1: none
	EvictMore          bool // and turns that are still to come
	Drops              bool // the oldest messages would be left out (ONE)
	After              int
	// What a step would do before the next request if the provider's cache were cold
	// then: the turns that a note would stand for, ColdTo -1 if none, and what would
	// be left. Above ColdLine tokens such a step is made, 0 never; Cold says that the
	// cache is cold now.
	Cold             bool
	ColdLine         int
	ColdFrom, ColdTo int
	ColdAfter        int
	// Asks says that a model may be asked for a summary; after failures in a row none is.
	Asks     bool
	Failures int // in a row, of summaries that the rules ask for
	// Saver says that stubs are made below the load line too, where they pay, and
	// Stride how many tokens they have to save for that.
	Saver  bool
	Stride int
	// Each says that a layer of a source acts before every request, whatever is
	// used (JCL, ADA), and Soon how many results and arguments it hides by the next.
	Each bool
	Soon int
	Rule string // the rule in force, in a few words: the preset, the profile
}

// NewForecast tells what the planner will do next.
func NewForecast(r preset.Rules, c planner.Check) Forecast {
	a := c.Ahead(r)
	o := Forecast{State: a.State, At: a.At, Left: a.Left, Turns: a.Turns, Wait: a.Wait, Until: -1, EvictTo: -1, ColdTo: -1,
		Cold: a.Cold, ColdLine: a.ColdLine, Asks: a.Asks, Failures: a.Failures, Saver: a.Saver, Stride: a.Stride, Each: a.Each, Soon: a.Soon,
		Rule: ruleWords(r)}
	c.Refused = false
	o.steps(c.Log, a)
	o.next(r, c, a)
	// What is used may be counted from a report, what is left is estimated: told
	// beside each other they are in one measure.
	if before := c.Meter.EstimatedTokens(); before > 0 {
		by := float64(c.Meter.Reading().Used) / float64(before)
		o.After, o.ColdAfter = int(math.Round(float64(o.After)*by)), int(math.Round(float64(o.ColdAfter)*by))
	}
	return o
}

// steps tells what steps evict.
func (o *Forecast) steps(log []conversation.Event, a planner.Ahead) {
	if s := a.ColdStep; s != nil {
		o.ColdFrom, o.ColdTo, o.ColdAfter = s.Note.FromTurn, s.Note.ToTurn, s.After
	}
	s := a.Step
	if s == nil {
		return
	}
	o.EvictFrom, o.EvictTo, o.EvictMore, o.After = s.Note.FromTurn, s.Note.ToTurn, s.More, s.After
	if len(s.Summarised) > 0 {
		o.SummaryFrom, o.Until = conversation.TurnsOf(conversation.MessagesIn(log, s.Summarised))
	}
}

// next tells what rules that evict nothing do.
func (o *Forecast) next(r preset.Rules, c planner.Check, a planner.Ahead) {
	o.After += a.After
	switch plan := a.Next; {
	case !plan.Acts():
	case plan.Profile != "":
		o.profile(r, c, plan)
	case plan.Drops && len(plan.Spans) == 0:
		o.Drops = true
	default:
		o.Masks, o.Arguments = planner.HiddenBy(plan.Masks, plan.Spans)
		if len(plan.Spans) > 0 {
			o.summary(r, c, plan)
		}
	}
}

// summary tells what a summary in a plan stands for, and what is left with the
// longest that is expected. Nothing is written out for it.
func (o *Forecast) summary(r preset.Rules, c planner.Check, plan planner.Plan) {
	v, spans := c.View, plan.Spans
	if len(plan.Masks) > 0 {
		v = projection.Project(conversation.Extend(c.Log, time.Time{}, plan.Masks...))
	}
	if r.Summary.Mode == preset.ModeRawUnion {
		spans = projection.WithEarlier(c.Log, spans)
	}
	o.SummaryFrom, o.Until = conversation.TurnsOf(conversation.MessagesIn(c.Log, spans))
	o.After = edit.ExpectSummary(c.Log, r, edit.Inputs{Meter: c.Meter.WithView(v), Cold: c.Cold()}, spans).After
}

// profile tells what a profile would do (D17).
func (o *Forecast) profile(r preset.Rules, c planner.Check, plan planner.Plan) {
	pass, err := edit.NewProposal(c.Log, r, edit.Inputs{Meter: c.Meter.WithView(c.View), Cold: c.Cold()}, edit.RequestOf(plan))
	if err != nil {
		return // it would be refused: nothing would be done
	}
	preview := pass.Preview()
	o.After = preview.After
	for _, l := range preview.Layers {
		switch l.Kind {
		case edit.LayerSummary:
			o.SummaryFrom, o.Until = preview.Range.From, preview.Range.To
		case edit.LayerResults:
			o.Masks += l.Events
		case edit.LayerArguments:
			o.Masks, o.Arguments = o.Masks+l.Events, o.Arguments+l.Events
		}
	}
}

// ruleWords names the rules in force, and in what they measure if that is not a
// request.
func ruleWords(r preset.Rules) string {
	text := "preset " + string(r.Preset)
	switch acts := r.Preset.Design().Acts; {
	case r.Auto.Profile != "":
		text += ", profile " + r.Auto.Profile + " after a reply"
	case acts == preset.ActSummariseOld:
		text += ", a summary after a reply"
	case acts == preset.ActSummariseAll:
		text += ", a summary of everything"
	case acts == preset.ActOnRepeats:
		text += ", before every request"
	}
	if r.Auto.MinTurns > 0 {
		text += ", from turn " + numbers.Grouped(r.Auto.MinTurns) + " on"
	}
	return text
}
