package planner

import (
	"math"
	"strings"

	"plimsoll/compact/preset"
	"plimsoll/conversation/numbers"
)

// ruleWords names the rules in force, and what those of a source do.
func ruleWords(r preset.Rules) (rule, deed string) {
	rule = "preset " + string(r.Preset)
	switch acts := r.Preset.Design().Acts; {
	case r.Auto.Profile != "":
		rule, deed = rule+", profile "+r.Auto.Profile+" after a reply", "profile "+r.Auto.Profile+" is applied"
	case acts == preset.ActSummariseOld:
		rule, deed = rule+", a summary after a reply", "older turns are summarized"
	case acts == preset.ActSummariseAll:
		rule, deed = rule+", a summary of everything", "all turns are summarized"
	case acts == preset.ActOnRepeats:
		rule += ", before every request"
	}
	if r.Auto.MinTurns > 0 {
		rule += ", from turn " + numbers.Grouped(r.Auto.MinTurns) + " on"
	}
	return rule, deed
}

// Words says the forecast in a sentence or two. Lines are told exactly, what is foretold
// with three digits that count. Cold is when the provider's cache goes cold, "" unknown.
func (o Forecast) Words(cold string) string {
	switch {
	case o.State == TimingOff:
		return "Auto-compaction is off; older turns are compacted only if the server refuses a request as too long."
	case o.State == TimingUnknown:
		return "The window is unknown; older turns are compacted only if the server refuses a request as too long."
	}
	var sentences []string
	if o.At > 0 {
		sentences = append(sentences, o.whenWords())
		if o.ColdTo >= 0 && o.State != TimingNow {
			sentences = append(sentences, o.coldWords(cold))
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

func (o Forecast) whenWords() string {
	deed := o.Deed
	if o.EvictTo >= 0 {
		deed = o.evictWords()
	}
	pause := "Auto-compaction is paused until " + numbers.Grouped(o.At) + " tokens: "
	switch o.State {
	case TimingHeld:
		return then(pause+"you undid a compaction.", deed)
	case TimingResting:
		return then(pause+"it has just run.", deed)
	case TimingNow:
		if deed == "" {
			return "The load line is passed, but there is too little to compact."
		}
		return "Next: " + deed + "."
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
	if deed == "" {
		deed = "older turns are compacted, if there are enough by then"
	}
	text := strings.Join(when, ", ") + ": " + deed + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

func then(text, deed string) string {
	if deed == "" {
		return text
	}
	return text + " Then " + deed + "."
}

// rough is a number with three digits that count.
func rough(n int) int {
	if n < 1000 {
		return n
	}
	unit := math.Pow(10, math.Floor(math.Log10(float64(n)))-2)
	return int(math.Round(float64(n)/unit) * unit)
}

func (o Forecast) evictWords() string {
	text, them := evictedWords(o.EvictFrom, o.EvictTo)
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

// evictedWords says that turns are evicted, and how to speak of them.
func evictedWords(from, to int) (text, them string) {
	if from == to {
		return numbers.Turns(from, to) + " is evicted", "it"
	}
	return numbers.Turns(from, to) + " are evicted", "them"
}

func (o Forecast) coldWords(at string) string {
	evicted, them := evictedWords(o.ColdFrom, o.ColdTo)
	rest := evicted + " before the next request, and a note replaces " + them + "; about " + numbers.Grouped(rough(o.ColdAfter)) + " tokens remain."
	switch {
	case o.Cold:
		return "The provider's cache is cold, so compacting costs nothing extra: " + rest
	case at == "":
		return "If you pause until the provider's cache goes cold, " + rest
	}
	return "If you pause until " + at + ", the provider's cache goes cold: then " + rest
}
