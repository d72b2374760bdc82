package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Walking visits entries in the order of their names, never follows links, and
// leaves out what .gitignore files and .git/info/exclude say, version control
// folders, and the folders that package managers fill. A folder that is asked
// for by name is shown even if it is ignored.

// alwaysIgnored are folders nobody means when searching a project.
var alwaysIgnored = []string{".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv"}

// Entry is a file, folder or link met on a walk.
type Entry struct {
	Rel   string // relative to the workspace, slashes
	Depth int    // 1 for the entries of the folder the walk began in
	fs.DirEntry
}

// ErrStop ends a walk early without an error.
var ErrStop = errors.New("stop")

// Walk visits what is under start. visit returns fs.SkipDir to leave a folder
// out, and ErrStop to end. everything also visits what is ignored.
func (f *Files) Walk(ctx context.Context, start Place, everything bool, visit func(Entry) error) error {
	w := walker{ctx: ctx, files: f, visit: visit, everything: everything}
	var rules []ignoreRule
	if !everything {
		rules = f.ignoreRules(".", nil)
		if start.Rel != "." {
			parts := strings.Split(start.Rel, "/")
			for i := range parts {
				dir := strings.Join(parts[:i+1], "/")
				if ignored(rules, dir, true) {
					w.everything = true
				}
				rules = f.ignoreRules(dir, rules)
			}
		}
	}
	err := w.folder(start.Rel, 1, rules)
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

type walker struct {
	ctx        context.Context // of the one call that walks
	files      *Files
	visit      func(Entry) error
	everything bool
}

func (w *walker) folder(rel string, depth int, rules []ignoreRule) error {
	entries, err := w.files.Entries(rel)
	if err != nil {
		if depth == 1 {
			return Place{Rel: rel, Name: rel}.Explain(err)
		}
		return nil // a folder that may not be read is left out
	}
	for _, d := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		e := Entry{Rel: path.Join(rel, d.Name()), Depth: depth, DirEntry: d}
		if !w.everything && (slices.Contains(alwaysIgnored, d.Name()) || ignored(rules, e.Rel, d.IsDir())) {
			continue
		}
		if err := w.visit(e); err != nil {
			if errors.Is(err, fs.SkipDir) {
				continue
			}
			return err
		}
		if d.IsDir() {
			inner := rules
			if !w.everything {
				inner = w.files.ignoreRules(e.Rel, rules)
			}
			if err := w.folder(e.Rel, depth+1, inner); err != nil {
				return err
			}
		}
	}
	return nil
}
