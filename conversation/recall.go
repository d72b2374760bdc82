package conversation

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Tools by which a model reaches what its request does not show. The loop and
// the projection know them by name.
const (
	ToolRecall        = "recall"
	ToolSearchHistory = "search_history"
	// ToolCompact asks for a compaction; the one who runs the conversation sees
	// the call and acts before the next request (JCL).
	ToolCompact = "compact"
)

// RecallID is what recall is asked for by number: an event, a turn, or a run of
// either, both ends included.
type RecallID struct {
	Turns       bool   // turns are meant, not events
	First, Last uint64 // equal for a single one
}

// ParseRecallID reads e41, e41-45, t3 and t3-7, in the forms models write them:
// in quotes or brackets, in capitals, with the word in full, an event without
// its letter. It reports false for anything else, such as the id of a call.
func ParseRecallID(text string) (RecallID, bool) {
	text = strings.ToLower(strings.Trim(text, "\"'`#[](), \t\n"))
	first, last, run := strings.Cut(strings.ReplaceAll(text, "..", "-"), "-")
	letter, n, ok := recallNumber(first)
	id := RecallID{Turns: letter == 't', First: n, Last: n}
	if !ok || !run {
		return id, ok
	}
	end, m, ok := recallNumber(last)
	if !ok || end != 0 && end != max(letter, 'e') {
		return RecallID{}, false
	}
	id.First, id.Last = min(n, m), max(n, m)
	return id, true
}

// recallNumber reads a number behind a word for what it counts: 'e' for events,
// 't' for turns, 0 without a word.
func recallNumber(text string) (letter byte, n uint64, ok bool) {
	text = strings.TrimSpace(text)
	for _, word := range []string{"events", "event", "turns", "turn", "e", "t"} {
		if rest, found := strings.CutPrefix(text, word); found {
			letter, text = word[0], strings.TrimSpace(rest)
			break
		}
	}
	n, err := strconv.ParseUint(text, 10, 63)
	return letter, n, err == nil
}

// String is the id as stubs and answers write it: e41, t3-7.
func (id RecallID) String() string {
	text := "e"
	if id.Turns {
		text = "t"
	}
	text += strconv.FormatUint(id.First, 10)
	if id.Last != id.First {
		text += "-" + strconv.FormatUint(id.Last, 10)
	}
	return text
}

// Event is the Seq of the one event that is meant; false for turns and runs.
func (id RecallID) Event() (uint64, bool) {
	return id.First, !id.Turns && id.First == id.Last
}

// RecallTarget is the id that a call of recall with these arguments asked for,
// as [RecallID.String] writes it: the stub of a result of recall names it in
// place of the result itself, so that stubs form no chains. It reports false for
// arguments that name no event and no turn.
func RecallTarget(arguments string) (id string, ok bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &fields) != nil {
		return "", false
	}
	var value any
	if json.Unmarshal(fields["id"], &value) != nil {
		return "", false
	}
	text, _ := value.(string)
	if _, number := value.(float64); number {
		text = string(fields["id"])
	}
	parsed, ok := ParseRecallID(text)
	if !ok {
		return "", false
	}
	return parsed.String(), true
}
