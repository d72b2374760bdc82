package ledger

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/compact"
	"plimsoll/conversation"
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

// sheet is the entries of a view as a list wants them.
type sheet struct{ m *Model }

// Len is how many entries there are.
func (s sheet) Len() int { return len(s.m.content.Entries) }

// Lines is an entry as it is drawn.
func (s sheet) Lines(n int, selected bool, width int) []string {
	m, e := s.m, s.m.at(n)
	var out []string
	if day := m.day(e); n == 0 || day != m.day(m.at(n-1)) {
		if n > 0 && m.height >= roomy {
			out = append(out, "")
		}
		out = append(out, pane.Clip(m.inks.title.Render(day), width))
	}
	line := m.line(e, width-2)
	if selected {
		out = append(out, m.inks.selected.Render(pane.Fit("❯ "+ansi.Strip(line), width)))
	} else {
		out = append(out, pane.Clip("  "+line, width))
	}
	if m.open[e.id()] {
		out = append(out, m.details(e, width)...)
	}
	return out
}

// roomy is the height from which on days stand apart.
const roomy = 20

// day is the date of an entry.
func (m *Model) day(e row) string {
	if e.Time.IsZero() {
		return "Without a date"
	}
	return e.Time.In(m.content.Zone).Format("Monday, 2 January 2006")
}

// line is an entry without its details.
func (m *Model) line(e row, width int) string {
	c := columnsFor(width)
	clock := "--:--"
	if !e.Time.IsZero() {
		clock = e.Time.In(m.content.Zone).Format("15:04")
	}
	ink := m.inks.text
	if e.Result == compact.ResultUndone {
		ink = m.inks.muted
	}
	var b strings.Builder
	b.WriteString(m.inks.muted.Render(pane.Fit(clock, timeCells)))
	b.WriteString(ink.Render(pane.Fit(title(e), c.what)))
	add := func(shown bool, text string, cells int) {
		if shown {
			b.WriteString(m.inks.muted.Render(right(text, cells)))
		}
	}
	add(c.tokens, tokens(e), tokensCells)
	add(c.cost, cost(e.CostUSD), costCells)
	add(c.took, took(e.Duration), tookCells)
	if c.who {
		b.WriteString(m.inks.muted.Render(pane.Fit("   "+who(e), whoCells)))
	}
	if c.result {
		b.WriteString("  " + m.inks.result(e.Result).Render(pane.Fit(safe(string(e.Result)), resultCells-2)))
	}
	return b.String()
}

// title is what an entry is, in words.
func title(e row) string {
	why := safe(e.Why)
	with := func(what, between string) string {
		switch {
		case why == "":
			return what
		case strings.HasPrefix(why, what+" "): // it says that itself
			return why
		}
		return what + between + why
	}
	switch e.Kind {
	case compact.EntryEpoch:
		return with("compacted", " ")
	case compact.EntryAttempt:
		return with("attempt", ": ")
	case compact.EntryUndo:
		return "undo of " + name(e.About) + about(why)
	case compact.EntryRedo:
		return "redo of " + name(e.About) + about(why)
	case compact.EntryPin:
		return with("pinned", ": ")
	case compact.EntryUnpin:
		return with("unpinned", ": ")
	case compact.EntryRewind:
		return with("turns taken back", ", ")
	case compact.EntryRestore:
		return "turns restored that " + name(e.About) + " took back"
	}
	return with(safe(string(e.Kind)), ": ")
}

// about is what an undo or a redo is about: its reason is a verb, and then that.
func about(why string) string {
	if _, what, ok := strings.Cut(why, ": "); ok {
		return ": " + what
	}
	return ""
}

// name is an event as it is named everywhere.
func name(event uint64) string { return "e" + strconv.FormatUint(event, 10) }

// tokens are those of a request before and after, estimates both.
func tokens(e row) string {
	switch {
	case e.Before == 0 && e.After == 0:
		return ""
	case e.After == 0:
		return "at " + pane.About(e.Before)
	case e.Before == 0:
		return "→ " + pane.About(e.After)
	}
	return pane.About(e.Before) + " → " + pane.About(e.After)
}

func cost(usd *float64) string {
	if usd == nil {
		return ""
	}
	return pane.Dollars(*usd)
}

// took is a duration in words, "" for none.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < 100*time.Millisecond:
		return "<0.1s"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return strconv.Itoa(int(d.Minutes())) + "m"
}

// who says who wanted it, and what set it off.
func who(e row) string {
	trigger := safe(e.Trigger)
	by := ""
	switch e.Source {
	case conversation.SourceManual:
		return "you"
	case conversation.SourceAuto:
		by = "automatic"
	case conversation.SourceTool:
		return "the model"
	case conversation.SourceRecovery:
		by = "after a refusal"
	default:
		by = safe(string(e.Source))
	}
	switch {
	case trigger == "":
		return by
	case by == "":
		return trigger
	}
	return by + ", " + trigger
}

// right puts a text at the right of so many cells.
func right(text string, cells int) string {
	return strings.Repeat(" ", max(0, cells-ansi.StringWidth(text))) + text
}
