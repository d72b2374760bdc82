package breakdown

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

type row struct {
	part        string // heading of the part that the row belongs to
	name, value string
	doc         string // explanation: what the value counts, and what sets it
	note        string // after the value, if there is room
	gauge       bool   // the row is the gauge
	tokens      int    // of a category
	category    projection.Segment
	item        inspect.Item // one of the heaviest; Event is 0 for the system prompt, the tools and other rows
}

// id identifies a row when the content changes.
func (r row) id() string {
	if r.item.Event != 0 {
		return "event " + strconv.FormatUint(r.item.Event, 10)
	}
	return r.part + r.name
}

// The parts of the view.
const (
	partFills    = "What fills it: tokens and share"
	partLines    = "The window and its lines"
	partNext     = "What happens next"
	partHeaviest = "The heaviest, in tokens"
	partAdded    = "Brought in besides messages, in tokens"
	partSaved    = "Saved by compaction, in tokens"
	partExact    = "How exact the estimates are"
	partCost     = "What it cost"
)

// calculating is the text of rows whose numbers are not known yet.
const calculating = "calculating…"

func (c *Content) pending() bool { return c.Breakdown.Forecast.State == "" }

func (c *Content) rows(out []row) []row {
	out = append(out, row{gauge: true, name: "how full it is", doc: "What the next request would carry, by category. " + c.origin()})
	return slices.Concat(out, c.categories(), c.lines(), c.next(), c.heaviest(), c.additions(), c.savings(), c.exactness(), c.costs())
}

// origin explains where the number of used tokens comes from.
func (c *Content) origin() string {
	switch {
	case !c.Reading.Estimated && c.Reading.Used > 0:
		return "The provider reported the number with its last reply, and nothing was added since."
	case c.Breakdown.Calibration.Samples == 0:
		return "Estimated from the characters by script: this model has reported nothing yet."
	}
	return "Up to the last report the provider counted; what came since is estimated: characters by script, times the correction below."
}

// segmentNames are the names of the categories, by projection.Segment.
var segmentNames = [projection.Draft + 1]string{
	"system prompt", "tools", "summary", "your messages", "replies", "reasoning", "tool calls", "tool results", "shortened", "draft",
}

// segmentDocs explain what a category counts and how compaction reduces it, by projection.Segment.
var segmentDocs = [projection.Draft + 1]string{
	"The instructions and project files, sent first with every request; no compaction touches them. Estimated from its characters.",
	"What the tools do and how they are called; no compaction touches it, so that the cache holds. Estimated from its characters.",
	"Stands for the oldest turns: what Plimsoll and a model wrote down of them. Estimated from its characters.",
	"Your messages and attachments. They are sent in full until their turn is summarized. Estimated from its characters.",
	"The model's replies, including the one that is arriving. They are sent until their turn is summarized. Estimated from its characters.",
	"Reasoning that this provider needs to receive again. Compaction can leave it out. Estimated from its characters.",
	"Tool calls. They are sent until their turn is summarized; compaction can also hide the arguments of old ones. Estimated from its characters.",
	"Tool results, sent until their turn is summarized. Old ones can also be shortened, by you or automatically. Estimated from its characters.",
	"Short texts that stand for old results. The model can read the originals with the recall tool. Estimated from its characters.",
	"Your draft and queued messages; not counted as used. Estimated from its characters.",
}

func (c *Content) categories() []row {
	r := &c.Reading
	var out []row
	for i, name := range segmentNames {
		tokens := r.Segments[i]
		if tokens == 0 {
			continue
		}
		out = append(out, row{
			part: partFills, name: name, category: projection.Segment(i), tokens: tokens, value: pane.About(tokens), note: c.share(tokens),
			doc: segmentDocs[i],
		})
	}
	free := row{part: partFills, name: "free", value: "?", doc: "The window less what is used. The reserve for the reply is part of it."}
	if r.Window.IsKnown() {
		free.tokens = max(0, r.Window.Tokens-r.Used)
		if free.value, free.note = pane.Tokens(free.tokens), c.share(free.tokens); r.Estimated {
			free.value = pane.About(free.tokens)
		}
	}
	return append(out, free)
}

// share is the percentage of the window, or of the used tokens if the window is unknown.
func (c *Content) share(tokens int) string {
	if c.Reading.Window.IsKnown() {
		return pane.Percent(tokens, c.Reading.Window.Tokens)
	}
	return pane.Percent(tokens, c.Reading.AfterSend)
}

