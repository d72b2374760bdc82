package gauge

import (
	"plimsoll/compact/meter"
	"plimsoll/tui/pane"
)

// Model is the gauge. It has no input; it keeps the last line it drew, so it
// must not be shared between goroutines.
type Model struct {
	styles Styles
	bar    *pane.Bar
	ends   [3][2]string        // the bar's ends, rendered, by Level
	lines  [3]pane.InlineStyle // ▲, by Level
	cache  string              // text about the provider's cache in place of the cached share, "" for none

	drawn bool
	last  meter.Reading // without its CostUSD, which is in cost
	cost  float64       // -1: unknown
	width int
	line  string
}

// New returns a gauge with these styles.
func New(styles Styles) *Model {
	m := &Model{}
	m.SetStyles(styles)
	return m
}

// SetStyles changes the styles.
func (m *Model) SetStyles(styles Styles) {
	m.styles = styles
	m.drawn = false
	styles.End = styles.Levels[pane.Blocked]
	m.bar = pane.NewBar(styles.BarStyles)
	for i, s := range styles.Levels {
		m.lines[i] = pane.NewInlineStyle(s)
		s = s.UnsetReverse() // in reverse, an end would look like a filled cell
		m.ends[i] = [2]string{s.Render("▕"), s.Render("▏")}
	}
}

// SetCache replaces the cached share by a text about the provider's cache: that it is cold, or expires soon. "" shows the
// cached share again.
func (m *Model) SetCache(text string) {
	if m.cache != text {
		m.cache, m.drawn = text, false
	}
}
