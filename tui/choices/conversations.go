package choices

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/conversation/numbers"
)

// Conversation is a stored conversation that can be resumed.
type Conversation struct {
	ID    string
	Title string

	Updated   time.Time
	Turns     int
	Size      int64  // bytes on disk
	Workspace string // "" for the current one
	Open      string // where it is open, in a few words; "" if it is not open
}

// Order is how conversations are sorted.
type Order int

// The orders.
const (
	Recent Order = iota // the last changed first
	ByName
	BySize // the largest first
	orders
)

// Next returns the next order; after the last comes the first.
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

// SortConversations sorts a list. The sort is stable, so that equal conversations keep their order.
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

// Columns returns the columns of the conversation in the picker, the most important first.
func (c Conversation) Columns() []string {
	when, size := "", ""
	if !c.Updated.IsZero() {
		when = c.Updated.Local().Format("2 Jan 15:04")
	}
	if c.Size > 0 {
		size = numbers.Bytes(c.Size)
	}
	return []string{when, numbers.Count(c.Turns, "turn"), c.Open, fmt.Sprintf("%9s", size), c.Workspace}
}
