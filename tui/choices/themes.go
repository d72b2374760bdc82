package choices

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/themes"
)

// Auto is the name of the theme that goes by the terminal's background.
const Auto = "auto"

// Themes are the themes to choose from: the built-in ones, and the user's own.
type Themes []themes.Theme

// Named is a theme by its name ("auto", "light" and "dark" are names, too), for a
// background and whether the user wants no colors; false if there is no such theme.
func (own Themes) Named(name string, dark, colourless bool) (themes.Theme, bool) {
	if colourless {
		return themes.ByName(themes.Mono)
	}
	switch name {
	case "", Auto:
		return themes.Auto(dark), true
	case "dark", "light":
		return themes.Auto(name == "dark"), true
	}
	if i := slices.IndexFunc(own, func(t themes.Theme) bool { return t.Name == name }); i >= 0 {
		return own[i], true
	}
	return themes.ByName(name)
}

// ThemeNames lists the names there are, with those of the user's own.
func ThemeNames(own ...string) string {
	return strings.Join(append(append([]string{Auto, "dark", "light"}, themes.Names()...), own...), ", ")
}

// Names are those of the user's own.
func (own Themes) Names() []string {
	var names []string
	for _, t := range own {
		names = append(names, t.Name)
	}
	return names
}

// Theme is one that can be chosen.
type Theme struct{ Name, Detail string }

// Rows lists the themes: the user's own first, then those for the terminal's background.
func (own Themes) Rows(dark bool) []Theme {
	rows := []Theme{{Auto, "light or dark"}}
	for _, t := range own {
		rows = append(rows, Theme{t.Name, ground(t) + " · yours"})
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
		rows = append(rows, Theme{t.Name, ground(t)})
	}
	return rows
}

// ground is what a theme is made for.
func ground(t themes.Theme) string {
	switch {
	case !t.HasColour():
		return "no color"
	case t.Dark:
		return "dark"
	}
	return "light"
}