// windowNotes say where the size of a window comes from.
var windowNotes = map[meter.WindowSource]string{
	meter.WindowFlag: "from the command line", meter.WindowConfig: "from the configuration",
	meter.WindowLearned: "learned from a refused request", meter.WindowServer: "from the server",
	meter.WindowCatalogue: "from the model catalog", meter.WindowUnknown: "unknown",
}

// WindowNote says where the size of a window comes from, in a few words.
func WindowNote(source meter.WindowSource) string { return windowNotes[source] }

func (c *Content) lines() []row {
	r, cold := &c.Reading, c.Breakdown.Forecast.ColdLine
	out := []row{
		{name: "window", value: pane.Tokens(r.Window.Tokens), note: windowNotes[r.Window.Source],
			doc: "How many tokens a request may have. It comes from the first of these that knows it: the command line, the configuration, a refusal by the server, the server's list of models, the catalog."},
		{name: "load line", value: c.line(r.LoadLine), note: c.ahead(r.LoadLine, "auto-compaction starts here"),
			doc: "Where auto-compaction starts: above it a summary replaces the oldest turns. compaction.trigger_ratio and compaction.token_threshold set it."},
		{name: "hard line", value: c.line(r.HardLine), note: c.ahead(r.HardLine, "requests wait above it"),
			doc: "Requests above it wait until older turns are compacted, which needs no model. compaction.hard_ratio sets it."},
	}
	if cold > 0 {
		out = append(out, row{name: "after a pause", value: c.line(cold), note: c.ahead(cold, "cache expired: compacts here"),
			doc: "Above it a summary replaces the oldest turns before the next request once the provider's cache is cold: that request is paid in full anyway. compaction.evict.cold sets it."})
	}
	out = append(out, row{name: "reserve", value: c.line(r.Reserve), note: "kept free for the reply",
		doc: "Kept free for the reply: the longest reply of the model, at most an eighth of the window and 16k."})
	if !r.Window.IsKnown() {
		for i := range out {
			out[i].value, out[i].note = "unknown", "depends on the window"
		}
		out[0].note = "set context.window, or a refusal tells it"
	}
	if r.KeptOut > 0 {
		out = append(out, row{name: "kept out", value: pane.About(r.KeptOut), note: "tools to look up, and what tasks read",
			doc: "What tools of servers would take of every request, which the model looks up with find_tools; and what tasks read and wrote besides their answers."})
	}
	after := row{name: "after sending", value: pane.About(r.AfterSend), note: "empty draft",
		doc: "What is used plus your draft and queued messages. The added part is always an estimate."}
	if r.AfterSend > r.Used {
		after.note = "the draft adds " + pane.About(r.AfterSend-r.Used)
	}
	if r.Window.IsKnown() {
		after.value += " · " + pane.Share(*r, r.AfterSend)
	}
	return inPart(partLines, append(out, after)...)
}

// line formats a line in tokens and as a percentage of the window.
func (c *Content) line(tokens int) string {
	return pane.Tokens(tokens) + " · " + pane.Share(c.Reading, tokens)
}

// ahead says what happens at a line, and how many tokens ahead it is.
func (c *Content) ahead(tokens int, what string) string {
	if left := tokens - c.Reading.Used; left > 0 {
		return what + ", " + pane.About(left) + " ahead"
	}
	return what + " (passed)"
}

func inPart(part string, rows ...row) []row {
	for i := range rows {
		rows[i].part = part
	}
	return rows
}

// next is what the planner will do. The forecast is corrected by the tokens that were added after it was made.
func (c *Content) next() []row {
	o := c.Breakdown.Forecast
	o.TokensLeft, o.Cold = max(0, o.TokensLeft-max(0, c.Reading.Used-c.Breakdown.Reading.Used)), c.Cold
	text := o.Text(c.ColdAt)
	switch {
	case c.pending():
		text = calculating
	case c.Paused && o.Failures > 0 && !o.MayAskModel: // the text says already that no model is asked
		text += " /compact asks again."
	case c.Paused:
		text += " Summaries are paused; /compact tries again."
	case text == "":
		text = "No compaction is planned."
	}
	rule := safe(o.Rule)
	rule = cmp.Or(rule, "not known")
	return inPart(partNext,
		row{name: "next", note: safe(text), doc: "What compaction does next and when, computed from the conversation as it is now."},
		row{name: "rules", value: rule, doc: "The rules by which compaction acts automatically. compaction.preset chooses them."})
}

