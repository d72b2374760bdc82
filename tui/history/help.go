package history

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
)

const (
	helpColumn = 58 // cells of a column
	helpKeys   = 12 // of these for the keys
)

// help is the list of keys, made from the bindings, in as many columns as there is room for.
type help struct {
	open bool
	top  int // the first line in sight
}

// lines is all of the help.
func (h *help) lines(keys *KeyMap, s pane.Styles, width int) []string {
	var entries []string
	columns := max(1, width/helpColumn)
	width /= columns
	add := func(name, does string) {
		entries = append(entries, pane.Fit("  "+s.Key.Render(pane.Fit(name, helpKeys))+s.Text.Render(" "+does), width))
	}
	for _, b := range keys.Bindings() {
		if b.Enabled() {
			add(b.Help().Key, b.Help().Desc)
		}
	}
	add("1–9", "where the numbers ‹1› to ‹9› lead")
	tall := (len(entries) + columns - 1) / columns
	lines := make([]string, tall)
	for i, e := range entries {
		lines[i%tall] += e
	}
	return lines
}

// view is the part of the help that is in sight.
func (h *help) view(all []string, height int) []string {
	from := max(0, min(h.top, len(all)-height))
	return all[from:min(len(all), from+height)]
}

// press scrolls so many lines in a place of a height; any other key closes the help.
func (h *help) press(k tea.KeyPressMsg, moves pane.Moves, lines, height int) {
	page := max(height-1, 1)
	switch {
	case key.Matches(k, moves.Up):
		h.top--
	case key.Matches(k, moves.Down):
		h.top++
	case key.Matches(k, moves.PageUp, moves.HalfUp):
		h.top -= page
	case key.Matches(k, moves.PageDown, moves.HalfDown):
		h.top += page
	default:
		*h = help{}
		return
	}
	h.top = max(0, min(h.top, lines-page-1))
}
