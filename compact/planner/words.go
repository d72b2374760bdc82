package planner

import (
	"math"
	"strings"

	"plimsoll/compact/preset"
	"plimsoll/conversation/numbers"
)

// ruleText names the rules in force, and the action of the rules of a source.
func ruleText(r preset.Rules) (rule, action string) {
	rule = "preset " + string(r.Preset)
	switch acts := r.Preset.Design().Action; {
	case r.Auto.Profile != "":
		rule, action = rule+", profile "+r.Auto.Profile+" after a reply", "profile "+r.Auto.Profile+" is applied"
	case acts == preset.ActSummariseOld:
		rule, action = rule+", a summary after a reply", "older turns are summarized"
	case acts == preset.ActSummariseAll:
		rule, action = rule+", a summary of everything", "all turns are summarized"
	case acts == preset.ActOnRepeats:
		rule += ", before every request"
	}
	if r.Auto.MinTurns > 0 {
		rule += ", from turn " + numbers.Grouped(r.Auto.MinTurns) + " on"
	}
	return rule, action
}

// Text describes the forecast in a sentence or two. Line values are exact, predicted ones
// have three significant digits. Cold is the time at which the provider's cache goes cold, "" unknown.
func (o Forecast) Text(cold string) string {
	switch {
	case o.State == TimingOff:
		return "Auto-compaction is off; older turns are compacted only if the server refuses a request as too long."
	case o.State == TimingUnknown:
		return "The window is unknown; older turns are compacted only if the server refuses a request as too long."
	}
	var sentences []string
	if o.At > 0 {
		sentences = append(sentences, o.whenText())
		if o.ColdTo >= 0 && o.State != TimingNow {
			sentences = append(sentences, o.coldText(cold))
		}
	}
	if !o.Asks && o.Failures > 0 {
		text := "No more summaries are requested after " + numbers.Count(o.Failures, "failure")
		if o.ColdLine > 0 {
			text += "; a note alone replaces what is evicted"
		}
		sentences = append(sentences, text+".")
	}
	return strings.Join(sentences, " ")
}

const mostTurns = 99

func (o Forecast) whenText() string {
	action := o.Action
	if o.EvictTo >= 0 {
		action = o.evictText()
	}
	pause := "Auto-compaction is paused until " + numbers.Grouped(o.At) + " tokens: "
	switch o.State {
	case TimingHeld:
		return then(pause+"you undid a compaction.", action)
	case TimingCooldown:
		return then(pause+"it has just run.", action)
	case TimingNow:
		if action == "" {
			return "The load line is passed, but there is too little to compact."
		}
		return "Next: " + action + "."
	}
	var when []string
	if o.Left > 0 {
		ahead := "about " + numbers.Grouped(rough(o.Left))
		if o.Turns > 0 && o.Turns <= mostTurns {
			ahead += " (" + numbers.Count(o.Turns, "turn") + ")"
		}
		when = append(when, "at "+numbers.Grouped(o.At)+" tokens", ahead+" from now")
	}
	if o.Wait > 0 {
		when = append(when, "after "+numbers.Count(o.Wait, "more turn"))
	}
	if len(when) == 0 {
		when = []string{"with your next message"}
	}
	if action == "" {
		action = "older turns are compacted, if there are enough by then"
	}
	text := strings.Join(when, ", ") + ": " + action + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

func then(text, action string) string {
	if action == "" {
		return text
	}
	return text + " Then " + action + "."
}

// rough rounds a number to three significant digits.
func rough(n int) int {
	if n < 1000 {
		return n
	}
	unit := math.Pow(10, math.Floor(math.Log10(float64(n)))-2)
	return int(math.Round(float64(n)/unit) * unit)
}

func (o Forecast) evictText() string {
	text, them := evictedText(o.EvictFrom, o.EvictTo)
	if o.EvictMore {
		text, them = "the oldest turns are evicted", "them"
	}
	switch {
	case o.Until < 0:
		text += ", and a note replaces " + them
	case o.EvictMore || o.SummaryFrom == o.EvictFrom && o.Until == o.EvictTo:
		text += ", and a note with a summary replaces " + them
	default:
		text += ", and a note replaces " + them + " with one summary of " + numbers.Turns(o.SummaryFrom, o.Until)
	}
	return text + "; about " + numbers.Grouped(rough(o.After)) + " tokens remain"
}

// evictedText says that turns are evicted, and returns the pronoun for them.
func evictedText(from, to int) (text, them string) {
	if from == to {
		return numbers.Turns(from, to) + " is evicted", "it"
	}
	return numbers.Turns(from, to) + " are evicted", "them"
}

func (o Forecast) coldText(at string) string {
	evicted, them := evictedText(o.ColdFrom, o.ColdTo)
	rest := evicted + " before the next request, and a note replaces " + them + "; about " + numbers.Grouped(rough(o.ColdAfter)) + " tokens remain."
	switch {
	case o.Cold:
		return "The provider's cache is cold, so compacting costs nothing extra: " + rest
	case at == "":
		return "If you pause until the provider's cache goes cold, " + rest
	}
	return "If you pause until " + at + ", the provider's cache goes cold: then " + rest
}
