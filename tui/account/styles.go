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

	gauge  *pane.Bar
	ends   [pane.Blocked + 1]pane.Ink // of the gauge, by level
	states map[projection.State]pane.Ink
}

func newInks(s Styles) inks {
	bar := pane.BarStyles{Glyphs: s.Glyphs, Free: s.Free, Reserve: s.Reserve, End: s.Hard}
	if bar.Glyphs == (pane.Glyphs{}) {
		bar.Glyphs = pane.Patterns()
	}
	for i := range bar.Segments {
		bar.Segments[i] = s.Segments[projection.Segment(i)]
	}
	out := inks{
		title: pane.NewInk(s.Title), text: pane.NewInk(s.Text), muted: pane.NewInk(s.Muted), rule: pane.NewInk(s.Rule),
		selected: pane.NewInk(s.Selected), bar: pane.NewInk(s.Bar), load: pane.NewInk(s.Load), hard: pane.NewInk(s.Hard),
		reserve: pane.NewInk(s.Reserve), free: pane.NewInk(s.Free), gauge: pane.NewBar(bar), states: map[projection.State]pane.Ink{},
	}
	for level, style := range []lipgloss.Style{pane.Calm: s.Bar, pane.Loaded: s.Load, pane.Blocked: s.Hard} {
		out.ends[level] = pane.NewInk(style.UnsetReverse()) // an end in reverse looks like a cell that is used
	}
	for state, style := range s.States {
		out.states[state] = pane.NewInk(style)
	}
	return out
}

// hardGlyph is the mark of the hard line; the gauge of the main screen has none.
const hardGlyph = "◆"
