package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A walk visits entries in the order of their names and never follows links. It
// leaves out entries that .gitignore or .git/info/exclude name, version control
// folders, and folders that package managers fill. The folder in which a walk
// starts is visited even if it is ignored.

// alwaysIgnored are folders that do not hold a project's own files.
var alwaysIgnored = []string{".git", ".hg", ".svn", ".jj", "node_modules", "__pycache__", ".venv"}

// Entry is a file, folder or link that a walk visits.
type Entry struct {
	Rel   string // relative to the workspace, slashes
	Depth int    // 1 for the entries of the folder in which the walk starts
	fs.DirEntry
}

// ErrStop ends a walk early without an error.
var ErrStop = errors.New("stop")

// Walk visits all entries below start. visit returns fs.SkipDir to skip a folder,
// and ErrStop to end the walk. With everything, ignored entries are visited too.
func (f *Files) Walk(ctx context.Context, start Path, everything bool, visit func(Entry) error) error {
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
	ctx        context.Context // of the call of Walk
	files      *Files
	visit      func(Entry) error
	everything bool
}

func (w *walker) folder(rel string, depth int, rules []ignoreRule) error {
	entries, err := w.files.Entries(rel)
	if err != nil {
		if depth == 1 {
			return Path{Rel: rel, Name: rel}.Explain(err)
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

// File is a file of a workspace.
type File struct {
	Path string // relative to the workspace, slashes
	Size int64  // bytes
}

// List lists at most most regular files of a workspace in the order of their
// paths, without ignored files.
func List(ctx context.Context, workspace string, most int) ([]File, error) {
	f, err := Open(workspace)
	if err != nil {
		return nil, err
	}
	var found []File
	err = f.Walk(ctx, Path{Rel: ".", Name: "."}, false, func(e Entry) error {
		if !e.Type().IsRegular() {
			return nil
		}
		if len(found) == most {
			return ErrStop
		}
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		found = append(found, File{Path: e.Rel, Size: st.Size()})
		return nil
	})
	return found, errors.Join(err, f.Close())
}
