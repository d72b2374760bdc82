package account

import (
	"math"
	"strconv"
	"time"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// The facts: a name, a value and a note each.

// name is what a row is called, at its left and above its explanation.
func (r row) name(c *Content) string {
	switch r.kind {
	case rowGauge:
		return "how full it is"
	case rowSegment:
		return segmentNames[r.n]
	case rowFree:
		return "free"
	case rowItem:
		return safe(c.Account.Heaviest[r.n].Label)
	case rowSaving:
		return savingName(c.Account.Savings[r.n].Kind)
	}
	return factNames[r.kind]
}

// savingName is what a kind of saving is called.
func savingName(kind string) string {
	if kind == "summaries" {
		return segmentNames[projection.Summary]
	}
	return safe(kind)
}

// factNames are the names of rows with one value.
var factNames = map[rowKind]string{
	rowWindow: "window", rowLoad: "load line", rowHard: "hard line", rowCold: "cold line", rowReserve: "reserve", rowAfterSend: "after sending",
	rowNext: "next", rowRule: "rules", rowNoItem: "the heaviest", rowNoSaving: "savings", rowWithout: "without them", rowPins: "pinned",
	rowFactor: "correction", rowOff: "last estimate", rowTotal: "so far", rowSummaries: "summaries",
	rowCacheSaved: "saved by cache", rowPrompts: "tokens sent", rowCacheUse: "cache reads", rowCacheKept: "cache lives", rowCacheNow: "cache now",
}

// value is what a fact says, and a note on it.
func (r row) value(c *Content) (value, note string) {
	if c.pending() && (r.kind == rowNoItem || r.kind == rowNoSaving) {
		return "  " + workingOut, ""
	}
	switch r.kind {
	case rowWindow, rowLoad, rowHard, rowCold, rowReserve, rowAfterSend:
		return r.lineFact(c)
	case rowRule:
		if rule := safe(c.Account.Forecast.Rule); rule != "" {
			return rule, ""
		}
		return "not known", ""
	case rowNoItem:
		return "  Nothing yet: send a message and its parts are listed here.", ""
	case rowNoSaving:
		return "  Nothing yet: everything is sent in full.", ""
	case rowWithout:
		used := c.Reading.Used // so that it adds up with the gauge
		all := used
		for _, saving := range c.Account.Savings {
			all += saving.Tokens
		}
		return pane.About(all), "without compaction, instead of " + pane.About(used)
	case rowPins:
		n := c.Account.Pins
		return numbers.Count(n, "message"), "always sent in full"
	case rowFactor, rowOff:
		return r.estimateFact(c)
	}
	return r.costFact(c)
}

// lineFact is the window or one of its lines.
func (r row) lineFact(c *Content) (value, note string) {
	rd := &c.Reading
	switch known := rd.Window.Known(); {
	case r.kind == rowAfterSend:
		value = pane.About(rd.AfterSend)
		if known {
			value += " · " + pane.Share(*rd, rd.AfterSend)
		}
		if rd.AfterSend <= rd.Used {
			return value, "empty draft"
		}
		return value, "the draft adds " + pane.About(rd.AfterSend-rd.Used)
	case !known && r.kind == rowWindow:
		return "unknown", "set context.window, or Plimsoll learns it when a request is refused"
	case !known:
		return "unknown", "depends on the window"
	case r.kind == rowWindow:
		return pane.Tokens(rd.Window.Tokens), windowNotes[rd.Window.Source]
	case r.kind == rowLoad:
		return c.lineValue(rd.LoadLine), c.ahead(rd.LoadLine, "auto-compaction starts here")
	case r.kind == rowHard:
		return c.lineValue(rd.HardLine), c.ahead(rd.HardLine, "requests wait for compaction above it")
	case r.kind == rowCold:
		line := c.Account.Forecast.ColdLine
		return c.lineValue(line), c.ahead(line, "after a pause, compaction starts here")
	}
	return c.lineValue(rd.Reserve), "kept free for the reply"
}

// WindowNote says where a window came from.
func WindowNote(source meter.WindowSource) string { return windowNotes[source] }

// ahead says how far a line is, and what it is.
func (c *Content) ahead(tokens int, what string) string {
	if left := tokens - c.Reading.Used; left > 0 {
		return what + ", " + pane.About(left) + " ahead"
	}
	return what + " (passed)"
}

// windowNotes say where a window came from.
var windowNotes = map[meter.WindowSource]string{
	meter.WindowFlag: "from the command line", meter.WindowConfig: "from the configuration",
	meter.WindowLearned: "learned from a refused request", meter.WindowServer: "from the server",
	meter.WindowCatalogue: "from the model catalog", meter.WindowUnknown: "unknown",
}

// estimateFact is what was learned about the model.
func (r row) estimateFact(c *Content) (value, note string) {
	cal, off := c.Account.Calibration, c.Account.Off
	if r.kind == rowOff {
		if off == nil {
			return "not known yet", "shown after the first reply"
		}
		return c.offWords(*off), "against what was reported"
	}
	if cal.Samples == 0 {
		return "none yet", "learned from what the provider reports"
	}
	return "× " + strconv.FormatFloat(cal.Factor, 'f', 2, 64), "learned from " + numbers.Count(cal.Samples, "report")
}

// offWords say how far an estimate was off: reported over estimated, less 1.
func (c *Content) offWords(off float64) string {
	// The estimate against the report is the other way round.
	short := -off / (1 + off) * 100
	size := strconv.FormatFloat(math.Abs(short), 'f', 1, 64) + "%"
	switch {
	case off <= -1 || math.IsNaN(off) || math.IsInf(off, 0):
		return "not known yet"
	case size == "0.0%":
		return "exact"
	case short < 0:
		return size + " too low"
	}
	return size + " too high"
}

// costFact is what was paid, and for what.
func (r row) costFact(c *Content) (value, note string) {
	cost := &c.Account.Costs
	switch r.kind {
	case rowTotal:
		n := cost.Requests + cost.Written
		note = numbers.Count(n, "request")
		if p := priced(c.Priced); p != "" {
			note += ", " + p
		}
		return amount(cost.Total), note
	case rowSummaries:
		return amount(cost.Summaries), numbers.Count(cost.Written, "request") + ", part of the above"
	case rowCacheSaved:
		if cost.Total == nil {
			return amount(nil), "" // nothing is reckoned against a price that is not known
		}
		return amount(cost.Saved), "less than at full price"
	case rowPrompts:
		value, note = pane.Tokens(cost.Prompt), pane.Tokens(cost.Output)+" output"
		if cost.Prompt > 0 {
			note = pane.Percent(cost.Cached, cost.Prompt) + " of them from the cache, " + note
		}
		return value, note
	}
	if r.kind == rowCacheUse {
		use := c.Account.Cache
		note = pane.Tokens(use.Written) + " written"
		if use.Expired > 0 {
			note += ", " + pane.Tokens(use.Expired) + " expired and paid again"
		}
		return pane.Tokens(use.Read), note
	}
	if r.kind == rowCacheKept {
		return c.cacheKept()
	}
	return c.cacheNow()
}

// cacheKept is how long the provider's cache keeps the conversation, and why.
func (c *Content) cacheKept() (value, note string) {
	k := c.Account.Kept
	switch {
	case c.pending() || k.Lives <= 0:
		return "not known yet", ""
	case k.By == promptcache.ByNoCache:
		return "nothing cached", "this endpoint caches no prompts"
	}
	value = livesText(k.Lives)
	switch k.By {
	case promptcache.ByUser:
		return value, "cache_ttl in the configuration"
	case promptcache.ByPauses:
		note = "chosen by your pauses"
		switch {
		case k.USD != nil && *k.USD >= leastSaving:
			note += ", saves about " + pane.Dollars(*k.USD)
		case k.USD == nil && k.Saves > 0:
			note += ", saves about " + pane.About(int(k.Saves)) + " tokens"
		}
		return value, note
	}
	return value, "assumed; cache_ttl in the configuration sets it"
}

// leastSaving is the smallest saving worth a word, in US dollars.
const leastSaving = 0.01

// livesText is how long a cache lives, in minutes or hours.
func livesText(d time.Duration) string {
	if d >= time.Hour && d%time.Hour == 0 {
		return numbers.Count(int(d/time.Hour), "hour")
	}
	return numbers.Count(int(d/time.Minute), "minute")
}

// cacheNow is what the provider's cache is good for at this moment.
func (c *Content) cacheNow() (value, note string) {
	share := c.Reading.CachedShare
	if c.Cold {
		return "cold", "expired: the next request pays full price"
	}
	if share < 0 {
		return "not reported yet", ""
	}
	note = "of the last request came from it"
	if c.ColdAt != "" {
		note += ", it expires at " + c.ColdAt
	}
	return pane.Ratio(share), note
}

// amount is a cost that may not be known.
func amount(usd *float64) string {
	if usd == nil {
		return "not known"
	}
	return pane.Dollars(*usd)
}

// priced says what the costs rest on.
func priced(by string) string {
	switch by = safe(by); by {
	case "":
		return ""
	case "reported":
		return "as the provider reported"
	}
	return "prices of " + by
}

// workingOut is said until the account is there.
const workingOut = "calculating…"

// pending reports whether there is no account yet.
func (c *Content) pending() bool { return c.Account.Forecast.State == "" }

// outlook is what the planner will do, with what was added since it was asked.
func (c *Content) outlook() inspect.Forecast {
	o := c.Account.Forecast
	o.Left, o.Cold = max(0, o.Left-max(0, c.Reading.Used-c.Account.Reading.Used)), c.Cold
	return o
}

// nextLines are what the planner will do.
func (s *rows) nextLines(width int) []string {
	o := s.content.outlook()
	text := o.WordsUntil(s.content.ColdAt)
	switch {
	case s.content.Paused && o.Failures > 0 && !o.Asks: // it says that nobody is asked
		text += " /compact asks again."
	case s.content.Paused:
		text += " Summaries are paused; /compact tries again."
	}
	lines := pane.Wrap(safe(text), min(width, mostText))
	switch {
	case s.content.pending():
		lines = []string{workingOut}
	case lines[0] == "":
		lines[0] = "No compaction is planned."
	}
	for i, l := range lines {
		lines[i] = s.inks.text.Render(l)
	}
	return lines
}

// mostText is how many cells a line of prose has at most.
const mostText = 110

// pinned reports whether an event is pinned.
func (c *Content) pinned(event uint64) bool { return c.Pinned != nil && c.Pinned(event) }
