package tools

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Walking visits entries in the order of their names, never follows links, and
// leaves out what .gitignore files and .git/info/exclude say, version control
// folders, and the folders that package managers fill. A folder that is asked
// for by name is shown even if it is ignored.

// alwaysIgnored are folders nobody means when searching a project.
var alwaysIgnored = []string{".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv"}

// entry is a file, folder or link met on a walk.
type entry struct {
	rel   string // relative to the workspace, slashes
	depth int    // 1 for the entries of the folder the walk began in
	fs.DirEntry
}

// errStop ends a walk early without an error.
var errStop = errors.New("stop")

// walk visits what is under start. visit returns fs.SkipDir to leave a folder
// out, and errStop to end. everything also visits what is ignored.
func (f *files) walk(ctx context.Context, start place, everything bool, visit func(entry) error) error {
	w := walker{ctx: ctx, files: f, visit: visit, everything: everything}
	var rules []ignoreRule
	if !everything {
		rules = f.ignoreRules(".", nil)
		if start.rel != "." {
			parts := strings.Split(start.rel, "/")
			for i := range parts {
				dir := strings.Join(parts[:i+1], "/")
				if ignored(rules, dir, true) {
					w.everything = true
				}
				rules = f.ignoreRules(dir, rules)
			}
		}
	}
	err := w.folder(start.rel, 1, rules)
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

type walker struct {
	ctx        context.Context // of the one call that walks
	files      *files
	visit      func(entry) error
	everything bool
}

func (w *walker) folder(rel string, depth int, rules []ignoreRule) error {
	entries, err := w.files.entries(rel)
	if err != nil {
		if depth == 1 {
			return place{rel: rel, name: rel}.explain(err)
		}
		return nil // a folder that may not be read is left out
	}
	for _, d := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		e := entry{rel: path.Join(rel, d.Name()), depth: depth, DirEntry: d}
		if !w.everything && (slices.Contains(alwaysIgnored, d.Name()) || ignored(rules, e.rel, d.IsDir())) {
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
				inner = w.files.ignoreRules(e.rel, rules)
			}
			if err := w.folder(e.rel, depth+1, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// entries lists a folder by name.
func (f *files) entries(rel string) ([]fs.DirEntry, error) {
	dir, err := f.root.OpenFile(filepath.FromSlash(rel), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	entries, err := dir.ReadDir(-1)
	_ = dir.Close() // opened for reading; what was read is what counts
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if len(entries) > 0 {
		return entries, nil
	}
	return entries, err
}
