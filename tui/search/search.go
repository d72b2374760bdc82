package search

import (
	"time"

	"plimsoll/conversation/find"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Hits belong to the query that found them. Rules:
//
//   - while those of another query are on their way the old ones stay, marked as such;
//     none of them can be opened
//   - with an empty line there is nothing to show
//   - hits that are added to those of the same query move nothing
//   - what could not be read is listed with the hits, and where there are none

// Styles are the looks of the view. All are inline: no padding, margin, border or
// width. Match is for the places that were found.
type Styles struct{ pane.Styles }

// Options is what the view is made of.
type Options struct {
	Styles Styles
	Keys   *KeyMap
}

// Content is what was found.
type Content struct {
	Query         string
	Hits          []find.Hit // those of a conversation follow each other
	Conversations int        // that were searched
	More          bool       // there are more hits than these
	Unread        int        // conversations that could not be read to the end
	Damaged       int        // events and full texts that were skipped, as they cannot be read
	Took          time.Duration
	Err           string    // why nothing was searched, "" if it was
	Busy          bool      // it is being searched
	Now           time.Time // ages count from it; zero is the time of Show
}

// Model is the view. It is for one goroutine.
type Model struct {
	options       Options
	width, height int

	line    *edit.Field
	typed   string // the query in the line, "" for none
	problem string // why the line is no query, "" if it is one or empty
	sheet   pane.Sheet

	found    Content
	query    find.Query  // of found
	foundBy  string      // the same in words
	hitsFrom map[int]int // by the first hit of each conversation, how many it has
	columns  columns     // how wide each is
	drawn    [][]string  // rows as they are without the cursor, nil where they have to be drawn
}

// stale reports whether what is shown was found by another query than the one in the line.
func (m *Model) stale() bool { return m.typed != m.foundBy }
