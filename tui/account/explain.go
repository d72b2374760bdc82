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
	"Replaces evicted turns: Plimsoll's note, model-written summaries, and lines that say what was left out. Undo the compaction to send the turns again.",
	"Your messages and attachments. They are never masked; they are evicted with their turn, and the note keeps your newest words and your requirements.",
	"The model's replies, including the one that is arriving. They are evicted with their turn, and a note replaces them.",
	"Reasoning that this provider needs to receive again. Compaction can leave it out.",
	"Tool calls. They are evicted with their turn; compaction can also hide the arguments of old ones.",
	"Tool results, evicted with their turn; the note names what they held. Old ones can also be masked, by you or automatically.",
	"Short texts that replace masked results. The model can read the originals with the recall tool.",
	"Your draft and queued messages; not counted as used.",
}

// factWords explain the rows that need no numbers of their own.
var factWords = map[rowKind]string{
	rowFree:       "The window less what is used. The reserve for the reply is part of it.",
	rowWindow:     "How many tokens a request may have. It comes from the first of these that knows it: the command line, the configuration, a refusal by the server, the server's list of models, the catalog.",
	rowLoad:       "Where auto-compaction starts: above it the oldest turns are evicted in one step and replaced by a note, with a summary where a model writes one. compaction.trigger_ratio and compaction.token_threshold set it, compaction.evict.target how far the step goes.",
	rowHard:       "Requests above it wait until older turns are compacted. That needs no model: if a summary is late, the note is used alone. compaction.hard_ratio sets it.",
	rowCold:       "Above it the oldest turns are evicted before the next request once the provider's cache is cold, down to this line and without a model. That request is paid in full anyway, so a shorter one costs less. compaction.evict.cold sets it.",
	rowReserve:    "Kept free for the reply: the longest reply of the model, at most an eighth of the window and 16k. Near the hard line longer replies are not requested.",
	rowAfterSend:  "What is used plus your draft and queued messages. The added part is always an estimate.",
	rowNext:       "What compaction does next and when, computed from the conversation as it is now. It is decided before every request and after every reply.",
	rowRule:       "The rules by which compaction acts automatically. compaction.preset in the configuration chooses them.",
	rowNoItem:     "Here the ten heaviest messages, results and prompts of the next request are listed.",
	rowNoSaving:   "Once something is compacted, this shows how many tokens each kind of compaction saves in the next request.",
	rowWithout:    "The size of a request without any compaction: what is sent plus what each kind saves. Both are estimates.",
	rowPins:       "Pinned messages are always sent in full.",
	rowOff:        "The estimate of the last request, by what is learned by now, against the tokens that the provider reported for it. Estimates only fill the gap since the last report.",
	rowTotal:      "The cost of all requests, summaries included: as the provider reported it, or the reported tokens times the catalog's prices. Not known means that a price or a report is missing.",
	rowSummaries:  "What was paid for writing summaries, with attempts that failed. It is part of the total.",
	rowCacheSaved: "How much more the cached tokens would have cost at full price. Compaction invalidates part of the cache, so it acts rarely.",
	rowPrompts:    "The tokens of all requests, as the provider reported them. Early messages are sent, and counted, with each request. Cached tokens cost a fraction.",
	rowCacheUse:   "What all requests read from the provider's cache, what they wrote to it, and what was sent again at full price because the cache expired during a pause.",
	rowCacheKept:  "How long the provider keeps a conversation in its cache after a request. Claude keeps it for five minutes, or for an hour at a higher price for what is new: each time the cache is cold the cheaper one is chosen by the pauses between your messages. cache_ttl of the model in the configuration fixes it.",
	rowCacheNow:   "How much of the last request the provider read from its cache, as it reported. The cache expires during a pause, and everything after a change is new to it.",
}

// itemWords explain one of the heaviest.
func (c *Content) itemWords(it inspect.Item) string {
	if it.Event == 0 {
		return segmentWords[it.Kind] + " Estimated by its characters."
	}
	text := segmentNames[it.Kind] + ", turn " + strconv.Itoa(it.Turn) + ": " + pane.About(it.Tokens) + " tokens, estimated by its characters"
	switch {
	case it.Before > it.Tokens:
		text += "; " + pane.About(it.Before) + " in full"
	case it.Before > 0 && it.Before < it.Tokens:
		text += "; only " + pane.About(it.Before) + " in full"
	}
	text += "."
	if why := safe(it.Why); why != "" {
		text += " It is " + safe(it.State.Word()) + ": " + why + "."
	}
	return text
}

// savingWords explain what a kind of overlay saves.
func (c *Content) savingWords(s inspect.Saving) string {
	what := savingKinds[s.Kind]
	if what == "" {
		what = "What is sent in a shorter form."
	}
	end := " Estimated: the originals minus what is sent instead."
	if s.Tokens < 0 {
		end = " What replaces them is longer than the originals."
	}
	return what + end
}

// savingKinds say what the kinds of overlays do.
var savingKinds = map[string]string{
	"masks":        "Old tool results that are masked; the model can read them with the recall tool.",
	"caps":         "Results that are too long and are sent in part.",
	"summaries":    "Turns replaced by a note or a summary; the model can read them with the recall tool.",
	"drops":        "The oldest messages, left out because nothing else saved enough.",
	"reasoning":    "Reasoning that is not sent again.",
	"arguments":    "Arguments of old calls that are hidden.",
	"pointers":     "Results that another result repeats.",
	"turns undone": "Turns that you undid: they are not sent, and can be redone.",
}
