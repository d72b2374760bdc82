package replay

import (
	"errors"
	"fmt"
	"slices"

	"plimsoll/compact"
	"plimsoll/conversation"
)

// The presets of the sources as policies. The rules, the words and the projection
// are those of package compact; here stands when they act:
//
//   - S64 is a command. It is given at the start of every turn, and keeps the
//     newest turns before that one.
//   - D17 and ONE look when a turn has ended, all rounds of tools included.
//   - ADA and JCL act before every request.
//   - Summaries are extracts and are there at once. ONE and JCL have what is
//     covered read at full price, as the call shares no prefix; S64 what was said.

// maker is how a preset acts; nil for those that are none of the sources'.
func maker(p compact.Preset) Maker {
	switch p {
	case compact.PresetRaw:
		return func(Setting) Policy { return Policy{} }
	case compact.PresetTruncate:
		return newTruncate
	case compact.PresetJP, compact.PresetJPHeavy:
		return func(s Setting) Policy { return newJP(p) }
	case compact.PresetJPAuto:
		return newJPAuto
	case compact.PresetAdachsoft:
		return newAdachsoft
	case compact.PresetOneClaw:
		return newOneClaw
	case compact.PresetJCLI:
		return newJCLI
	}
	return nil
}

// nothing reports whether an error only says that a rule found nothing to do.
func nothing(err error) bool {
	return errors.Is(err, compact.ErrNoRange) || errors.Is(err, compact.ErrNothingToGain) || errors.Is(err, compact.ErrSummaryRefused)
}

// situation is what a pass depends on.
func (l Look) situation() compact.Situation {
	return compact.Situation{Meter: l.Meter, Now: l.Now, Cold: l.Cold(), Answering: !l.TurnEnd}
}

// wished does what a wish asks for, with an extract where it is a summary.
func wished(l Look, r compact.Rules, w compact.Wish) (Act, error) {
	pass, err := compact.NewPass(l.Log, r, l.situation(), w)
	if err == nil && pass.Job != nil {
		return extracted(l, pass, saidIn(l.Log, pass.Spans))
	}
	if err != nil {
		if nothing(err) {
			err = nil
		}
		return Act{}, err
	}
	return Act{Overlays: pass.Bodies(0)}, nil
}

// extracted takes an extract for a pass; input is what a model would have read,
// in code points.
func extracted(l Look, pass compact.Pass, input int) (Act, error) {
	if err := pass.Extract(); err != nil {
		if nothing(err) {
			err = nil
		}
		return Act{}, err
	}
	act := Act{Overlays: pass.Bodies(0)}
	for _, b := range act.Overlays {
		if s, ok := b.(conversation.Summary); ok {
			act.Calls = append(act.Calls, SummaryCall{Input: tokens(input), Output: tokens(conversation.Measure(s.Text).Chars())})
		}
	}
	return act, nil
}

// saidIn is the size of what was said in spans, in code points.
func saidIn(log []conversation.Event, spans []conversation.Span) int {
	n := 0
	for _, e := range log {
		if !slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Holds(e.Seq) }) {
			continue
		}
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			n += b.Size.Chars()
		case conversation.ToolResult:
			n += b.Size.Chars()
		case conversation.AssistantMessage:
			n += b.Size.Chars()
			for _, c := range b.Calls {
				n += c.Size.Chars()
			}
		}
	}
	return n
}

// covered is the size of what a view shows of spans, in code points.
func covered(v compact.View, spans []conversation.Span) int {
	n := 0
	for i := range v.Messages {
		m := &v.Messages[i]
		if slices.ContainsFunc(m.Events, func(seq uint64) bool {
			return slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.Holds(seq) })
		}) {
			n += chars(m)
		}
	}
	return n
}

// newJP is S64's command, given at the start of every turn.
func newJP(p compact.Preset) Policy {
	rules := compact.PresetRules(p)
	return Policy{Act: func(l Look) (Act, error) {
		if !l.TurnStart {
			return Act{}, nil
		}
		w := compact.NewWish()
		w.KeepLast = rules.KeepLast + 1 // and the turn that begins
		return wished(l, rules, w)
	}}
}

// newJPAuto is D17: when a turn has ended and the view holds enough characters,
// the profile is applied to what came since the last time.
func newJPAuto(s Setting) Policy {
	rules := compact.PresetRules(compact.PresetJPAuto)
	last, err := compact.ParseBound("last")
	return Policy{Act: func(l Look) (Act, error) {
		if err != nil {
			return Act{}, fmt.Errorf("reading a bound: %w", err)
		}
		if !l.TurnEnd || s.Window <= 0 || turnsSaid(l.Log) <= rules.Auto.MinTurns {
			return Act{}, nil
		}
		n := 0
		for i := range l.View.Messages {
			n += chars(&l.View.Messages[i])
		}
		if tokens(n) <= rules.TriggerRatio*float64(s.Window) {
			return Act{}, nil
		}
		w := compact.NewWish()
		w.Profile, w.From, w.Source, w.Trigger = rules.Auto.Profile, &last, conversation.SourceAuto, "automatic"
		return wished(l, rules, w)
	}}
}

