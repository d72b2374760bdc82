package ledger

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact/inspect"
	"plimsoll/tui/pane"
)

// An entry is a line: when, what, tokens before and after, cost, how long it took, who
// wanted it, and what became of it. On narrow screens who wanted it goes first, then
// the time it took, the cost and the tokens; the details say them all. The first entry
// of a day has the day above it.

// Cells of the columns.
const (
	timeCells   = 7
	tokensCells = 16
	costCells   = 7
	tookCells   = 7
	whoCells    = 27
	resultCells = 11
	leastWhat   = 30 // below which another column goes
	leastWho    = 70 // below which nobody is named
	leastTitle  = 12 // below which the result goes
)

// columns is which there is room for, and how many cells what was done gets.
type columns struct {
	what                            int
	result, tokens, cost, took, who bool
}

func columnsFor(width int) columns {
	c := columns{what: max(1, width-timeCells)}
	take := func(cells, least int) bool {
		if c.what-cells < least {
			return false
		}
		c.what -= cells
		return true
	}
	c.result = take(resultCells, leastTitle)
	c.tokens = c.result && take(tokensCells, leastWhat)
	c.cost = c.tokens && take(costCells, leastWhat)
	c.took = c.cost && take(tookCells, leastWhat)
	c.who = c.took && take(whoCells, leastWho)
	return c
}

// Content is what a view shows.
type Content struct {
	Entries  []inspect.Entry // oldest first, as [inspect.Ledger] has them
	Cache    inspect.CacheUse
	Title    string         // of the conversation
	Zone     *time.Location // in which times are shown; nil: UTC
	ReadOnly bool
}

// entries are the rows of a content, the newest first, and draw themselves as a list wants them.
type entries struct {
	content Content
	inks    inks
	open    map[id]bool // what is unfolded
	roomy   bool        // there are lines to spare
	beside  bool        // the details of the one with the cursor stand at its right
}

// roomy is the height from which on days stand apart.
const roomy = 20

// at is the entry of a row.
func (s *entries) at(n int) row { return row{&s.content.Entries[len(s.content.Entries)-1-n]} }

// Len is how many entries there are.
func (s *entries) Len() int { return len(s.content.Entries) }

// Lines is an entry as it is drawn.
func (s *entries) Lines(n int, selected bool, width int) []string {
	e := s.at(n)
	var out []string
	if day := s.day(e); n == 0 || day != s.day(s.at(n-1)) {
		if n > 0 && s.roomy {
			out = append(out, "")
		}
		out = append(out, pane.Clip("  "+s.inks.title.Render(day), width))
	}
	line := s.line(e, width-2)
	if selected {
		out = append(out, s.inks.selected.Render(pane.Fit("❯ "+ansi.Strip(line), width)))
	} else {
		out = append(out, pane.Clip("  "+line, width))
	}
	if s.open[e.id()] && !s.beside {
		out = append(out, details(&s.inks, e, width, false)...)
	}
	return out
}

// day is the date of an entry.
func (s *entries) day(e row) string {
	if e.Time.IsZero() {
		return "No date"
	}
	return e.Time.In(s.content.Zone).Format("Monday, 2 January 2006")
}

// line is an entry without its details.
func (s *entries) line(e row, width int) string {
	c := columnsFor(width)
	clock := "--:--"
	if !e.Time.IsZero() {
		clock = e.Time.In(s.content.Zone).Format("15:04")
	}
	ink := s.inks.text
	what := glyph(e) + " " + title(e)
	if e.Result == inspect.ResultUndone {
		ink = s.inks.muted
	}
	var b strings.Builder
	b.WriteString(s.inks.muted.Render(pane.Fit(clock, timeCells)))
	b.WriteString(ink.Render(pane.Fit(what, c.what)))
	add := func(shown bool, text string, cells int) {
		if shown {
			b.WriteString(s.inks.muted.Render(right(text, cells)))
		}
	}
	add(c.tokens, tokens(e), tokensCells)
	add(c.cost, cost(e.CostUSD), costCells)
	add(c.took, took(e.Duration), tookCells)
	if c.who {
		b.WriteString(s.inks.muted.Render(pane.Fit("   "+who(e), whoCells)))
	}
	if c.result {
		b.WriteString("  " + s.inks.result(e.Result).Render(pane.Fit(resultWord(e.Result), resultCells-2)))
	}
	return b.String()
}
