package search

import (
	"time"

	"plimsoll/conversation/find"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// Hits belong to the query that found them. Rules:
//
//   - while those of another one are on their way the old ones stay, and it is said
//     that they are old; none of them is opened then
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
	Damaged       int        // events and full texts that were passed over, as they cannot be read
	Took          time.Duration
	Err           string    // why nothing was searched, "" if it was
	Busy          bool      // it is being searched
	Now           time.Time // ages count from it; zero is the time of Show
}

// Model is the view. It is for one goroutine.
type Model struct {
	o             Options
	width, height int

	line   *edit.Field
	asked  string // the query of the line as it reads, "" for none
	wrong  string // why the line is no query, "" if it is one or empty
	sheet  pane.Sheet
	found  Content
	query  find.Query // of found
	of     string     // as it reads
	starts map[int]int
	wide   columns
	drawn  [][]string // rows as they are without the cursor, nil where they have to be drawn
}

// old reports whether what is shown is of another query than the line.
func (m *Model) old() bool { return m.asked != m.of }