func (c *Content) heaviest() []row {
	const most = 10
	var out []row
	for _, it := range c.Breakdown.Heaviest[:min(len(c.Breakdown.Heaviest), most)] {
		if it.Event != 0 && c.Pinned[it.Event] {
			it.State = projection.StatePinned
		}
		doc := segmentDocs[it.Kind]
		if it.Event != 0 {
			doc = segmentNames[it.Kind] + ", turn " + pane.Turn(it.Turn) + ": " + pane.About(it.Tokens) + " tokens, estimated from its characters"
			if it.Original > 0 && it.Original != it.Tokens {
				doc += "; " + pane.About(it.Original) + " in full"
			}
			doc += "."
		}
		if why := safe(pane.Reason(it.Why)); why != "" {
			word := safe(it.State.Word()) + ": "
			doc += " It is " + word + strings.TrimPrefix(why, word) + "."
		}
		label := it.Label
		if it.State == projection.StateSummarised || it.State == projection.StateDropped {
			label = strings.Replace(label, numbers.Turns(it.Turn, it.ToTurn), pane.Turns(it.Turn, it.ToTurn), 1)
		}
		out = append(out, row{part: partHeaviest, name: safe(label), value: pane.About(it.Tokens), item: it, category: it.Kind, doc: doc})
	}
	if len(out) == 0 {
		return c.placeholder(partHeaviest, "Nothing yet: send a message and its parts are listed here.",
			"Here the ten heaviest messages, results and prompts of the next request are listed.")
	}
	return out
}

func (c *Content) placeholder(part, text, doc string) []row {
	if c.pending() {
		text = calculating
	}
	return []row{{part: part, name: text, doc: doc}}
}

// additionDocs explain the kinds of additions.
var additionDocs = map[string]string{
	"skills":       "Texts of skills that the model loaded; /skills lists them.",
	"tools":        "Declarations of tools of servers that the model looked up.",
	"hooks":        "What your hooks added to messages and results; /status lists them.",
	"instructions": "Files of instructions in folders that the model worked in; /memory lists them.",
}

// additions are what skills, servers and hooks brought in.
func (c *Content) additions() []row {
	var out []row
	for _, a := range c.Breakdown.Additions {
		out = append(out, row{name: a.Kind, value: pane.About(a.Tokens), note: numbers.Count(a.Items, "time"),
			doc: additionDocs[a.Kind] + " It is part of the results and messages above, as long as they are sent. Estimated from its characters."})
	}
	return inPart(partAdded, out...)
}

// savingDocs explain the kinds of overlays.
var savingDocs = map[string]string{
	"masks":        "Old tool results that are shortened; the model can read them with the recall tool.",
	"caps":         "Results that are too long and are sent in part.",
	"summaries":    "Turns replaced by a summary; the model can read them with the recall tool.",
	"drops":        "The oldest messages, left out because nothing else saved enough.",
	"reasoning":    "Reasoning that is not sent again.",
	"arguments":    "Arguments of old calls that are hidden.",
	"pointers":     "Results that another result repeats.",
	"turns undone": "Turns that you undid: they are not sent, and can be redone.",
}

