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
	"reflect"
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
	Cube    bool   // for a terminal of 256 colors, whose tints are too strong for surfaces
}

// Palette is the colours of everything but code and the gauge. The tags of this and the
// next two are the names that colours have in a theme file.
type Palette struct {
	Background string `yaml:"background" check:"color"` // assumed; painted only where the terminal's is the opposite
	Surface    string `yaml:"surface" check:"color"`    // behind code
	Raised     string `yaml:"raised" check:"color"`     // behind dialogs
	Band       string `yaml:"band" check:"color"`       // behind the user's messages
	Text       string `yaml:"text" check:"color"`       // of what the program itself says
	Muted      string `yaml:"secondary" check:"color"`  // labels, values, reasoning
	Faint      string `yaml:"faint" check:"color"`      // hints, counts, times
	Rule       string `yaml:"rule" check:"color"`       // lines and borders, not text
	Accent     string `yaml:"accent" check:"color"`     // what can be acted on, focus, headings
	User       string `yaml:"user" check:"color"`       // the mark of the user's messages
	Link       string `yaml:"link" check:"color"`
	Inline     string `yaml:"inline" check:"color"` // code and paths within text
	Success    string `yaml:"success" check:"color"`
	Warning    string `yaml:"warning" check:"color"`
	Danger     string `yaml:"error" check:"color"`
	Added      string `yaml:"added" check:"color"`
	Removed    string `yaml:"removed" check:"color"`
	Hunk       string `yaml:"hunk" check:"color"`
	Selection  string `yaml:"selection" check:"color"` // background of what is selected
}

// Syntax is the colours of code.
type Syntax struct {
	Keyword  string `yaml:"keyword" check:"color"`
	Function string `yaml:"function" check:"color"`
	Type     string `yaml:"type" check:"color"`
	String   string `yaml:"string" check:"color"`
	Number   string `yaml:"number" check:"color"`
	Comment  string `yaml:"comment" check:"color"`
}

// Gauge is the colours of the gauge's segments, in the order of the bar.
type Gauge struct {
	System    string `yaml:"system" check:"color"`
	Tools     string `yaml:"tools" check:"color"`
	Summary   string `yaml:"summary" check:"color"`
	User      string `yaml:"user" check:"color"`
	Assistant string `yaml:"assistant" check:"color"`
	Reasoning string `yaml:"reasoning" check:"color"`
	Calls     string `yaml:"calls" check:"color"`
	Results   string `yaml:"results" check:"color"`
	Stubs     string `yaml:"masked" check:"color"`
	Draft     string `yaml:"draft" check:"color"`
	Reserve   string `yaml:"reserve" check:"color"` // stands alone
}

// Role is a color of a theme, by its name in a theme file.
type Role struct {
	Name  string // such as colors.text, code.keyword, gauge.tools
	Color string
}

// Roles lists the colors of a theme.
func (t Theme) Roles() []Role {
	var out []Role
	t.each(func(name string, color *string) { out = append(out, Role{name, *color}) })
	return out
}

// Over is the theme with the colors of a base where it names none.
func (t Theme) Over(base Theme) Theme {
	from := base.Roles()
	i := 0
	t.each(func(_ string, color *string) {
		if *color == "" {
			*color = from[i].Color
		}
		i++
	})
	return t
}

// each visits the colors of a theme.
func (t *Theme) each(visit func(name string, color *string)) {
	for _, part := range []struct {
		name   string
		colors any
	}{{"colors", &t.Palette}, {"code", &t.Syntax}, {"gauge", &t.Gauge}} {
		v := reflect.ValueOf(part.colors).Elem()
		for i := range v.NumField() {
			visit(part.name+"."+v.Type().Field(i).Tag.Get("yaml"), v.Field(i).Addr().Interface().(*string))
		}
	}
}

// builtin lists the themes in the order they are offered.
func builtin() []Theme {
	return append(append(dark(), light()...), Theme{Name: Mono, Dark: true})
}

// Indexed is the theme for terminals of 256 colors: their cube has no dark tints but strong ones, so that a surface is the
// gray of its lightness, and another one than the background.
func (t Theme) Indexed() Theme {
	t.Cube = true
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

// IsDark reports whether a background is dark: light text reads better on it than dark.
func IsDark(background string) bool {
	return Contrast(background, "#ffffff") > Contrast(background, "#000000")
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
