package inspect

import (
	"math"
	"strings"

	"plimsoll/compact/planner"
	"plimsoll/conversation/numbers"
)

// The forecast in one or two short sentences, for the screen and the command line.
// Lines are told exactly, what is foretold with three digits that count.

// Words says the forecast in a sentence or two.
func (o Forecast) Words() string { return o.WordsUntil("") }

// WordsUntil says the forecast with the time at which the provider's cache goes cold,
// in words, "" unknown.
func (o Forecast) WordsUntil(cold string) string {
	switch {
	case o.State == planner.TimingOff:
		return "Auto-compaction is off; older turns are compacted only if the server refuses a request as too long."
	case o.State == planner.TimingUnknown && o.Saver:
		return "The window is unknown: old results are masked where it pays, and more is compacted only if the server refuses a request."
	case o.State == planner.TimingUnknown:
		return "The window is unknown; older turns are compacted only if the server refuses a request as too long."
	case o.At == 0:
		return joinedWords(o.eachWords(), o.exhausted())
	}
	return joinedWords(o.whenWords(), o.coldWords(cold), o.exhausted())
}

// joinedWords is sentences in a row.
func joinedWords(sentences ...string) string {
	var out []string
	for _, s := range sentences {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}

// eachWords tells of what acts before every request alone.
func (o Forecast) eachWords() string {
	switch {
	case !o.Each:
		return ""
	case o.Soon == 0:
		return "Old results are shortened before every request; none needs it now."
	}
	return "Old results are shortened before every request: " + hiddenWords(o.Soon, 0) + " by the next."
}

// mostTurns is the largest number of turns that is told.
const mostTurns = 99

// whenWords says when what is done.
func (o Forecast) whenWords() string {
	deed := o.deedWords()
	switch o.State {
	case planner.TimingHeld:
		return "Auto-compaction is paused until " + numbers.Grouped(o.At) + " tokens: you undid a compaction." + then(deed)
	case planner.TimingResting:
		return "Auto-compaction is paused until " + numbers.Grouped(o.At) + " tokens: it has just run." + then(deed)
	case planner.TimingNow:
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
	return upperFirst(strings.Join(when, ", ")) + ": " + deed + "."
}

// then is a sentence of what follows.
func then(deed string) string {
	if deed == "" {
		return ""
	}
	return " Then " + deed + "."
}

// deedWords says what is done, without a full stop; "" if nothing is.
func (o Forecast) deedWords() string {
	if o.EvictTo >= 0 {
		return o.evictWords()
	}
	text := ""
	if o.Masks > 0 {
		text = hiddenWords(o.Masks, o.Arguments) + " are masked"
		if o.Masks == 1 && o.Arguments == 0 {
			text = hiddenWords(1, 0) + " is masked"
		}
	}
	switch {
	case o.Until >= 0 && text != "":
		text += " and " + numbers.Turns(o.SummaryFrom, o.Until) + " are summarized"
	case o.Until > o.SummaryFrom:
		text = numbers.Turns(o.SummaryFrom, o.Until) + " are summarized"
	case o.Until >= 0:
		text = numbers.Turns(o.SummaryFrom, o.Until) + " is summarized"
	case o.Drops:
		text = "the oldest messages are left out"
	}
	if text == "" {
		return ""
	}
	return text + ", leaving about " + numbers.Grouped(rough(o.After)) + " tokens"
}

// hiddenWords names results and arguments.
func hiddenWords(all, arguments int) string {
	switch results := all - arguments; {
	case arguments == 0:
		return numbers.Count(results, "result")
	case results == 0:
		return "the arguments of " + numbers.Count(arguments, "call")
	default:
		return numbers.Count(results, "result") + " and the arguments of " + numbers.Count(arguments, "call")
	}
}

// exhausted says that no model is asked any more.
func (o Forecast) exhausted() string {
	if o.Asks || o.Failures == 0 {
		return ""
	}
	text := "No more summaries are requested after " + numbers.Count(o.Failures, "failure")
	switch {
	case o.Drops:
		text += "; the oldest messages are left out instead"
	case o.ColdLine > 0:
		text += "; a note alone replaces what is evicted"
	case o.Saver || o.Masks > 0:
		text += "; old results are still masked"
	}
	return text + "."
}

// rough is a number with three digits that count.
func rough(n int) int {
	if n < 1000 {
		return n
	}
	unit := math.Pow(10, math.Floor(math.Log10(float64(n)))-2)
	return int(math.Round(float64(n)/unit) * unit)
}

// evictWords says what a step at the load line evicts, and what stands for it.
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

// coldWords says what a cold cache leads to, "" if it changes nothing: at is when the
// cache goes cold, in words, "" unknown.
func (o Forecast) coldWords(at string) string {
	if o.ColdTo < 0 || o.State == planner.TimingNow {
		return ""
	}
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

// upperFirst is a sentence that begins with a capital letter; it begins with ASCII.
func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
