package tui

import (
	"io"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"plimsoll/themes"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// theme is the colours in force.
type theme struct {
	name       string // auto, light, dark or a theme's name
	dark       bool   // the terminal's background is
	colourless bool
	look       look
}

func newTheme(o Options) theme {
	t := theme{name: o.Theme, dark: true, colourless: o.Colourless}
	if !t.choose(o.Theme) {
		t.choose("auto")
		t.name = o.Theme
	}
	return t
}

// choose takes another theme; false if there is none of that name.
func (t *theme) choose(name string) bool {
	chosen, ok := chooseTheme(name, t.dark, t.colourless)
	if ok {
		t.name, t.look = name, newLook(chosen)
	}
	return ok
}

// background takes over what the terminal is like. It reports whether another theme is in
// force.
func (t *theme) background(dark bool) bool {
	t.dark = dark
	chosen, ok := chooseTheme(t.name, dark, t.colourless)
	if !ok || chosen.Name == t.look.theme.Name {
		return false
	}
	t.look = newLook(chosen)
	return true
}

// pick lets the user choose a theme.
func (t *theme) pick() pane.Action {
	items := []overlay.Item{{ID: "auto", Title: "auto", Detail: "asks the terminal", Current: t.name == "auto"}}
	for _, name := range themes.Names() {
		items = append(items, overlay.Item{ID: name, Title: name, Current: t.name == name})
	}
	return open(overlay.PickerOptions{ID: dialogThemes, Title: "Theme", Items: items})
}

// chooseTheme is the theme by its name ("auto", "light" and "dark" are names, too), for a
// background and whether the user wants no colours; false if there is no such theme.
func chooseTheme(name string, dark, colourless bool) (themes.Theme, bool) {
	if colourless {
		t, ok := themes.ByName(themes.Mono)
		return t, ok
	}
	switch name {
	case "", "auto":
		return themes.Auto(dark), true
	case "dark", "light":
		return themes.Auto(name == "dark"), true
	}
	return themes.ByName(name)
}

// PrintMarkdown writes a text rendered to w, without the screen, in the
// colours that the terminal of environ has. Text is made safe first.
func PrintMarkdown(w io.Writer, text string, width int, colourless bool, environ []string) error {
	theme, _ := chooseTheme("auto", !lightBackground(environ), colourless)
	lines := markdown.New(themes.Markdown(theme), width).Render(text)
	_, err := io.WriteString(colorprofile.NewWriter(w, environ), strings.Join(lines, "\n")+"\n")
	return err
}

// lightBackground reports whether the terminal says in COLORFGBG that its
// background is light. Asking it would leave the answer to the shell.
func lightBackground(environ []string) bool {
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, "COLORFGBG="); ok {
			bg := v[strings.LastIndexByte(v, ';')+1:]
			return bg == "7" || bg == "15"
		}
	}
	return false
}

// CheckTheme reports whether a theme can be chosen; the error names those
// there are.
func CheckTheme(name string) error {
	if _, ok := chooseTheme(name, true, false); !ok {
		return &themeError{name}
	}
	return nil
}

type themeError struct{ name string }

func (e *themeError) Error() string {
	return "there is no theme " + e.name + "; the themes are auto, dark, light, " + strings.Join(themes.Names(), ", ")
}
