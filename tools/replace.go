package tools

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// Files are replaced atomically: the new content is written to a file of
// another name beside the old one, synced and renamed over it. The mode stays.
// A file that may not be written is refused, although renaming could replace it.

// replace writes content to p, which must exist.
func (f *files) replace(p place, content string) error {
	rel := filepath.FromSlash(p.rel)
	old, err := f.root.OpenFile(rel, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return p.explain(err)
	}
	st, err := old.Stat()
	_ = old.Close() // nothing was written
	if err != nil {
		return p.explain(err)
	}
	if err := p.onlyRegular(st); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(rel), tempName())
	if err := f.write(temp, content, st.Mode().Perm()); err != nil {
		return p.explain(err)
	}
	if err := f.root.Rename(temp, rel); err != nil {
		return p.explain(errors.Join(err, f.root.Remove(temp)))
	}
	return nil
}

// create writes content to p, which must not exist, making its folders.
func (f *files) create(p place, content string) error {
	if dir := path.Dir(p.rel); dir != "." {
		if err := f.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
			return fmt.Errorf("make the folder %s: %w", dir, p.explain(err))
		}
	}
	err := f.write(filepath.FromSlash(p.rel), content, 0)
	if errors.Is(err, fs.ErrExist) {
		return existsAlready(p)
	}
	if err != nil {
		return p.explain(err)
	}
	return nil
}

// write makes a new file. mode 0 leaves the mode to the umask. A file written
// only in part is removed.
func (f *files) write(rel, content string, mode fs.FileMode) (err error) {
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
	if mode != 0 {
		if err := file.Chmod(mode); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	if _, err := file.WriteString(content); err != nil {
		return err
	}
	return file.Sync()
}

// tempName is a name that no other file has.
func tempName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (it ends the program instead)
	return ".plimsoll-" + hex.EncodeToString(b[:]) + ".tmp"
}
