// Package themes turns palettes into styles. It is the only place where a colour is named.
//
// Guarantees: every theme reads against the background it assumes and on its surfaces (WCAG contrast of at least 7 for
// text, 4.5 for secondary text, 3 for faint text; 7 for all text of the contrast themes); segments of the gauge that
// stand side by side differ in lightness, also for people who see no red or green; the theme mono names no colour at all; whatever a colour
// tells is also shown by a glyph, a word, bold or reverse. Building styles is pure and needs no terminal. The package
// imports nothing of ours.
package themes

import (
	"fmt"
	"slices"
)

// The names of the themes that are chosen unless the user names one.
const (
	PlimsollDark  = "plimsoll-dark"
	PlimsollLight = "plimsoll-light"
	// Mono uses no colour: for NO_COLOR and monochrome terminals.
	Mono = "mono"
)

// Theme is a named palette. A colour is "#rrggbb"; in a theme without colour all are empty.
type Theme struct {
	Name    string
	Dark    bool   // made for a dark background
	Palette        // colours of texts, marks and surfaces
	Syntax  Syntax // colours of code
	Gauge   Gauge  // colours of the gauge's segments
}

// Palette is the colours of everything but code and the gauge.
type Palette struct {
	Background string // assumed, never painted
	Surface    string // behind code
	Raised     string // behind dialogs
	Band       string // behind the user's messages
	Text       string // of what the program itself says
	Muted      string // secondary text: labels, values, reasoning
	Faint      string // hints, counts, times
	Rule       string // lines and borders, not text
	Accent     string // what can be acted on, focus, headings
	User       string // the mark of the user's messages
	Link       string
	Inline     string // code and paths within text
	Success    string
	Warning    string
	Danger     string
	Added      string
	Removed    string
	Hunk       string
	Selection  string // background of what is selected
}

// Syntax is the colours of code.
type Syntax struct{ Keyword, Function, Type, String, Number, Comment string }

// Gauge is the colours of the gauge's segments.
type Gauge struct {
	System, Tools, Summary, User, Assistant, Reasoning string
	Calls, Results, Stubs, Draft, Reserve              string
}

// builtin lists the themes in the order they are offered.
func builtin() []Theme {
	return append(append(dark(), light()...), Theme{Name: Mono, Dark: true})
}

// Indexed is the theme for terminals of 256 colors: their cube has no dark tints but strong ones, so that a surface is the
// gray of its lightness, and another one than the background.
func (t Theme) Indexed() Theme {
	below := nearestGray(t.Background)
	for _, s := range []*string{&t.Surface, &t.Raised, &t.Band} {
		if *s == "" {
			continue
		}
		n := nearestGray(*s)
		switch {
		case n == below && lightness(*s) < lightness(t.Background):
			n--
		case n == below:
			n++
		}
		v := firstGray + grayStep*min(max(n, 0), grays-1)
		*s = fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	return t
}

// Grays of the palette of 256 colors: 24 from #080808 on, each lighter by ten.
const (
	grays     = 24
	firstGray = 8
	grayStep  = 10
)

// nearestGray is the number of the gray that is as light as a color, as if there were grays up to white.
func nearestGray(hex string) int { return (lightness(hex) - firstGray + grayStep/2) / grayStep }

// lightness is how light a color is, 0 to 255.
func lightness(hex string) int {
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return 0 // themes are checked
	}
	return (299*r + 587*g + 114*b) / 1000
}

// Flat is the theme without surfaces, for terminals of 16 colors: a surface there is a color of its own.
func (t Theme) Flat() Theme {
	t.Surface, t.Raised, t.Band = "", "", ""
	return t
}

// HasColour reports whether the theme names colours.
func (t Theme) HasColour() bool { return t.Text != "" }

// Names lists the built-in themes in the order they are offered.
func Names() []string {
	var names []string
	for _, t := range builtin() {
		names = append(names, t.Name)
	}
	return names
}

// ByName returns the built-in theme of that name and whether there is one.
func ByName(name string) (Theme, bool) {
	all := builtin()
	i := slices.IndexFunc(all, func(t Theme) bool { return t.Name == name })
	if i < 0 {
		return Theme{}, false
	}
	return all[i], true
}

// Auto is the theme for a terminal whose background is dark or not.
func Auto(isDark bool) Theme {
	if isDark {
		return dark()[0]
	}
	return light()[0]
}
