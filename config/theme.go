// Theme files. Rules:
//
//   - A theme file is YAML, read as strictly as the configuration; what its colors mean is the caller's to know.
//   - The user's stand in themes/ of the configuration folder, each by the name of its file.

package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// IsThemePath tells whether the value of ui.theme is the path of a file, not a name.
func IsThemePath(theme string) bool {
	return strings.ContainsAny(theme, `/\`) || filepath.Ext(theme) == ".yaml" || filepath.Ext(theme) == ".yml"
}

// Themes is the folder of the user's theme files, "" without a home.
func (p Paths) Themes() string {
	if p.Config == "" {
		return ""
	}
	return filepath.Join(p.Config, "themes")
}

// ThemeFiles lists the theme files of a folder, sorted. A folder that is not there has none.
func ThemeFiles(dir string) []string {
	var files []string
	entries, _ := os.ReadDir(dir) // without a list there are no themes
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); (ext == ".yaml" || ext == ".yml") && e.Type()&fs.ModeDir == 0 {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// ReadTheme reads a theme file into a struct that has tags as [Config] has them. The answer points at its values. When
// something is wrong the error is [Problems].
func ReadTheme(path string, into any) (problemAt func(key, message, hint string) *Problem, err error) {
	origins := Origins{}
	problemAt = func(key, message, hint string) *Problem { return origins.problem(path, key, message, hint) }
	data, found, problem := readFile(path, false)
	switch {
	case problem != nil:
		problem.Hint = "make it a file that you may read, or choose another theme"
		return problemAt, Problems{problem}
	case !found:
		return problemAt, Problems{{File: path, Message: "there is no such file", Hint: "check the path in ui.theme"}}
	}
	src, leaves, problems := parseDocument(path, data)
	if len(problems) == 0 {
		d := &decoder{src: src, origins: origins}
		d.lay(leaves, into)
		problems = d.problems
	}
	return problemAt, problems.err()
}
