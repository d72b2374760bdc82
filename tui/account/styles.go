package account

import (
	"charm.land/lipgloss/v2"

	"plimsoll/compact/projection"
	"plimsoll/tui/pane"
)

// Styles are the looks of the view. They must be inline: no padding, margin, border or
// width.
type Styles struct {
	pane.Styles
	Segments map[projection.Segment]lipgloss.Style
	Glyphs   pane.Glyphs                         // of the segments
	Free     lipgloss.Style                      // the track of the gauge
	States   map[projection.State]lipgloss.Style // of badges

	Bar     lipgloss.Style // the ends of the gauge, and how full it is
	Load    lipgloss.Style // from the load line on, and its mark
	Hard    lipgloss.Style // from the hard line on, and its mark
	Reserve lipgloss.Style
}

// inks are the styles as rows are drawn in them.
type inks struct {
	title, text, muted, rule, selected pane.Ink
	bar, load, hard, reserve, free     pane.Ink

	segments [projection.Draft + 1]pane.Ink
	glyphs   pane.Glyphs
	states   map[projection.State]pane.Ink
}

func newInks(s Styles) inks {
	out := inks{
		title: pane.NewInk(s.Title), text: pane.NewInk(s.Text), muted: pane.NewInk(s.Muted), rule: pane.NewInk(s.Rule),
		selected: pane.NewInk(s.Selected), bar: pane.NewInk(s.Bar), load: pane.NewInk(s.Load), hard: pane.NewInk(s.Hard),
		reserve: pane.NewInk(s.Reserve), free: pane.NewInk(s.Free), glyphs: s.Glyphs, states: map[projection.State]pane.Ink{},
	}
	if s.Glyphs == (pane.Glyphs{}) {
		out.glyphs = pane.Patterns()
	}
	for i := range out.segments {
		out.segments[i] = pane.NewInk(s.Segments[projection.Segment(i)])
	}
	for state, style := range s.States {
		out.states[state] = pane.NewInk(style)
	}
	return out
}

// hardGlyph is the mark of the hard line; the gauge of the main screen has none.
const hardGlyph = "◆"
