package conversation

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Names of the tools that read the compacted part of a conversation or ask for a
// compaction. The agent loop and the projection treat calls of them specially.
const (
	ToolRecall        = "recall"
	ToolSearchHistory = "search_history"
	// ToolCompact asks for a compaction; the agent sees the call and compacts
	// before the next request (J-CLI).
	ToolCompact = "compact"
)

// RecallID is the argument of a recall call: an event, a turn, or a range of
// either, both ends included.
type RecallID struct {
	Turns       bool   // a range of turns, not of events
	First, Last uint64 // equal for a single event or turn
}

// ParseRecallID parses e41, e41-45, t3 and t3-7, also in the variants that models write:
// in quotes or brackets, in capitals, with the full word, an event without its
// letter. It returns false for any other text, such as the id of a call.
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

// recallNumber parses a number with an optional prefix: 'e' for an event, 't' for a
// turn; letter is 0 without a prefix.
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

// String returns the id as stubs and tool results write it: e41, t3-7.
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

// Event returns the Seq of a single event; false for turns and ranges.
func (id RecallID) Event() (uint64, bool) {
	return id.First, !id.Turns && id.First == id.Last
}

// RecallTarget returns the id in the arguments of a recall call, as [RecallID.String]
// writes it. The stub of a recall result refers to this id and not to the result,
// so that a stub never leads to another stub. It returns false for arguments
// without the id of an event or a turn.
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
