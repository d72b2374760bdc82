// Package themes turns palettes into styles. No other package names a colour.
//
// Guarantees: every theme is readable on the background that it assumes and on its surfaces (WCAG contrast of at least 7
// for text, 4.5 for secondary text, 3 for faint text; 7 for all text of the contrast themes); neighbouring segments of
// the gauge differ in lightness, also for people who do not see red or green; the theme mono has no colours; every
// meaning of a colour is also shown by a glyph, a word, bold or reverse. Building styles is pure and needs no terminal.
// The package imports no other package of the program.
package themes

import (
	"fmt"
	"reflect"
	"slices"
)

// The themes that are used unless the user names one.
const (
	PlimsollDark  = "plimsoll-dark"
	PlimsollLight = "plimsoll-light"
	// Mono uses no colour: for NO_COLOR and monochrome terminals.
	Mono = "mono"
)

// Theme is a named palette. A colour is "#rrggbb", or the number of one of the terminal's 16; in a theme without colours
// all are empty.
type Theme struct {
	Name      string
	Dark      bool   // for a dark background
	Palette          // colours of text, marks and surfaces
	Syntax    Syntax // colours of code
	Gauge     Gauge  // colours of the gauge's segments
	Colors256 bool   // for terminals of 256 colors, whose tints are too strong for surfaces
}

// Palette is all colours except those of code and of the gauge. The yaml tags of this type and the next two are the names
// of the colours in a theme file.
type Palette struct {
	Background string `yaml:"background" check:"color"` // assumed; drawn only if the terminal's is the opposite
	Surface    string `yaml:"surface" check:"color"`    // behind code
	Raised     string `yaml:"raised" check:"color"`     // behind dialogs
	Band       string `yaml:"band" check:"color"`       // behind the user's messages
	Text       string `yaml:"text" check:"color"`       // of the program's own text
	Muted      string `yaml:"secondary" check:"color"`  // labels, values, reasoning
	Faint      string `yaml:"faint" check:"color"`      // hints, counts, times
	Rule       string `yaml:"rule" check:"color"`       // lines and borders, not text
	Accent     string `yaml:"accent" check:"color"`     // focus, headings, and things to press or select
	User       string `yaml:"user" check:"color"`       // the mark of the user's messages
	Link       string `yaml:"link" check:"color"`
	Inline     string `yaml:"inline" check:"color"` // code and paths within text
	Success    string `yaml:"success" check:"color"`
	Warning    string `yaml:"warning" check:"color"`
	Danger     string `yaml:"error" check:"color"`
	Added      string `yaml:"added" check:"color"`
	Removed    string `yaml:"removed" check:"color"`
	Hunk       string `yaml:"hunk" check:"color"`
	Selection  string `yaml:"selection" check:"color"` // background of selected text and items
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
	Reserve   string `yaml:"reserve" check:"color"` // not next to another segment
}

// Role is a color of a theme with its name in a theme file.
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

// WithBase returns the theme with the colors of base in place of those that it does not name.
func (t Theme) WithBase(base Theme) Theme {
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

// builtin returns the themes in the order in which the user sees them.
func builtin() []Theme {
	return append(append(dark(), light()...), Theme{Name: Mono, Dark: true})
}

// For256Colors returns the theme for terminals of 256 colors. Their dark tints are too strong, so every surface becomes the
// gray of the same lightness, but not the gray of the background.
func (t Theme) For256Colors() Theme {
	t.Colors256 = true
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

// The grays of the 256-color palette: 24 from #080808 on, each lighter by ten.
const (
	grays     = 24
	firstGray = 8
	grayStep  = 10
)

// nearestGray returns the number of the gray with the lightness of a color. It may be beyond the last gray.
func nearestGray(hex string) int { return (lightness(hex) - firstGray + grayStep/2) / grayStep }

// lightness returns how light a color is, from 0 to 255.
func lightness(hex string) int {
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return 0 // themes are checked
	}
	return (299*r + 587*g + 114*b) / 1000
}

// InTerminalColours returns the theme in the 16 colours of the terminal, which read on its background whatever that is:
// for terminals without others, and for those that do not tell their background. It has no surfaces.
func (t Theme) InTerminalColours() Theme {
	if !t.HasColour() {
		return t
	}
	const red, green, yellow, blue, magenta, cyan = "1", "2", "3", "4", "5", "6"
	t.Palette = Palette{Accent: cyan, User: magenta, Link: cyan, Inline: cyan, Success: green, Warning: yellow, Danger: red,
		Added: green, Removed: red, Hunk: cyan}
	t.Syntax = Syntax{Keyword: "#008080", Function: "#000080", Type: "#000080", String: "#008000", Number: "#800080"} // of the 16
	t.Gauge = Gauge{Summary: magenta, User: cyan, Assistant: blue, Calls: yellow, Results: green, Draft: cyan}
	return t
}

// HasColour reports whether the theme has colours.
func (t Theme) HasColour() bool { return t.Accent != "" }

// Names lists the built-in themes in the order in which the user sees them.
func Names() []string {
	var names []string
	for _, t := range builtin() {
		names = append(names, t.Name)
	}
	return names
}

// IsDark reports whether light text has more contrast on a background than dark text.
func IsDark(background string) bool {
	return Contrast(background, "#ffffff") > Contrast(background, "#000000")
}

// ByName returns the built-in theme of that name, false if there is no such theme.
func ByName(name string) (Theme, bool) {
	all := builtin()
	i := slices.IndexFunc(all, func(t Theme) bool { return t.Name == name })
	if i < 0 {
		return Theme{}, false
	}
	return all[i], true
}

// ForBackground returns the default theme for a dark or a light background.
func ForBackground(isDark bool) Theme {
	if isDark {
		return dark()[0]
	}
	return light()[0]
}