func (c *Content) savings() []row {
	var out []row
	all := c.Reading.Used
	for _, s := range c.Breakdown.Savings {
		all += s.Tokens
		r := row{name: safe(s.Kind), value: pane.About(s.Tokens), note: numbers.Count(s.Items, "message"),
			doc: savingDocs[s.Kind] + " Estimated: the originals minus what is sent instead."}
		switch s.Kind {
		case "masks":
			r.name = segmentNames[projection.Stubs]
		case "summaries":
			r.name = segmentNames[projection.Summary]
		}
		if s.Tokens < 0 {
			r.value = pane.About(-s.Tokens) + " more"
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		out = c.placeholder(partSaved, "Nothing yet: everything is sent in full.",
			"Once something is compacted, this shows how many tokens each kind of compaction saves in the next request.")
	} else {
		out = append(out, row{name: "in full", value: pane.About(all), note: "without compaction; now " + pane.About(c.Reading.Used),
			doc: "The size of a request without any compaction: what is sent plus what each kind saves."})
	}
	return inPart(partSaved, append(out, row{name: "pinned", value: numbers.Count(c.Breakdown.Pins, "message"),
		note: "always sent in full", doc: "Pinned messages are always sent in full."})...)
}

// exactness is how well the estimates fit the reports of the provider.
func (c *Content) exactness() []row {
	cal, off := c.Breakdown.Calibration, c.Breakdown.EstimateError
	factor := row{name: "correction", value: "none yet", note: "learned from what the provider reports",
		doc: "Estimates count about four Latin characters or one Chinese character as a token, times this correction, which is learned from the model's reports."}
	if cal.Samples > 0 {
		factor.value, factor.note = "× "+strconv.FormatFloat(cal.Factor, 'f', 2, 64), "learned from "+numbers.Count(cal.Samples, "report")
	}
	last := row{name: "last estimate", value: "not known yet", note: "shown after the first reply",
		doc: "The estimate of the last request against the tokens that the provider reported for it."}
	if off != nil {
		last.value, last.note = offWords(*off), "against what was reported"
	}
	return inPart(partExact, factor, last)
}

// offWords says how far an estimate was off. off is reported / estimated - 1.
func offWords(off float64) string {
	short := -off / (1 + off) * 100 // estimated / reported - 1, in percent
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

// costs are what requests and summaries cost, and what the cache saved.
func (c *Content) costs() []row {
	cost, use := &c.Breakdown.Costs, c.Breakdown.Cache
	total := row{name: "so far", value: amount(cost.Total), note: numbers.Count(cost.ReplyRequests+cost.SummaryRequests, "request"),
		doc: "The cost of all requests, summaries included. Not known means that a price or a report is missing."}
	switch by := safe(c.Priced); by {
	case "":
	case "reported":
		total.note += ", as the provider reported"
	default:
		total.note += ", prices of " + by
	}
	saved := row{name: "saved by cache", value: amount(cost.Saved), note: "less than at full price",
		doc: "How much more the cached tokens would have cost at full price. Compaction invalidates part of the cache, so it acts rarely."}
	if cost.Total == nil { // without prices, savings are unknown, too
		saved.value, saved.note = amount(nil), ""
	}
	sent := row{name: "tokens sent", value: pane.Tokens(cost.Prompt), note: pane.Tokens(cost.Output) + " output",
		doc: "The tokens of all requests, as the provider reported them. Early messages are sent, and counted, with each request."}
	if cost.Prompt > 0 {
		sent.note = pane.Percent(cost.Cached, cost.Prompt) + " of them from the cache, " + sent.note
	}
	reads := row{name: "cache reads", value: pane.Tokens(use.Read), note: pane.Tokens(use.Written) + " written",
		doc: "What all requests read from the provider's cache, what they wrote to it, and what was paid again because the cache expired."}
	if use.Expired > 0 {
		reads.note += ", " + pane.Tokens(use.Expired) + " expired and paid again"
	}
	summaries := row{name: "summaries", value: amount(cost.Summaries), note: numbers.Count(cost.SummaryRequests, "request") + ", part of the above",
		doc: "What was paid for writing summaries, with attempts that failed."}
	return inPart(partCost, total, summaries, saved, sent, reads, c.cacheLives(), c.cacheNow())
}

// cacheLives is how long the provider's cache keeps the conversation, and where that number comes from.
func (c *Content) cacheLives() row {
	r := row{name: "cache lives", value: "not known yet",
		doc: "How long the provider keeps a conversation in its cache after a request. For Claude, five minutes or an hour is chosen by the pauses between your messages; cache_ttl of the model in the configuration fixes it."}
	k := c.Breakdown.CacheRetention
	switch {
	case c.pending() || k.Lifetime <= 0:
		return r
	case k.Reason == promptcache.RetentionNoCache:
		r.value, r.note = "nothing cached", "this endpoint caches no prompts"
		return r
	}
	if r.value = numbers.Count(int(k.Lifetime/time.Minute), "minute"); k.Lifetime >= time.Hour && k.Lifetime%time.Hour == 0 {
		r.value = numbers.Count(int(k.Lifetime/time.Hour), "hour")
	}
	const leastSaving = 0.01 // US dollars from which a saving is named
	switch {
	case k.Reason == promptcache.RetentionConfigured:
		r.note = "cache_ttl in the configuration"
	case k.Reason != promptcache.RetentionByPauses:
		r.note = "assumed; cache_ttl sets it"
	case k.SavedUSD != nil && *k.SavedUSD >= leastSaving:
		r.note = "chosen by your pauses, saves about " + pane.Dollars(*k.SavedUSD)
	default:
		r.note = "chosen by your pauses"
	}
	return r
}

// cacheNow is the share of the last request that came from the cache, or that the cache is cold.
func (c *Content) cacheNow() row {
	r := row{name: "cache now", value: "not reported yet",
		doc: "How much of the last request the provider read from its cache. The cache expires during a pause, and everything after a change is new to it."}
	switch share := c.Reading.CachedShare; {
	case c.Cold:
		r.value, r.note = "cold", "expired: the next request pays full price"
	case share >= 0:
		r.value, r.note = numbers.Percent(share), "of the last request"
		if c.ColdAt != "" {
			r.note += ", until " + c.ColdAt
		}
	}
	return r
}

// amount formats a cost that may be unknown.
func amount(usd *float64) string {
	if usd == nil {
		return "not known"
	}
	return pane.Dollars(*usd)
}
