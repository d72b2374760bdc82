package account

import (
	"strconv"

	"plimsoll/compact/projection"

	"plimsoll/compact/inspect"
	"plimsoll/tui/pane"
)

// Explanations: one to three plain sentences on what a number counts, what acts there,
// and where it comes from.

// explain is what the panel says of a row.
func (r row) explain(c *Content, keys *KeyMap) string {
	switch r.kind {
	case rowGauge:
		return "What the next request would carry, by category. " + c.origin()
	case rowSegment:
		return segmentWords[r.n] + " " + c.part(projection.Segment(r.n))
	case rowItem:
		return c.itemWords(c.Account.Heaviest[r.n])
	case rowSaving:
		return c.savingWords(c.Account.Savings[r.n])
	case rowWindow:
		return factWords[rowWindow] + c.windowWords()
	case rowNext:
		return factWords[rowNext] + " " + keys.Preview.Help().Key + " shows what a compaction would do at once."
	case rowPins:
		return factWords[rowPins] + " " + keys.Pin.Help().Key + " on an item pins it or unpins it."
	case rowFactor:
		return "Estimates count about four Latin characters or one Chinese character as a token. The correction is what this model's reports were to those estimates, newer ones counting more; every estimate here is multiplied by it."
	}
	return factWords[r.kind]
}

// windowWords say where this window came from.
func (c *Content) windowWords() string {
	if w := c.Reading.Window; w.Known() {
		return " This one: " + windowNotes[w.Source] + "."
	}
	return " None of them knows this one; context.window sets it."
}

// origin says where the number of used tokens comes from.
func (c *Content) origin() string {
	switch {
	case !c.Reading.Estimated && c.Reading.Used > 0:
		return "The provider reported the number with its last reply, and nothing was added since."
	case c.Account.Calibration.Samples == 0:
		return "Estimated from the characters by script: this model has reported nothing yet."
	}
	return "Up to the last report the provider counted; what came since is estimated: characters by script, times the correction of " +
		c.factor() + "."
}

func (c *Content) factor() string {
	return strconv.FormatFloat(c.Account.Calibration.Factor, 'f', 2, 64)
}

// part says where the number of a category comes from.
func (c *Content) part(s projection.Segment) string {
	switch {
	case s == projection.Draft && c.Account.Calibration.Samples == 0:
		return "Estimated from its characters by script."
	case s == projection.Draft:
		return "Estimated from its characters by script, times the correction of " + c.factor() + "."
	}
	return "Providers report only the total: this part of it is estimated by characters."
}

// segmentWords say what a category counts and what acts there, by projection.Segment.
var segmentWords = [projection.Draft + 1]string{
	"The instructions and project files, sent first with every request; no compaction touches them.",
	"What the tools do and how they are called. It stays the same for the whole conversation, so that the cache holds, and no compaction touches it.",
	"What stands for evicted turns: the note that the program writes, summaries by a model, and lines that say what was left out. Undoing the compaction shows the turns again.",
	"What you said, with what you attached. It never becomes a stub: it is evicted with its turn, and the note keeps your newest words and what you demanded.",
	"What the model answered, the reply that is arriving included. It is evicted with its turn, and a note stands for it.",
	"Reasoning that this provider wants to have sent back. Compaction can leave it out.",
	"What the model asked tools to do. It is evicted with its turn; compaction can hide the arguments of old ones, too.",
	"What tools gave back. It is evicted with its turn, and the note names what it held; masks make stubs of old results where they are enabled, or by hand.",
	"Short texts that stand for hidden results. The model can read the results again with the tool recall.",
	"What you type and what waits in the queue; it is not part of what is used.",
}

