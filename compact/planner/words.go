package planner

import (
	"cmp"
	"math"
	"strings"

	"plimsoll/compact/preset"
	"plimsoll/conversation/numbers"
)

// ruleText names the rules in force. For the preset of a published design it also describes its action.
func ruleText(r preset.Rules) (rule, action string) {
	rule = "preset " + string(r.Preset)
	switch designAction := r.Preset.Design().Action; {
	case r.Auto.Profile != "":
		rule, action = rule+", profile "+r.Auto.Profile+" after a reply", "profile "+r.Auto.Profile+" is applied"
	case designAction == preset.ActSummariseOld:
		rule, action = rule+", a summary after a reply", "older turns are summarized"
	case designAction == preset.ActSummariseAll:
		rule, action = rule+", a summary of everything", "all turns are summarized"
	case designAction == preset.ActOnRepeats:
		rule += ", before every request"
	}
	if r.Auto.MinTurns > 0 {
		rule += ", from turn " + numbers.Grouped(r.Auto.MinTurns) + " on"
	}
	return rule, action
}

// Text describes the forecast in a sentence or two. Values of lines are exact, predicted ones have three significant digits. coldAt
// is the time at which the provider's cache goes cold, "" if unknown.
func (f Forecast) Text(coldAt string) string {
	switch {
	case f.State == TimingOff:
		return "Auto-compaction is off; older turns are compacted only if the server refuses a request as too long."
	case f.State == TimingUnknown:
		return "The window is unknown; older turns are compacted only if the server refuses a request as too long."
	}
	var sentences []string
	if f.AtTokens > 0 {
		sentences = append(sentences, f.whenText())
		if f.ColdTo >= 0 && f.State != TimingNow {
			sentences = append(sentences, f.coldText(coldAt))
		}
	}
	if !f.MayAskModel && f.Failures > 0 {
		sentences = append(sentences, "No more summaries are requested after "+numbers.Count(f.Failures, "failure")+".")
	}
	return strings.Join(sentences, " ")
}

const maxTurnsShown = 99

func (f Forecast) whenText() string {
	action := f.Action
	if f.EvictTo >= 0 {
		action = f.evictText()
	}
	pause := "Auto-compaction is paused until " + numbers.Grouped(f.AtTokens) + " tokens: "
	switch f.State {
	case TimingAfterUndo:
		return withAction(pause+"you undid a compaction.", action)
	case TimingCooldown:
		return withAction(pause+"it has just run.", action)
	case TimingNow:
		if action == "" {
			return "The load line is passed, but there is too little to compact."
		}
		return "Next: " + action + "."
	}
	var when []string
	if f.TokensLeft > 0 {
		ahead := "about " + numbers.Grouped(roundedTokens(f.TokensLeft))
		if f.Turns > 0 && f.Turns <= maxTurnsShown {
			ahead += " (" + numbers.Count(f.Turns, "turn") + ")"
		}
		when = append(when, "at "+numbers.Grouped(f.AtTokens)+" tokens", ahead+" from now")
	}
	if f.TurnsRequired > 0 {
		when = append(when, "after "+numbers.Count(f.TurnsRequired, "more turn"))
	}
	if len(when) == 0 {
		when = []string{"with your next message"}
	}
	action = cmp.Or(action, "the oldest turns become a summary")
	text := strings.Join(when, ", ") + ": " + action + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

func withAction(text, action string) string {
	if action == "" {
		return text
	}
	return text + " Then " + action + "."
}

// roundedTokens rounds a number to three significant digits.
func roundedTokens(n int) int {
	if n < 1000 {
		return n
	}
	unit := math.Pow(10, math.Floor(math.Log10(float64(n)))-2)
	return int(math.Round(float64(n)/unit) * unit)
}

func (f Forecast) evictText() string {
	text := summarizedText(f.EvictFrom, f.EvictTo)
	if f.EvictsMore {
		text = "the oldest turns become a summary"
	}
	return text + "; about " + numbers.Grouped(roundedTokens(f.After)) + " tokens remain"
}

// summarizedText says that a summary replaces turns, which people count from 1.
func summarizedText(from, to int) string {
	if from == to {
		return numbers.Turns(from+1, to+1) + " becomes a summary"
	}
	return numbers.Turns(from+1, to+1) + " become a summary"
}

func (f Forecast) coldText(at string) string {
	rest := summarizedText(f.ColdFrom, f.ColdTo) + " before the next request; about " + numbers.Grouped(roundedTokens(f.ColdAfter)) + " tokens remain."
	switch {
	case f.Cold:
		return "The provider's cache is cold, so compacting costs nothing extra: " + rest
	case at == "":
		return "If you pause until the provider's cache goes cold, " + rest
	}
	return "If you pause until " + at + ", the provider's cache goes cold: then " + rest
}
