package owncommand

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Each Markdown file below a folder is a command. Names are lower case; what a name cannot hold becomes a hyphen. Where names
// collide the first wins: built-in commands, the user's, then the workspace's; the later one gets its origin before the name,
// "workspace:review". A link in the workspace must not lead out of it.

// Limits of a search.
const (
	maxFiles   = 200      // commands
	maxBytes   = 64 << 10 // of a file
	maxEntries = 5000     // files and folders that are looked at
	maxDepth   = 5        // subfolders
)

// Folder is a folder with commands, by its absolute path. It need not exist.
type Folder struct {
	Path   string
	Origin Origin
}

// Find lists the commands of folders, in order. workspace is the folder that those of the workspace are in, isTaken reports names
// of other commands. The error says which files are passed over, and why; the commands are returned with it.
func Find(folders []Folder, workspace string, isTaken func(name string) bool) ([]Command, error) {
	f := finder{isTaken: isTaken}
	for _, folder := range folders {
		f.Folder = folder
		if err := f.search(workspace); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.passOver(folder.Path, err)
		}
	}
	return f.found, errors.Join(f.problems...)
}

type finder struct {
	Folder   // that is searched
	isTaken  func(string) bool
	entries  int
	found    []Command
	problems []error
}

func (f *finder) passOver(path string, why error) {
	f.problems = append(f.problems, fmt.Errorf("%s: %w", path, why))
}

// search adds the commands of the folder.
func (f *finder) search(workspace string) error {
	files, within := os.DirFS(f.Path), "."
	if f.Origin == Workspace {
		root, err := os.OpenRoot(workspace)
		if err != nil {
			return err
		}
		defer root.Close()
		files, within = root.FS(), filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(f.Path, workspace), "/"))
	}
	return fs.WalkDir(files, within, func(name string, d fs.DirEntry, err error) error {
		f.entries++
		below := strings.TrimPrefix(strings.TrimPrefix(name, within), "/")
		switch {
		case err != nil:
			return err
		case f.entries > maxEntries || len(f.found) >= maxFiles:
			f.passOver(f.Path, fmt.Errorf("there are more than %d commands, or too many files", maxFiles))
			return fs.SkipAll
		case d.IsDir() && name != within && (strings.HasPrefix(d.Name(), ".") || strings.Count(below, "/") >= maxDepth):
			return fs.SkipDir
		case d.IsDir() || !strings.EqualFold(path.Ext(name), ".md"):
			return nil
		}
		full := filepath.Join(f.Path, filepath.FromSlash(below))
		if err := f.add(files, name, nameOf(below), full); err != nil {
			f.passOver(full, err)
		}
		return nil
	})
}

func (f *finder) add(files fs.FS, file, name, full string) error {
	text, err := readFile(files, file)
	if err != nil {
		return err
	}
	c, err := Parse(text)
	if err != nil {
		return err
	}
	c.Origin, c.Path = f.Origin, full
	for _, c.Name = range []string{name, string(f.Origin) + ":" + name} {
		_, isFound := Named(f.found, c.Name)
		switch {
		case name == "":
			return errors.New("a command's name begins with a letter")
		case !isFound && !f.isTaken(c.Name):
			f.found = append(f.found, c)
			return nil
		}
	}
	return fmt.Errorf("there is a command /%s already", c.Name)
}

// readFile reads a file, which may be a link to one.
func readFile(files fs.FS, name string) (string, error) {
	if st, err := fs.Stat(files, name); err != nil {
		return "", err
	} else if !st.Mode().IsRegular() {
		return "", errors.New("not a file")
	}
	file, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		return "", fmt.Errorf("it is larger than %d KiB", maxBytes>>10)
	}
	return string(data), err
}

// nameOf is the name of a command by its path below the folder, "" if it has none.
func nameOf(below string) string {
	parts := strings.Split(strings.ToLower(strings.TrimSuffix(below, path.Ext(below))), "/")
	for i, part := range parts {
		parts[i] = strings.Trim(strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
				return r
			}
			return '-'
		}, part), "-")
	}
	name := strings.Join(parts, ":")
	if slices.Contains(parts, "") || name[0] < 'a' || name[0] > 'z' {
		return ""
	}
	return name
}

// Named returns the command with a name, ignoring case.
func Named(list []Command, name string) (Command, bool) {
	i := slices.IndexFunc(list, func(c Command) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return Command{}, false
	}
	return list[i], true
}
