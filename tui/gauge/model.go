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
	ends   [3][2]string // the bar's ends, rendered, by Level
	lines  [3]pane.Ink  // ▲, by Level
	cache  string       // what is said of the provider's cache in place of its share, "" nothing

	drawn bool
	last  meter.Reading // without its CostUSD, which is in cost
	cost  float64       // -1: unknown
	width int
	line  string
}

// New returns a gauge with these looks.
func New(styles Styles) *Model {
	m := &Model{}
	m.SetStyles(styles)
	return m
}

// SetStyles changes the looks.
func (m *Model) SetStyles(styles Styles) {
	m.styles = styles
	m.drawn = false
	styles.End = styles.Levels[pane.Blocked]
	m.bar = pane.NewBar(styles.BarStyles)
	for i, s := range styles.Levels {
		m.lines[i] = pane.NewInk(s)
		s = s.UnsetReverse() // an end in reverse looks like a cell that is used
		m.ends[i] = [2]string{s.Render("▕"), s.Render("▏")}
	}
}

// SetCache says something of the provider's cache in place of the share that came from it: that it has let go of the
// conversation, or will soon. "" is nothing.
func (m *Model) SetCache(words string) {
	if m.cache != words {
		m.cache, m.drawn = words, false
	}
}
