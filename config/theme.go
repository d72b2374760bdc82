// Theme files. Rules:
//
//   - A theme file is YAML, checked as strictly as the configuration. The caller defines its keys by a struct.
//   - The user's themes are files in themes/ of the configuration folder; the file name is the name of the theme.

package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// IsThemePath reports whether the value of ui.theme is the path of a file, not a name.
func IsThemePath(theme string) bool {
	return strings.ContainsAny(theme, `/\`) || filepath.Ext(theme) == ".yaml" || filepath.Ext(theme) == ".yml"
}

// ThemeFiles lists the theme files of a folder, sorted. For a missing folder it returns nil.
func ThemeFiles(dir string) []string {
	var files []string
	entries, _ := os.ReadDir(dir) // an unreadable folder counts as empty
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); (ext == ".yaml" || ext == ".yml") && e.Type()&fs.ModeDir == 0 {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// ReadTheme reads a theme file into the struct that into points to, which has tags like [Config]. problemAt makes a
// problem that points to a key of the file. If the file is invalid the error is [Problems].
func ReadTheme(path string, into any) (problemAt func(key, message, hint string) *Problem, err error) {
	origins := Origins{}
	problemAt = func(key, message, hint string) *Problem { return origins.problemAt(path, key, message, hint) }
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
		d.apply(leaves, into)
		problems = d.problems
	}
	return problemAt, problems.asError()
}
