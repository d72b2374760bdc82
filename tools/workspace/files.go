// Package workspace accesses the files of one folder and no others, even through links or races.
package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"plimsoll/conversation/numbers"
)

// Paths come from the model and are relative to the workspace. An absolute path inside it is made relative, even if it
// leads there through links. Links are followed while they stay inside. Every access then goes through os.Root, so that
// a link that changes in between cannot lead outside. Pipes, sockets, devices and directories are refused before they
// are opened, and files are opened without blocking.

// Files accesses the files of a workspace and no others.
type Files struct {
	root  *os.Root
	Dir   string   // absolute, with links resolved
	named string   // absolute, as it was given
	own   []string // the program's own files and folders, absolute, with links resolved
	// Step, if set, is called before each step that changes something in the workspace. A test that panics in it leaves there what
	// the end of the program at that moment would.
	Step func()
}

// Path is a path inside the workspace.
type Path struct {
	Rel     string // relative, slashes, with the links of its existing part resolved; "." is the workspace
	Name    string // as the model wrote it, relative, slashes; for messages
	Own     bool   // the file belongs to this program
	Program bool   // the file is in the bin folder of a Python virtual environment
}

// Open confines file access to dir.
func Open(dir string) (*Files, error) {
	if dir == "" {
		return nil, errors.New("no workspace given")
	}
	named, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	return &Files{root: root, Dir: real, named: named}, nil
}

// Close releases the workspace.
func (f *Files) Close() error { return f.root.Close() }

// Locate resolves a path from the model. A path outside the workspace is an error.
func (f *Files) Locate(name string) (Path, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return Path{}, errors.New(`the path is empty; use "." for the workspace`)
	case strings.ContainsRune(name, 0):
		return Path{}, errors.New("a path cannot hold a NUL character")
	}
	rel, ok := f.relative(name)
	if !ok {
		return Path{}, fmt.Errorf("%s is outside the workspace %s. File tools reach only files inside it", name, f.named)
	}
	p := Path{Rel: rel, Name: filepath.ToSlash(rel)}
	real, err := f.follow(rel)
	if err != nil {
		return Path{}, p.Explain(err)
	}
	p.Rel, p.Own = filepath.ToSlash(real), f.isOwn(real)
	for _, mark := range []string{"activate", filepath.Join("..", "pyvenv.cfg")} {
		_, err := f.Lstat(filepath.Join(filepath.Dir(real), mark))
		p.Program = p.Program || err == nil
	}
	return p, nil
}

// isOwn reports whether a resolved path belongs to the program's own files or folders.
func (f *Files) isOwn(real string) bool {
	return slices.ContainsFunc(f.own, func(own string) bool {
		_, ok := Within(own, filepath.Join(f.Dir, real))
		return ok
	})
}

// Within returns a path relative to a folder; false if it lies outside.
func Within(dir, name string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, name)
	return rel, err == nil && filepath.IsLocal(rel)
}

// SetOwn adds the program's own files and folders, which need not exist yet.
func (f *Files) SetOwn(paths []string) {
	for _, name := range paths {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			f.own = append(f.own, real)
		} else if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
			f.own = append(f.own, filepath.Join(dir, filepath.Base(name)))
		}
	}
}

// relative makes name relative to the workspace; false if it is outside.
func (f *Files) relative(name string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", false
		}
		name = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(name) {
		clean := filepath.Clean(filepath.FromSlash(name))
		return clean, filepath.IsLocal(clean)
	}
	for _, base := range []string{f.Dir, f.named} {
		if rel, ok := Within(base, name); ok {
			return rel, true
		}
	}
	return "", false
}

// Errors of following a link; the text continues a file name.
var (
	errLeadsOut = errors.New("is a link that leads out of the workspace. File tools reach only files inside it")
	errBroken   = errors.New("is a link to something that does not exist")
)

// follow resolves the links in the existing part of rel.
func (f *Files) follow(rel string) (string, error) {
	full, rest := filepath.Join(f.Dir, rel), ""
	for {
		real, err := filepath.EvalSymlinks(full)
		if err == nil {
			if inside, ok := Within(f.Dir, real); ok {
				return filepath.Join(inside, rest), nil
			}
			return "", errLeadsOut
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if st, err := os.Lstat(full); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return "", errBroken
		}
		if full == f.Dir {
			return "", err
		}
		full, rest = filepath.Dir(full), filepath.Join(filepath.Base(full), rest)
	}
}

// Explain rewords a file system error for the model, with the name of the file.
func (p Path) Explain(err error) error {
	var pathError *fs.PathError
	switch {
	case err == errLeadsOut, err == errBroken:
		return fmt.Errorf("%s %w", p.Name, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %s in the workspace", p.Name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", p.Name)
	case errors.As(err, &pathError):
		return fmt.Errorf("%s: %w", p.Name, pathError.Err)
	}
	return fmt.Errorf("%s: %w", p.Name, err)
}