// factWords explain the rows that need no numbers of their own.
var factWords = map[rowKind]string{
	rowFree:       "The window less what is used. The reserve for the reply is part of it.",
	rowWindow:     "How many tokens a request may have. It is taken from the command line, the configuration, a refusal by the server, the server's list of models or the catalogue, whichever of these speaks first.",
	rowLoad:       "Where compaction begins: above it the oldest turns are evicted in one step, and a note stands for them, with a summary where a model writes one. compaction.trigger_ratio and compaction.token_threshold set it, compaction.evict.target how far the step goes.",
	rowHard:       "No request above it is sent before there is room. That needs no model: where a summary is not there in time, the note stands alone. compaction.hard_ratio sets it.",
	rowCold:       "Above it the oldest turns are evicted before the next request once the provider's cache is cold, down to this line and without a model. That request is paid in full anyway, so a shorter one costs less. compaction.evict.cold sets it.",
	rowReserve:    "Kept free for the reply: the longest reply of the model, at most an eighth of the window and 16k. Near the hard line no longer reply is asked for.",
	rowAfterSend:  "What is used, with what you type and what waits in the queue. The added part is always an estimate.",
	rowNext:       "What is done next and when, worked out on the conversation as it is now. This is decided before every request and after every reply.",
	rowRule:       "The rules by which compaction acts automatically. compaction.preset in the configuration chooses them.",
	rowNoItem:     "Here the ten heaviest messages, results and prompts of the next request are listed.",
	rowNoSaving:   "Once something is shown shorter than it was said, this says how many tokens each kind of overlay saves in the next request.",
	rowWithout:    "What a request would come to without all of these: what is sent, and what each kind saves. Both are estimated, so that they compare.",
	rowPins:       "Messages that you pinned are sent as they were said, whatever a compaction does.",
	rowOff:        "The estimate of the last request, by what is learned by now, against the tokens that the provider reported for it. Estimates only fill the gap since the last report.",
	rowTotal:      "What all requests cost, summaries included: as the provider reported it, or the reported tokens times the catalogue's prices. Not known means that a price or a report is missing.",
	rowSummaries:  "What was paid for writing summaries, with attempts that failed. It is part of the total.",
	rowCacheSaved: "What the tokens that came from the provider's cache would have cost more without it. Compaction breaks the cache where it acts, so it acts rarely.",
	rowPrompts:    "The tokens of all requests, as the provider reported them; what is said early is sent, and counted, with each. Served from the cache, they cost a fraction.",
	rowCacheUse:   "What all requests read from the provider's cache, what they wrote to it, and what had to be sent again at the full price because the cache let go of it in a pause.",
	rowCacheKept:  "How long the provider keeps a conversation in its cache after a request. Claude keeps it for five minutes, or for an hour at a higher price for what is new: each time the cache is cold the cheaper one is chosen by the pauses between your messages. cache_ttl of the model in the configuration fixes it.",
	rowCacheNow:   "How much of the last request the provider read from its cache, as it reported. The cache forgets a conversation that rests, and what stands behind a change.",
}

// itemWords explain one of the heaviest.
func (c *Content) itemWords(it inspect.Item) string {
	if it.Event == 0 {
		return segmentWords[it.Kind] + " Estimated by its characters."
	}
	text := segmentNames[it.Kind] + ", turn " + strconv.Itoa(it.Turn) + ": " + pane.About(it.Tokens) + " tokens, estimated by its characters"
	switch {
	case it.Before > it.Tokens:
		text += "; " + pane.About(it.Before) + " as it was said"
	case it.Before > 0 && it.Before < it.Tokens:
		text += "; only " + pane.About(it.Before) + " as it was said"
	}
	text += "."
	if why := safe(it.Why); why != "" {
		text += " It is " + safe(string(it.State)) + ": " + why + "."
	}
	return text
}

// savingWords explain what a kind of overlay saves.
func (c *Content) savingWords(s inspect.Saving) string {
	what := savingKinds[s.Kind]
	if what == "" {
		what = "What is shown shorter than it was said."
	}
	end := " Estimated: what was said, less what is sent in its place."
	if s.Tokens < 0 {
		end = " What stands in their place is longer than what was said."
	}
	return what + end
}

// savingKinds say what the kinds of overlays do.
var savingKinds = map[string]string{
	"masks":        "Old results of tools that are sent as stubs; the model can read them again with the tool recall.",
	"caps":         "Results that are too long and are sent in part.",
	"summaries":    "Turns that a note or a summary stands for; the model can read them again with the tool recall.",
	"drops":        "The oldest messages, left out because nothing else made room.",
	"reasoning":    "Reasoning that is not sent back.",
	"arguments":    "Arguments of old calls that are hidden.",
	"pointers":     "Results that another one repeats: they point to it.",
	"turns undone": "Turns that you undid: they are not sent, and can be redone.",
}
