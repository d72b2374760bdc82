package account

import (
	"strconv"

	"plimsoll/compact/projection"

	"plimsoll/compact/inspect"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// The heaviest items, a line each: what it is, how it is sent if not in full, and its size. On narrow screens what it was
// before goes first, then its share, how it is sent, and its turn.

// Cells of the columns of the items.
const (
	itemTokens = 8
	itemBefore = 11 // with the arrow behind it
	itemShare  = 7
	itemTurn   = 6
	itemState  = 12
	itemWhat   = 30 // below which another column goes
	itemReason = 90 // of what it is, from which on the reason is beside it
)

// columns is which columns of the items there is room for, and how many cells what they are gets.
type columns struct {
	what                       int
	turn, state, share, before bool
}

func columnsFor(width int) columns {
	c := columns{what: width - itemTokens - 2}
	take := func(cells int) bool {
		if c.what-cells < itemWhat {
			return false
		}
		c.what -= cells
		return true
	}
	c.turn = take(itemTurn)
	c.state = c.turn && take(itemState)
	c.share = c.state && take(itemShare)
	c.before = c.share && take(itemBefore)
	return c
}

// itemColumns are the names of the columns.
func (s *rows) itemColumns(width int) string {
	c := columnsFor(width)
	out := pane.Fit("", 2+c.what)
	if c.state {
		out += "  " + pane.Fit("sent as", itemState-2)
	}
	if c.turn {
		out += right("turn", itemTurn)
	}
	if c.before {
		out += right("was", itemBefore-3) + "   "
	}
	out += right("tokens", itemTokens)
	if c.share {
		out += right("share", itemShare)
	}
	return out
}

// itemLine is one of the heaviest.
func (s *rows) itemLine(it inspect.Item, width int) string {
	c := columnsFor(width)
	state := it.State
	if s.content.pinned(it.Event) && it.Event != 0 {
		state = projection.StatePinned
	}
	out := s.painted(it.Kind, 1) + " " + pane.Fit(s.what(it, state, c), c.what)
	if c.state {
		out += "  " + s.badge(state).Render(pane.Fit(word(state), itemState-2))
	}
	if c.turn {
		turn := ""
		if it.Event != 0 {
			turn = strconv.Itoa(it.Turn)
		}
		out += s.inks.muted.Render(right(turn, itemTurn))
	}
	if c.before {
		was := pane.Fit("", itemBefore)
		if it.Before != it.Tokens && it.Before > 0 {
			was = right(pane.About(it.Before), itemBefore-3) + " → "
		}
		out += s.inks.muted.Render(was)
	}
	out += s.inks.text.Render(right(pane.About(it.Tokens), itemTokens))
	if c.share {
		out += s.inks.muted.Render(right(pane.Percent(it.Tokens, s.content.whole()), itemShare))
	}
	return out
}

// word is how an item is sent, "" in full.
func word(state projection.State) string {
	if state == projection.StateVerbatim {
		return ""
	}
	return safe(state.Word())
}

// what is what an item is, and why it looks as it does. Where there is no column for
// its badge, the badge stands at the end.
func (s *rows) what(it inspect.Item, state projection.State, c columns) string {
	label, why := s.inks.text.Render(pane.Clip(safe(it.Label), c.what)), safe(it.Why)
	switch {
	case !c.state && word(state) != "":
		return pane.Between(label, s.badge(state).Render(word(state)), c.what)
	case c.what >= itemReason && why != "":
		return pane.Fit(label, c.what/2) + "  " + s.inks.muted.Render(pane.Clip(why, c.what-c.what/2-2))
	}
	return label
}

// estimated is what the items are parts of, in tokens.
func (c *Content) estimated() int {
	if n := c.Account.Estimated; n > 0 {
		return n
	}
	return c.Reading.Used
}

// whole is what the shares of items are of, in tokens. While a reply streams more is
// used than when the items were weighed.
func (c *Content) whole() int { return max(c.estimated(), c.Reading.Used) }

// badge is how the word for a state looks.
func (s *rows) badge(state projection.State) pane.Ink {
	if ink, ok := s.inks.states[state]; ok {
		return ink
	}
	return s.inks.muted
}

// savingLine is what one kind of overlay saves.
func (s *rows) savingLine(saving inspect.Saving, width int) string {
	name := pane.Fit("  "+savingName(saving.Kind), nameFor(width)-1) + " "
	value := pane.About(saving.Tokens)
	if saving.Tokens < 0 {
		value = pane.About(-saving.Tokens) + " more"
	}
	out := s.inks.text.Render(name + pane.Fit(value, valueCells))
	return out + s.inks.muted.Render(numbers.Count(saving.Items, "message"))
}