// turnsSaid is how many turns a log holds.
func turnsSaid(log []conversation.Event) int {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].Turn + 1
}

// newOneClaw is ONE: above its threshold everything but the protected share of
// the window goes into the one summary, and if that does not come about the
// oldest units are left out.
func newOneClaw(s Setting) Policy {
	rules := compact.PresetRules(compact.PresetOneClaw)
	soft, protected := loadLine(s, rules), rules.ProtectedRatio*float64(s.Window)
	return Policy{
		Arrive: CutOnArrival(false),
		Act: func(l Look) (Act, error) {
			if !l.TurnEnd || soft == 0 || l.Used <= soft {
				return Act{}, nil
			}
			made := conversation.Made{Source: conversation.SourceAuto, Trigger: "threshold"}
			act, err := summarised(l, rules, compact.BandSpans(l.View, l.Meter, compact.BandRule{Protected: protected, First: true}), made)
			if err != nil || len(act.Overlays) > 0 {
				return act, err
			}
			if spans := compact.DropSpans(l.View, l.Meter, soft); len(spans) > 0 {
				act.Overlays = []conversation.Body{conversation.Drop{Made: made, Spans: spans}}
			}
			return act, nil
		},
	}
}

// summarised puts an extract in place of spans.
func summarised(l Look, r compact.Rules, spans []conversation.Span, made conversation.Made) (Act, error) {
	pass, err := compact.NewSummaryPass(l.Log, r, l.situation(), spans, made)
	if err != nil {
		if nothing(err) {
			err = nil
		}
		return Act{}, err
	}
	return extracted(l, pass, covered(l.View, pass.Spans))
}

// newJCLI is JCL: placeholders before every request, and above its threshold one
// summary in place of everything.
func newJCLI(Setting) Policy {
	rules := compact.PresetRules(compact.PresetJCLI)
	return Policy{Act: func(l Look) (Act, error) {
		if l.TurnEnd {
			return Act{}, nil
		}
		var act Act
		if items := compact.MicroItems(l.View, rules); len(items) > 0 {
			act.Overlays = append(act.Overlays, masked(rules, items))
			l = l.With(act.Overlays...)
		}
		if compact.JSONTokens(l.View) <= rules.TokenThreshold {
			return act, nil
		}
		more, err := summarised(l, rules, compact.BandSpans(l.View, l.Meter, compact.BandRule{First: true}), conversation.Made{Source: conversation.SourceAuto, Trigger: "threshold"})
		act.Overlays, act.Calls = append(act.Overlays, more.Overlays...), more.Calls
		return act, err
	}}
}

// masked hides items in the words of a preset.
func masked(r compact.Rules, items []conversation.MaskItem) conversation.Body {
	return conversation.Mask{Style: r.Preset.Style(), Version: compact.StubVersion, Preview: r.Mask.Preview, Items: items,
		Made: conversation.Made{Source: conversation.SourceAuto, Preset: string(r.Preset)}}
}

// newAdachsoft is ADA, with identifier fields declared: every argument but those
// that carry a payload. Tools without such an argument are left alone, because
// without it all their calls would be one.
func newAdachsoft(s Setting) Policy {
	rules := compact.PresetRules(compact.PresetAdachsoft)
	rules.Dedupe.ToolIdentifierFields, rules.Dedupe.ExcludedTools = identities(s.Arguments)
	return Policy{Act: func(l Look) (Act, error) {
		if l.TurnEnd {
			return Act{}, nil
		}
		items := compact.DedupeItems(l.View, rules)
		if len(items) == 0 {
			return Act{}, nil
		}
		return Act{Overlays: []conversation.Body{masked(rules, items)}}, nil
	}}
}

// payloadFields are arguments that carry what a call is about to do, not what it
// is about.
var payloadFields = []string{
	"content", "contents", "file_text", "text", "body", "input", "patch", "diff", "code", "prompt", "plan", "todos", "thought",
	"old_string", "new_string", "old_str", "new_str", "old_text", "new_text", "edits", "patterns", "message", "summary",
}

// identities declares the identifier fields of every tool, and lists the tools
// that have none.
func identities(arguments map[string][]string) (fields map[string][]string, excluded []string) {
	fields = map[string][]string{}
	for tool, names := range arguments {
		for _, name := range names {
			if !slices.Contains(payloadFields, name) {
				fields[tool] = append(fields[tool], name)
			}
		}
		if len(fields[tool]) == 0 {
			excluded = append(excluded, tool)
		}
	}
	slices.Sort(excluded)
	return fields, excluded
}
