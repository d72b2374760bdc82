package compact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/names"
)

// The last part of the appendix is an index of names: which files, symbols and
// ids the tool results held that are summarised, each with the newest event that
// held it. A summary says what came of a result; the index says what there is to
// recall, in a few tokens a name. Rules:
//
//   - What a name is stands in [names.Scan]. Whatever else stands in a result is
//     not copied.
//   - Names that many results held come first, newer ones before older ones, short
//     ones before long ones: so many names fit into the room.

const (
	// namesShare and namesMost are the room for the index: as a share of that for
	// the user's own words, and in tokens.
	namesShare = 0.75
	namesMost  = 2400
)

// NamesTitle is the line in front of the index of names. The index is the last section of
// what it stands in.
const NamesTitle = "### Names in tool results, by event"

// IndexAt is where in the text of a block the index of names begins, in bytes;
// the length of the text if it has none.
func IndexAt(text string) int {
	switch i := strings.LastIndex(text, "\n"+NamesTitle+"\n"); {
	case i >= 0:
		return i + 1
	case strings.HasPrefix(text, NamesTitle+"\n"):
		return 0
	}
	return len(text)
}

// nameSeen is a name and where it stood.
type nameSeen struct {
	text  string
	score float64
	event uint64 // the newest that held it
	order int    // of all names, by where they stood first
}

// namesIn is the index of the names in the results of events; "" if there is
// none, or hardly room.
func namesIn(said []conversation.Event, room float64) string {
	if room -= textTokens(NamesTitle) + 1; room < minVerbatim {
		return ""
	}
	chosen := withinRoom(ranked(said), room)
	if len(chosen) == 0 {
		return ""
	}
	slices.SortFunc(chosen, func(a, b *nameSeen) int {
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

// ranked is the names of results, the most telling first.
func ranked(said []conversation.Event) []*nameSeen {
	seen := map[string]*nameSeen{}
	var all []*nameSeen
	for i, e := range said {
		b, ok := e.Body.(conversation.ToolResult)
		if !ok {
			continue
		}
		weight := 1 + float64(i)/float64(len(said))
		names.Scan(b.Text, func(name string) {
			n := seen[name]
			if n == nil {
				n = &nameSeen{text: name, order: len(all)}
				seen[name] = n
				all = append(all, n)
			}
			if n.event != e.Seq {
				n.event = e.Seq
				n.score += weight
			}
		})
	}
	for _, n := range all {
		n.score /= 1 + textTokens(n.text)
	}
	slices.SortStableFunc(all, func(a, b *nameSeen) int { return cmp.Compare(b.score, a.score) })
	return all
}

// withinRoom is as many of the first names as have room.
func withinRoom(ranked []*nameSeen, room float64) []*nameSeen {
	const line = 4 // tokens of a line's beginning
	events := map[uint64]bool{}
	for i, n := range ranked {
		cost := textTokens(n.text) + 1
		if !events[n.event] {
			events[n.event] = true
			cost += line
		}
		if room -= cost; room < 0 {
			return ranked[:i]
		}
	}
	return ranked
}
