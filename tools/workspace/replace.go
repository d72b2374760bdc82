package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"plimsoll/conversation"
)

// Files are replaced atomically: the new content is written to another
// file in the same folder, synced and renamed over it. The mode is kept. A file
// without write permission is refused, although renaming could replace it.

// Replace writes content to p, which must exist.
func (f *Files) Replace(p Path, content string) error {
	rel := filepath.FromSlash(p.Rel)
	old, err := f.root.OpenFile(rel, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return p.Explain(err)
	}
	st, err := old.Stat()
	_ = old.Close() // nothing was written
	if err != nil {
		return p.Explain(err)
	}
	if err := p.OnlyRegular(st); err != nil {
		return err
	}
	temp := tempName(rel, content)
	if err := f.write(temp, content, st.Mode().Perm()); err != nil {
		return p.Explain(err)
	}
	f.step()
	if err := f.root.Rename(temp, rel); err != nil {
		return p.Explain(errors.Join(err, f.root.Remove(temp)))
	}
	return nil
}

// tempName returns a name for the file in which content waits to become the file rel.
func tempName(rel, content string) string {
	return filepath.Join(filepath.Dir(rel), tempPrefix(conversation.ContentHash(content))+rand.Text()+".tmp")
}

// tempPrefix begins the names of files in which a content with this hash waits.
func tempPrefix(hash string) string { return ".plimsoll-" + hash[:min(len(hash), 16)] + "-" }

// RemoveLeftovers removes the files in which a content with this hash waited to become p when the program ended.
func (f *Files) RemoveLeftovers(p Path, hash string) {
	dir := path.Dir(p.Rel)
	entries, _ := f.Entries(dir) // what cannot be listed or removed stays
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), tempPrefix(hash)) && strings.HasSuffix(e.Name(), ".tmp") {
			_ = f.root.Remove(filepath.FromSlash(path.Join(dir, e.Name())))
		}
	}
}

// Create writes content to p, which must not exist, and makes its folders.
func (f *Files) Create(p Path, content string) error { return f.createWith(p, content, 0) }

func (f *Files) createWith(p Path, content string, mode fs.FileMode) error {
	if dir := path.Dir(p.Rel); dir != "." {
		f.step()
		if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
			return fmt.Errorf("make the folder %s: %w", dir, p.Explain(err))
		}
	}
	err := f.create(filepath.FromSlash(p.Rel), content, mode)
	if errors.Is(err, fs.ErrExist) {
		return ExistsAlready(p)
	}
	if err != nil {
		return p.Explain(err)
	}
	return nil
}

// Restore writes content to p, which need not exist, with a mode if it does not.
func (f *Files) Restore(p Path, content string, mode fs.FileMode) error {
	if _, err := f.Stat(p); !errors.Is(err, fs.ErrNotExist) {
		return f.Replace(p, content)
	}
	return f.createWith(p, content, mode)
}

// create makes a file whole or not at all, where the file system has links.
func (f *Files) create(rel, content string, mode fs.FileMode) error {
	temp := tempName(rel, content)
	if err := f.write(temp, content, mode); err != nil {
		return err
	}
	f.step()
	linked := f.root.Link(temp, rel)
	f.step()
	if err := f.root.Remove(temp); linked == nil || errors.Is(linked, fs.ErrExist) {
		return errors.Join(linked, err)
	}
	return f.write(rel, content, mode)
}

// Remove removes the file p.
func (f *Files) Remove(p Path) error {
	if _, err := f.Regular(p); err != nil {
		return err
	}
	f.step()
	if err := f.root.Remove(filepath.FromSlash(p.Rel)); err != nil {
		return p.Explain(err)
	}
	return nil
}

// write makes a new file. With mode 0 the umask decides the mode. On an error the
// incomplete file is removed.
func (f *Files) write(rel, content string, mode fs.FileMode) (err error) {
	f.step()
	file, err := f.root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			err = errors.Join(err, f.root.Remove(rel))
		}
	}()
	f.step()
	if mode != 0 {
		if err := file.Chmod(mode); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	f.step()
	if _, err := file.WriteString(content); err != nil {
		return err
	}
	f.step()
	return file.Sync()
}

// step comes before each step of a change.
func (f *Files) step() {
	if f.Step != nil {
		f.Step()
	}
}

// FoldersFor returns an error if an existing parent of p is not a folder.
func (f *Files) FoldersFor(p Path) error {
	for dir := path.Dir(p.Rel); dir != "."; dir = path.Dir(dir) {
		st, err := f.root.Stat(dir)
		if err != nil {
			continue
		}
		if !st.IsDir() {
			return fmt.Errorf("%s cannot be created: %s is a file", p.Name, dir)
		}
		return nil
	}
	return nil
}
