package choices

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/conversation/numbers"
)

// Conversation is a stored one that can be resumed.
type Conversation struct {
	ID    string
	Title string
	Note  string // what is known of it where nothing below says it

	Updated time.Time
	Turns   int
	Size    int64  // bytes on disk
	Place   string // its workspace, "" for the one in use
	Open    string // where it is open, in a few words; "" nowhere
}

// Order is how conversations are sorted.
type Order int

// The orders.
const (
	Recent Order = iota // the one that was written last comes first
	ByName
	BySize // the largest first
	orders
)

// Next is the order that follows, from the last to the first.
func (o Order) Next() Order { return (o + 1) % orders }

// String names the order.
func (o Order) String() string {
	switch o {
	case ByName:
		return "by name"
	case BySize:
		return "by size"
	}
	return "recent first"
}

// SortConversations puts a list in an order. One that was recent first is so where the
// order leaves it open.
func SortConversations(list []Conversation, by Order) {
	slices.SortStableFunc(list, func(a, b Conversation) int {
		switch by {
		case ByName:
			return cmp.Or(strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), strings.Compare(a.ID, b.ID))
		case BySize:
			return cmp.Compare(b.Size, a.Size)
		}
		return b.Updated.Compare(a.Updated)
	})
}

// ConversationDetails is what is known of each. The place is left out first, then the
// size, the number of turns, and where it is open; that it is stays longest.
func ConversationDetails(list []Conversation) Details {
	n := len(list)
	notes := make([]string, n)
	when, turns := column{cells: make([]string, n)}, column{cells: make([]string, n)}
	bytes, place := column{right: true, cells: make([]string, n)}, column{cells: make([]string, n)}
	open, is := column{cells: make([]string, n)}, column{cells: make([]string, n)}
	for i, c := range list {
		if notes[i] = c.Note; c.Note != "" {
			continue
		}
		if !c.Updated.IsZero() {
			when.cells[i] = c.Updated.Local().Format("2 Jan 15:04")
		}
		turns.cells[i], bytes.cells[i], place.cells[i], open.cells[i] = numbers.Count(c.Turns, "turn"), size(c.Size), c.Place, c.Open
		if c.Open != "" {
			is.cells[i] = "open"
		}
	}
	var d Details
	d.form(notes, when, turns, bytes, open, place)
	d.form(notes, when, turns, bytes, open)
	d.form(notes, when, turns, bytes, is)
	d.form(notes, when, turns, is)
	d.form(notes, when, is)
	d.form(notes, when)
	d.Heads = nil // they say it themselves
	return d
}

func size(bytes int64) string {
	switch {
	case bytes <= 0:
		return ""
	case bytes < 1_000_000:
		return fmt.Sprintf("%d kB", max(1, (bytes+500)/1000))
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
