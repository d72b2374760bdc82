package gauge

import (
	"plimsoll/compact/meter"
	"plimsoll/tui/pane"
)

// Model is the gauge. It has no input. It must not be shared between goroutines.
type Model struct {
	styles Styles
	bar    *pane.Bar
	ends   [3][2]string        // the bar's ends, rendered, by Level
	lines  [3]pane.InlineStyle // ▲, by Level
	next   []string            // what comes next, in forms from the longest to the shortest

	going Tokens        // what a summary that is being written will replace
	from  meter.Reading // where the bar moves from
	step  int           // of the movement
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
	styles.End = styles.Levels[pane.Blocked]
	m.bar = pane.NewBar(styles.BarStyles)
	for i, s := range styles.Levels {
		m.lines[i] = pane.NewInlineStyle(s)
		s = s.UnsetReverse() // in reverse, an end would look like a filled cell
		m.ends[i] = [2]string{s.Render("▕"), s.Render("▏")}
	}
}

// SetNext sets the phrase that says what comes next, in forms from the longest to the shortest.
func (m *Model) SetNext(forms []string) { m.next = forms }
