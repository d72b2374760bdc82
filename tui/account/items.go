package account

import (
	"strconv"

	"plimsoll/compact/projection"

	"plimsoll/compact/inspect"
	"plimsoll/conversation/numbers"
	"plimsoll/tui/pane"
)

// The heaviest items, a line each. On narrow screens the reasons go first, then what
// an item was before, then its share.

// Cells of the columns of the items.
const (
	itemTokens = 7
	itemBefore = 9 // with the arrow behind it
	itemShare  = 7
	itemTurn   = 6
	itemState  = 12
	itemWhat   = 30  // below which another column goes
	itemReason = 150 // from which on the reasons are shown
)

// columns is which columns of the items there is room for.
type columns struct{ before, share, state, why bool }

func columnsFor(width int) columns {
	rest := width - itemTokens - itemTurn - 4
	c := columns{why: width >= itemReason}
	take := func(cells int) bool {
		if rest-cells < itemWhat {
			return false
		}
		rest -= cells
		return true
	}
	c.state = take(itemState)
	c.share = c.state && take(itemShare)
	c.before = c.share && take(itemBefore)
	return c
}

// itemColumns are the names of the columns.
func (s *rows) itemColumns(width int) string {
	c, out := columnsFor(width), ""
	if c.before {
		out += right("was", itemBefore-3) + "   "
	}
	out += right("tokens", itemTokens)
	if c.share {
		out += right("share", itemShare)
	}
	out += right("turn", itemTurn) + "  "
	if c.state {
		out += pane.Fit("sent as", itemState)
	}
	return out + "  item"
}

// itemLine is one of the heaviest.
func (s *rows) itemLine(it inspect.Item, width int) string {
	c, out := columnsFor(width), ""
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
	turn := ""
	if it.Event != 0 {
		turn = strconv.Itoa(it.Turn)
	}
	out += s.inks.muted.Render(right(turn, itemTurn)) + "  "
	state := it.State
	if s.content.pinned(it.Event) && it.Event != 0 {
		state = projection.StatePinned
	}
	rest := width - itemTokens - itemTurn - 4
	if c.before {
		rest -= itemBefore
	}
	if c.share {
		rest -= itemShare
	}
	if c.state {
		out += s.badge(state).Render(pane.Fit(safe(state.Word()), itemState))
		rest -= itemState
	}
	out += s.painted(it.Kind, 1) + " "
	return out + s.what(it, state, c, rest)
}

// what is what an item is, and why it looks as it does. Where there is no column for
// its badge, the badge stands at the end.
func (s *rows) what(it inspect.Item, state projection.State, c columns, width int) string {
	label, why := s.inks.text.Render(pane.Clip(safe(it.Label), width)), safe(it.Why)
	switch {
	case !c.state && state != projection.StateVerbatim && state != "":
		return pane.Between(label, s.badge(state).Render(safe(state.Word())), width)
	case c.why && why != "":
		return pane.Fit(label, width/2) + "  " + s.inks.muted.Render(pane.Clip(why, width-width/2-2))
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
