package setup

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/config"
	"plimsoll/themes"
	"plimsoll/tui"
)

// The user's own themes are files: themes/NAME.yaml in the configuration folder, or the path in ui.theme. An invalid file is
// no theme, and its problems say why.

// themeFile is the content of a theme file.
type themeFile struct {
	Base   string         `yaml:"base" check:"word"`
	Colors themes.Palette `yaml:"colors"`
	Code   themes.Syntax  `yaml:"code"`
	Gauge  themes.Gauge   `yaml:"gauge"`
}

func readTheme(path string) (t themes.Theme, err error) {
	var content themeFile
	problemAt, err := config.ReadTheme(path, &content)
	if err != nil {
		return t, err
	}
	wrong := func(key, message, hint string) (themes.Theme, error) {
		return t, config.Problems{problemAt(key, message, hint)}
	}
	name := themeName(path)
	if tui.CheckTheme(name) == nil {
		return wrong("", "a theme is already named "+name, "rename the file")
	}
	t = themes.Theme{Name: name, Palette: content.Colors, Syntax: content.Code, Gauge: content.Gauge}
	if content.Base != "" {
		base, ok := themes.ByName(content.Base)
		if !ok || !base.HasColour() {
			return wrong("base", "no theme is named "+content.Base, "the themes are "+strings.Join(baseNames(), ", "))
		}
		t = t.WithBase(base)
	}
	var missing []string
	for _, r := range t.Roles() {
		if r.Color == "" {
			missing = append(missing, r.Name)
		}
	}
	if len(missing) > 0 {
		return wrong("", "these colors are missing: "+strings.Join(missing, ", "),
			"add them, or start from a theme that has them:  base: "+themes.PlimsollDark)
	}
	t.Dark = themes.IsDark(t.Background)
	return t, nil
}

// baseNames are the themes that a file can be based on.
func baseNames() []string {
	return slices.DeleteFunc(themes.Names(), func(name string) bool { return name == themes.Mono })
}

// OwnThemes reads the user's themes: the file that ui.theme names, and those in the folder with other names. The problems
// are those of invalid files.
func (s *Settings) OwnThemes(loaded config.Loaded) (own []themes.Theme, problems config.Problems) {
	files := s.themeFiles()
	if configuredPath := s.themeFile(loaded); configuredPath != "" {
		files = slices.DeleteFunc(files, func(f string) bool { return themeName(f) == themeName(configuredPath) })
		files = slices.Insert(files, 0, configuredPath)
	}
	for _, path := range files {
		t, err := readTheme(path)
		var wrong config.Problems
		switch {
		case errors.As(err, &wrong):
			problems = append(problems, wrong...)
		case slices.ContainsFunc(own, func(o themes.Theme) bool { return o.Name == t.Name }):
			problems = append(problems, &config.Problem{File: path, Message: "a theme is already named " + t.Name, Hint: "rename the file"})
		default:
			own = append(own, t)
		}
	}
	return own, problems
}

// Theme returns the name of the configured theme; own holds the theme if ui.theme is a file.
func (s *Settings) Theme(loaded config.Loaded) (name string, own []themes.Theme, err error) {
	if path := s.themeFile(loaded); path != "" {
		t, err := readTheme(path)
		return t.Name, []themes.Theme{t}, err
	}
	var names []string
	for _, f := range s.themeFiles() {
		names = append(names, themeName(f))
	}
	if err := tui.CheckTheme(loaded.Config.UI.Theme, names...); err != nil {
		return "", nil, config.Problems{loaded.ProblemAt("ui.theme", err.Error(), "")}
	}
	return loaded.Config.UI.Theme, nil, nil
}

func themeName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

func (s *Settings) themeFiles() []string {
	paths, _ := s.findPaths() // without a home folder there are no themes
	return config.ThemeFiles(paths.Themes())
}

// themeFile is the file that ui.theme names, "" for a built-in theme. A path is relative to the file that sets it.
func (s *Settings) themeFile(loaded config.Loaded) string {
	name := loaded.Config.UI.Theme
	if !config.IsThemePath(name) {
		files := s.themeFiles()
		if i := slices.IndexFunc(files, func(f string) bool { return themeName(f) == name }); i >= 0 && tui.CheckTheme(name) != nil {
			return files[i]
		}
		return ""
	}
	folder := s.Console.Dir
	if from := loaded.Origins["ui.theme"]; from.Layer != config.LayerOverride {
		folder = filepath.Dir(from.File)
	}
	return s.Console.Expand(name, folder)
}
