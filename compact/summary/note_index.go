package summary

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/names"
)

// The index lists names in the evicted results, each with the newest event that contains
// it: a model sees what it can recall, at a few tokens a name. Rules:
//
//   - A name that the request shows elsewhere, or that is part of a longer name in the
//     index, is left out.
//   - Names that occur often come first, newer before older ones, and short before long
//     ones, so that many names fit into the room. Kinds that are used again seldom come last,
//     and measures and the names of libraries not at all.

const (
	// nameDecay is the age in tokens of conversation at which a name counts for a third.
	nameDecay = 16_000
	// nameReach is the age in tokens beyond which no further names are read, if there are
	// enough: their score would be almost zero.
	nameReach = 3 * nameDecay
	// shownReach is how many bytes of the newest texts are searched for names that the
	// request shows elsewhere.
	shownReach = 256 << 10
	// enoughNames is how many candidates to read for each name that fits into the room.
	enoughNames = 2
)

// NamesTitle is the heading of the index of names, which is the last section of a note.
const NamesTitle = "### Names in tool results, by event"

// IndexAt returns the byte offset of the index of names in the text of a block, or the
// length of the text without an index.
func IndexAt(text string) int {
	switch i := strings.LastIndex(text, "\n"+NamesTitle+"\n"); {
	case i >= 0:
		return i + 1
	case strings.HasPrefix(text, NamesTitle+"\n"):
		return 0
	}
	return len(text)
}

type indexedName struct {
	text  string
	score float64
	event uint64 // newest event that contains it
	order int    // number of names found before
}

// shownNames finds the names that a request shows outside of the index: in a view without
// spans, and in the other sections of a note.
type shownNames struct {
	view     projection.View
	covered  []conversation.Event // what the note replaces
	sections []string
}

// removeFrom removes the names that are shown, alone or within a longer one.
func (s shownNames) removeFrom(seen map[string]*indexedName) {
	found := func(name string) {
		delete(seen, name)
		for part := range names.Parts(name) {
			delete(seen, part)
		}
	}
	left := shownReach
	for i := len(s.view.Messages) - 1; i >= 0 && left > 0; i-- {
		m := &s.view.Messages[i]
		if m.State == projection.StateSummarised || m.State == projection.StateDropped || m.State != projection.StatePinned && conversation.IndexOf(s.covered, m.Events[0]) >= 0 {
			continue
		}
		left -= len(m.Text)
		names.Scan(m.Text, found)
		for k := range m.Calls {
			names.Scan(m.Calls[k].Arguments, found)
		}
	}
	for _, text := range s.sections {
		names.Scan(text, found)
	}
}

// nameIndex returns the index of the names in the results of events that are not shown;
// "" without any name or with hardly any room.
func nameIndex(events []conversation.Event, shown shownNames, room float64) string {
	if room -= textTokens(NamesTitle) + 1; room < minVerbatim {
		return ""
	}
	chosen := fitNames(rankedNames(events, shown, room), room)
	if len(chosen) == 0 {
		return ""
	}
	slices.SortFunc(chosen, func(a, b *indexedName) int {
		return cmp.Or(cmp.Compare(a.event, b.event), cmp.Compare(a.order, b.order))
	})
	var b strings.Builder
	b.WriteString(NamesTitle)
	last := uint64(0)
	for _, n := range chosen {
		if n.event != last {
			b.WriteString("\ne" + strconv.FormatUint(n.event, 10) + ":")
			last = n.event
		}
		b.WriteString(" " + n.text)
	}
	return b.String()
}

func rankedNames(events []conversation.Event, shown shownNames, room float64) []*indexedName {
	seen := namesSeen(events, room)
	shown.removeFrom(seen)
	all := make([]*indexedName, 0, len(seen))
	for _, n := range seen {
		if n.score = likelihood(n.text) * math.Sqrt(n.score) / (1 + textTokens(n.text)); n.score > 0 {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b *indexedName) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order))
	})
	return all
}

// likelihood returns how much likelier than others a name of its kind is used again, as in recordings: 0 for measures, and for
// what libraries brought.
func likelihood(name string) float64 {
	number := len(name) - len(strings.TrimLeft(name, "0123456789."))
	unit := name[number:]
	switch {
	case number > 0 && name[number-1] != '.' && unit != "" && !strings.ContainsAny(unit, "0123456789_/-") && (len(unit) <= 4 || strings.Contains(name[:number], ".")):
		return 0
	case slices.ContainsFunc(libraryParts, func(part string) bool { return strings.Contains(name, part) }):
		return 0
	case standardNames[name[:max(0, strings.IndexByte(name, '.'))]]:
		return 0.3
	case strings.HasPrefix(name, "/"):
		return 0.5
	case strings.Trim(name, "0123456789abcdef") == "":
		return 0.3
	case !strings.Contains(name, "/") && sourceFile(name):
		return 2
	}
	return 1
}

// libraryParts stand in the paths of libraries.
var libraryParts = []string{"node_modules/", "site-packages/", "/pkg/mod/", ".cargo/", "usr/lib/", "usr/local/lib/"}

// standardNames begin names of the standard libraries of Go, Python and JavaScript.
var standardNames = wordSet("bufio bytes context errors filepath fmt http io json log maps math os regexp slices sort strconv strings sync testing time console JSON Math Object Promise process sys re")

// sourceFile reports whether a name without a folder is one of a file.
func sourceFile(name string) bool {
	at := strings.LastIndexByte(name, '.')
	return at > 0 && fileEndings[name[at+1:]]
}

var fileEndings = wordSet("go py ts tsx js jsx mjs md json yml yaml rs sh txt html css scss toml cs php java kt rb c h cc cpp hpp sql")

// namesSeen returns the names in the newest results, enough of them for the room.
func namesSeen(events []conversation.Event, room float64) map[string]*indexedName {
	const perName = 4 // least tokens of a name, with its share of a line
	enough := enoughNames * int(room/perName)
	seen := make(map[string]*indexedName, min(enough, len(events)))
	age := 0.0
	for _, e := range slices.Backward(events) {
		if age > nameReach && len(seen) > enough {
			break
		}
		weight := math.Exp(-age / nameDecay)
		size, _ := conversation.MessageSize(e.Body) // other events are not sent
		age += meter.Estimate(size)
		b, ok := e.Body.(conversation.ToolResult)
		if !ok {
			continue
		}
		names.Scan(b.Text, func(name string) {
			if seen[name] == nil {
				seen[name] = &indexedName{text: name, order: len(seen), event: e.Seq}
			}
			seen[name].score += weight
		})
	}
	return seen
}

// lineTokens is the length of the beginning of a line in tokens.
const lineTokens = 4

// fitNames returns as many of the first names as fit into the room. A name that is part of
// a longer listed one is left out and needs no room.
func fitNames(ranked []*indexedName, room float64) []*indexedName {
	begun, contained := map[uint64]bool{}, map[string]bool{} // events with a line, and parts of listed names
	listed := map[string]bool{}
	for _, n := range ranked {
		if contained[n.text] {
			continue
		}
		cost := textTokens(n.text) + 1
		if !begun[n.event] {
			cost += lineTokens
		}
		if room -= cost; room < 0 {
			break
		}
		begun[n.event], listed[n.text] = true, true
		for part := range names.Parts(n.text) {
			if contained[part] = true; listed[part] {
				delete(listed, part)
				room += textTokens(part) + 1
			}
		}
	}
	return slices.DeleteFunc(ranked, func(n *indexedName) bool { return !listed[n.text] })
}
