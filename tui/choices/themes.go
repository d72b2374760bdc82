package choices

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/themes"
)

// Auto is the name of the choice between light and dark by the terminal's background.
const Auto = "auto"

// Themes are the user's own themes. Its methods add the built-in ones.
type Themes []themes.Theme

// Named returns the theme with this name; "auto", "light" and "dark" are names, too. dark is the terminal's background.
// With noColor it is always the theme without colors. It returns false if the name is unknown.
func (own Themes) Named(name string, dark, noColor bool) (themes.Theme, bool) {
	if noColor {
		return themes.ByName(themes.Mono)
	}
	switch name {
	case "", Auto:
		return themes.ForBackground(dark), true
	case "dark", "light":
		return themes.ForBackground(name == "dark"), true
	}
	if i := slices.IndexFunc(own, func(t themes.Theme) bool { return t.Name == name }); i >= 0 {
		return own[i], true
	}
	return themes.ByName(name)
}

// ThemeNames lists all names of themes, with those of the user's own.
func ThemeNames(own ...string) string {
	return strings.Join(append(append([]string{Auto, "dark", "light"}, themes.Names()...), own...), ", ")
}

// Names returns the names of the user's own themes.
func (own Themes) Names() []string {
	var names []string
	for _, t := range own {
		names = append(names, t.Name)
	}
	return names
}

// Theme is a row of the theme picker.
type Theme struct{ Name, Detail string }

// Rows lists the themes: the user's own first, then the built-in ones, those for the terminal's background first.
func (own Themes) Rows(dark bool) []Theme {
	rows := []Theme{{Auto, "light or dark"}}
	for _, t := range own {
		rows = append(rows, Theme{t.Name, background(t) + " · yours"})
	}
	var built []themes.Theme
	for _, name := range themes.Names() {
		t, _ := themes.ByName(name)
		built = append(built, t)
	}
	rank := func(t themes.Theme) int {
		switch {
		case !t.HasColour():
			return 2
		case t.Dark != dark:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(built, func(a, b themes.Theme) int { return cmp.Compare(rank(a), rank(b)) })
	for _, t := range built {
		rows = append(rows, Theme{t.Name, background(t)})
	}
	return rows
}

// background says for which background a theme is made.
func background(t themes.Theme) string {
	switch {
	case !t.HasColour():
		return "no color"
	case t.Dark:
		return "dark"
	}
	return "light"
}
