package compact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation"
)

// The last part of the appendix is an index of names: which files, symbols and
// ids the tool results held that are summarised, each with the newest event that
// held it. A summary says what came of a result; the index says what there is to
// recall, in a few tokens a name. Rules:
//
//   - A name is a path, a dotted or snake_case word, camelCase of two or more
//     humps, or a hexadecimal id. Whatever else stands in a result is not copied.
//   - Names that many results held come first, newer ones before older ones, short
//     ones before long ones: so many names fit into the room.

const (
	// namesShare and namesMost are the room for the index: as a share of that for
	// the user's own words, and in tokens.
	namesShare = 0.75
	namesMost  = 2400
	// minName and maxName bound a name, in characters.
	minName = 6
	maxName = 80
)

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
	const title = "### Names in tool results, by event"
	if room -= textTokens(title) + 1; room < minVerbatim {
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
	b.WriteString(title)
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
		scanNames(b.Text, func(name string) {
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
func withinRoom(names []*nameSeen, room float64) []*nameSeen {
	const line = 4 // tokens of a line's beginning
	events := map[uint64]bool{}
	for i, n := range names {
		cost := textTokens(n.text) + 1
		if !events[n.event] {
			events[n.event] = true
			cost += line
		}
		if room -= cost; room < 0 {
			return names[:i]
		}
	}
	return names
}

// scanNames finds the names in a text. What it hands over is ASCII without
// spaces or quotes.
func scanNames(text string, found func(string)) {
	for i := 0; i < len(text); {
		if !nameByte[text[i]] {
			i++
			continue
		}
		from := i
		for i < len(text) && nameByte[text[i]] {
			i++
		}
		word := strings.Trim(text[from:i], ".-/\\")
		if len(word) >= minName && len(word) <= maxName && isName(word) {
			found(word)
		}
	}
}

// nameByte tells the bytes that names consist of.
var nameByte = func() (set [256]bool) {
	for _, r := range "_./\\-#@~" {
		set[r] = true
	}
	for c := range 256 {
		b := byte(c)
		set[c] = set[c] || isDigit(b) || lower(b) || upper(b)
	}
	return set
}()

func lower(b byte) bool { return 'a' <= b && b <= 'z' }

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

// isName reports whether a word is one that nobody writes by chance.
func isName(word string) bool {
	letters, digits, hex, joints, humps := 0, 0, true, 0, 0
	for i := range len(word) {
		c := word[i]
		switch {
		case isDigit(c):
			digits++
		case lower(c), upper(c):
			letters++
			hex = hex && c <= 'f' && lower(c)
			if i > 0 && upper(c) && (lower(word[i-1]) || isDigit(word[i-1])) {
				humps++
			}
		default:
			hex = false
			if c != '-' && i > 0 && i < len(word)-1 {
				joints++
			}
		}
	}
	switch {
	case letters == 0:
		return false
	case hex && digits > 0:
		return len(word) <= 40
	}
	return joints > 0 || humps > 0
}