// Open opens a regular file for reading.
func (f *Files) Open(p Path) (*os.File, fs.FileInfo, error) {
	if _, err := f.Regular(p); err != nil {
		return nil, nil, err
	}
	file, err := f.root.OpenFile(filepath.FromSlash(p.Rel), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, p.Explain(err)
	}
	st, err := file.Stat()
	if err == nil {
		err = p.OnlyRegular(st)
	}
	if err != nil {
		_ = file.Close() // opened for reading; the error above is the one to return
		return nil, nil, p.Explain(err)
	}
	return file, st, nil
}

// Stat returns the file info of p and follows links.
func (f *Files) Stat(p Path) (fs.FileInfo, error) { return f.root.Stat(filepath.FromSlash(p.Rel)) }

// Lstat returns the file info of rel itself, even if it is a link.
func (f *Files) Lstat(rel string) (fs.FileInfo, error) { return f.root.Lstat(filepath.FromSlash(rel)) }

// Readlink returns the target of a link.
func (f *Files) Readlink(rel string) (string, error) { return f.root.Readlink(filepath.FromSlash(rel)) }

// Regular returns the file info of p, which must be an existing regular file.
func (f *Files) Regular(p Path) (fs.FileInfo, error) {
	st, err := f.existing(p)
	if err != nil {
		return nil, err
	}
	return st, p.OnlyRegular(st)
}

// OnlyRegular returns an error if st does not describe a regular file.
func (p Path) OnlyRegular(st fs.FileInfo) error {
	switch m := st.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return fmt.Errorf("%s is a directory. Use list_files to see what is in it", p.Name)
	}
	return fmt.Errorf("%s is a pipe, a socket or a device, not a file", p.Name)
}

// existing returns the file info of p. The error of a missing file says whether its folder is missing, too.
func (f *Files) existing(p Path) (fs.FileInfo, error) {
	st, err := f.Stat(p)
	if err == nil {
		return st, nil
	}
	if dir := path.Dir(p.Rel); errors.Is(err, fs.ErrNotExist) && dir != "." {
		if _, err := f.root.Stat(dir); err != nil {
			return nil, fmt.Errorf("there is no %s in the workspace: its folder %s does not exist", p.Name, dir)
		}
	}
	return nil, p.Explain(err)
}

// Directory returns an error if p is not a directory.
func (f *Files) Directory(p Path) error {
	st, err := f.existing(p)
	if err == nil && !st.IsDir() {
		err = fmt.Errorf("%s is not a directory", p.Name)
	}
	return err
}

// Entries lists the entries of a folder, sorted by name.
func (f *Files) Entries(rel string) ([]fs.DirEntry, error) {
	dir, err := f.root.OpenFile(filepath.FromSlash(rel), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	entries, err := dir.ReadDir(-1)
	_ = dir.Close() // opened for reading; its error does not matter
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if len(entries) > 0 {
		err = nil // those that could be read are listed
	}
	return entries, err
}

// MaxEdit is the largest file that tools read or edit, in bytes.
const MaxEdit = 16 << 20

// Sniffed is how many leading bytes of a file decide whether it is text.
const Sniffed = 8 << 10

// NotText returns the kind of a file that begins with head ("binary", "image/png"), or "" for text. Like git, it takes
// a file with a NUL byte for binary.
func NotText(head []byte) string {
	head = head[:min(len(head), Sniffed)]
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		return "UTF-16 text"
	}
	media, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case strings.HasPrefix(media, "image/"), strings.HasPrefix(media, "audio/"), strings.HasPrefix(media, "video/"),
		media == "application/pdf":
		return media
	case bytes.IndexByte(head, 0) < 0:
		return ""
	case media == "application/octet-stream", strings.HasPrefix(media, "text/"):
		return "binary"
	}
	return media
}

// ExistsAlready returns the error for creating a file that exists.
func ExistsAlready(p Path) error {
	return fmt.Errorf("%s exists already. Use modify_file to change part of it, or overwrite: true to replace it", p.Name)
}

// Content reads a whole file. A file larger than MaxEdit is an error.
func (f *Files) Content(p Path) (string, error) {
	file, st, err := f.Open(p)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // opened for reading
	if st.Size() > MaxEdit {
		return "", fmt.Errorf("%s is %s; files over 16 MiB are neither read nor edited", p.Name, numbers.Bytes(st.Size()))
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxEdit))
	if err != nil {
		return "", p.Explain(err)
	}
	return string(text), nil
}
