package compact_test

import (
	"fmt"
	"strings"

	"plimsoll/compact"
	"plimsoll/compact/compacttest"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// The planner's tests count in whole tokens: their meter has four characters to
// a token and no framing, and their rules are written out, so that the figures
// of a case can be added up by hand and do not change with the presets. In the
// window of 100,000 the load line is at 80,000 and the hard line at 95,000. A step
// leaves 40,000 at the load line and 70,000 with a cold cache, with less
// than 2,500 of them kept free for its note; the newest 20,000 to 25,000 stay.

// looking is what the planner is told besides the log.
type looking struct {
	rules   preset.Rules
	options meter.Options
	system  int // tokens of the system prompt
	check   compact.Check
}

// at is a look at some moment, with the rules and the window of the tests.
func at(m compact.Moment) looking {
	return looking{rules: compacttest.PlanRules(), options: meter.Options{Window: meter.Window{Tokens: 100_000}, Plain: true},
		check: compact.Check{Moment: m, Sheet: compact.PriceSheet{Read: 0.1, Write: 1}}}
}

// of is the check of a log.
func (k looking) of(log []conversation.Event) compact.Check {
	c := k.check
	c.Log, c.View = log, projection.Project(log)
	c.Meter = meter.New(k.options).WithRules(k.rules).WithPrompt(conversation.Size{ASCII: 4 * k.system}, conversation.Size{}).WithView(c.View)
	return c
}

func (k looking) plan(l *compacttest.Tale) compact.Plan { return k.of(l.Events()).Plan(k.rules) }

// with is the same look, changed.
func (k looking) with(change func(*looking)) looking {
	change(&k)
	return k
}

// tell is what a plan does, in a line; "" if it does nothing.
func tell(p compact.Plan) string {
	var parts []string
	for _, b := range p.Masks {
		m, _ := b.(conversation.Mask) // the planner makes no others
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
		parts = append(parts, "cover "+spansText(p.Spans))
	case evicts:
		parts = append(parts, "evict "+spansText(note.Spans))
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
	if p.Hold {
		parts = append([]string{"hold"}, parts...)
	}
	return strings.Join(parts, ", ")
}

func spansText(spans []conversation.Span) string {
	var out []string
	for _, s := range spans {
		out = append(out, fmt.Sprintf("%d-%d", s.First, s.Last))
	}
	return strings.Join(out, " ")
}
