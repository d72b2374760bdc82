package ledger

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// Styles are the looks of the view. They must be inline: no padding, margin, border or
// width.
type Styles struct {
	pane.Styles
	Results map[inspect.EntryResult]lipgloss.Style // of the word for what became of an entry
	Bar     lipgloss.Style                         // how full the window was
}

// inks are the styles as entries are drawn in them.
type inks struct {
	title, text, muted, rule, selected, key pane.Ink

	results map[inspect.EntryResult]pane.Ink
	bar     *pane.Bar
}

func newInks(s Styles) inks {
	out := inks{
		title: pane.NewInk(s.Title), text: pane.NewInk(s.Text), muted: pane.NewInk(s.Muted), rule: pane.NewInk(s.Rule),
		selected: pane.NewInk(s.Selected), key: pane.NewInk(s.Key), results: map[inspect.EntryResult]pane.Ink{},
	}
	look := pane.BarStyles{Glyphs: pane.Blocks()}
	look.Segments[projection.Summary] = s.Bar
	out.bar = pane.NewBar(look)
	for result, style := range s.Results {
		out.results[result] = pane.NewInk(style)
	}
	return out
}

// result is how the word for a result looks.
func (k *inks) result(r inspect.EntryResult) pane.Ink {
	if ink, ok := k.results[r]; ok {
		return ink
	}
	return k.muted
}
