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

// Themes of the user's own are files: themes/NAME.yaml in the configuration folder, or
// the path in ui.theme. One that is wrong is no theme, and its problems say why; colors
// that are hard to read are the user's to choose, and only told.

// themeFile is what stands in a theme file.
type themeFile struct {
	Base   string         `yaml:"base" check:"word"`
	Colors themes.Palette `yaml:"colors"`
	Code   themes.Syntax  `yaml:"code"`
	Gauge  themes.Gauge   `yaml:"gauge"`
}

// readTheme reads a theme file. Faint is what does not read well in it.
func readTheme(path string) (t themes.Theme, faint config.Problems, err error) {
	var in themeFile
	file, err := config.ReadTheme(path, &in)
	if err != nil {
		return t, nil, err
	}
	name := themeName(path)
	if tui.CheckTheme(name) == nil {
		return t, nil, config.Problems{file.Problem("", "a theme is already named "+name, "rename the file")}
	}
	t = themes.Theme{Name: name, Palette: in.Colors, Syntax: in.Code, Gauge: in.Gauge}
	if in.Base != "" {
		base, ok := themes.ByName(in.Base)
		if !ok || !base.HasColour() {
			return t, nil, config.Problems{file.Problem("base", "no theme is named "+in.Base, "the themes are "+strings.Join(baseNames(), ", "))}
		}
		t = t.Over(base)
	}
	if missing := missingRoles(t); len(missing) > 0 {
		return t, nil, config.Problems{file.Problem("", "these colors are missing: "+strings.Join(missing, ", "),
			"add them, or start from a theme that has them:  base: "+themes.PlimsollDark)}
	}
	t.Dark = themes.IsDark(t.Background)
	for _, f := range t.Unreadable(themes.Usual) {
		faint = append(faint, file.Problem(f.Role.Name, f.Text(), f.Hint()))
	}
	return t, faint, nil
}

// baseNames are the themes that a file can begin with.
func baseNames() []string {
	return slices.DeleteFunc(themes.Names(), func(name string) bool { return name == themes.Mono })
}

// missingRoles are the colors that a theme does not have.
func missingRoles(t themes.Theme) []string {
	var missing []string
	for _, r := range t.Roles() {
		if r.Color == "" {
			missing = append(missing, r.Name)
		}
	}
	return missing
}

// OwnThemes are the user's themes: the file that ui.theme names, and those in the folder
// with other names. Problems are what keeps files from being themes, faint is what does not
// read well.
func (s *Settings) OwnThemes(l config.Loaded) (own []themes.Theme, problems, faint config.Problems) {
	files := config.ThemeFiles(s.themeFolder())
	if at := s.themeFile(l); at != "" {
		files = slices.DeleteFunc(files, func(f string) bool { return themeName(f) == themeName(at) })
		files = slices.Insert(files, 0, at)
	}
	for _, path := range files {
		t, hard, err := readTheme(path)
		var wrong config.Problems
		switch {
		case errors.As(err, &wrong):
			problems = append(problems, wrong...)
			continue
		case slices.ContainsFunc(own, func(o themes.Theme) bool { return o.Name == t.Name }):
			problems = append(problems, &config.Problem{File: path, Message: "a theme is already named " + t.Name, Hint: "rename the file"})
			continue
		}
		own, faint = append(own, t), append(faint, hard...)
	}
	return own, problems, faint
}

// Theme is the theme that a configuration names, by the name that it has on the screen,
// with the file that it stands in.
func (s *Settings) Theme(l config.Loaded) (name string, own []themes.Theme, err error) {
	path := s.themeFile(l)
	if path == "" {
		var files []string
		for _, f := range config.ThemeFiles(s.themeFolder()) {
			files = append(files, themeName(f))
		}
		if err := tui.CheckTheme(l.Config.UI.Theme, files...); err != nil {
			return "", nil, config.Problems{l.Problem("ui.theme", err.Error(), "")}
		}
		return l.Config.UI.Theme, nil, nil
	}
	t, _, err := readTheme(path)
	return t.Name, []themes.Theme{t}, err
}

func themeName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// themeFolder is where the user's themes are, "" without a home.
func (s *Settings) themeFolder() string {
	paths, err := config.FindPaths(s.Console.Lookup, s.Flags.Data)
	if err != nil {
		return ""
	}
	return paths.Themes()
}

// themeFile is the file that ui.theme leads to, "" if it names a built-in theme or none.
// A path is relative to the file that names it.
func (s *Settings) themeFile(l config.Loaded) string {
	name := l.Config.UI.Theme
	if !config.IsThemePath(name) {
		if tui.CheckTheme(name) == nil {
			return ""
		}
		files := config.ThemeFiles(s.themeFolder())
		if i := slices.IndexFunc(files, func(f string) bool { return themeName(f) == name }); i >= 0 {
			return files[i]
		}
		return ""
	}
	if rest, home := strings.CutPrefix(name, "~/"); home {
		return filepath.Join(s.Console.Getenv("HOME"), rest)
	}
	folder := s.Console.Dir
	if from := l.Origins["ui.theme"]; from.Layer != config.LayerOverride {
		folder = filepath.Dir(from.File)
	}
	if filepath.IsAbs(name) {
		folder = ""
	}
	return filepath.Join(folder, name)
}
