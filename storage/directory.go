package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"plimsoll/conversation"
)

// directory is where files of a store are.
type directory string

func (d directory) gate() string { return filepath.Join(string(d), "gate") }

func (d directory) folder() string { return filepath.Join(string(d), "conversations") }

func (d directory) lock(id string) string { return filepath.Join(d.folder(), id+".lock") }

func (d directory) conversation(id string) dbfile {
	return dbfile{filepath.Join(d.folder(), id+".db"), &conversationLayout}
}

func (d directory) index() dbfile { return dbfile{filepath.Join(string(d), "index.db"), &indexLayout} }

func (d directory) shared() dbfile {
	return dbfile{filepath.Join(string(d), "shared.db"), &sharedLayout}
}

// fileSeen is a conversation file as the folder shows it.
type fileSeen struct {
	id     string
	size   int64
	mtime  time.Time
	locked bool // it has a lock file
}

// seen is the file of a conversation as it is now.
func (d directory) seen(id string) (fileSeen, error) {
	st, err := os.Stat(d.conversation(id).path)
	if err != nil {
		return fileSeen{}, err
	}
	return fileSeen{id: id, size: st.Size(), mtime: st.ModTime()}, nil
}

// files lists the conversations on disk.
func (d directory) files() ([]fileSeen, error) {
	names, err := os.ReadDir(d.folder())
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", explain(d.folder(), err))
	}
	files := make([]fileSeen, 0, len(names))
	for _, n := range names { // sorted: ID.db stands right before ID.lock
		if id, ok := idOf(n.Name(), ".lock"); ok {
			if last := len(files) - 1; last >= 0 && files[last].id == id {
				files[last].locked = true
			}
			continue
		}
		id, ok := idOf(n.Name(), ".db")
		if !ok {
			continue
		}
		st, err := n.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted in this moment
		}
		if err != nil {
			return nil, fmt.Errorf("list conversations: %w", err)
		}
		files = append(files, fileSeen{id: id, size: st.Size(), mtime: st.ModTime()})
	}
	return files, nil
}

// exists reports as ErrNotFound what is not the ID of a stored conversation.
func (d directory) exists(id string) error {
	if !conversation.ValidID(id) {
		return fmt.Errorf("conversation %q: %w", id, ErrNotFound)
	}
	_, err := os.Stat(d.conversation(id).path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(d.conversation(id).path, err)
	}
	return gone(id, err)
}

// prefixed are the files whose conversation begins with prefix.
func prefixed(files []fileSeen, prefix string) []fileSeen {
	var out []fileSeen
	for _, f := range files {
		if len(prefix) <= conversation.IDLength && f.id[:len(prefix)] == prefix {
			out = append(out, f)
		}
	}
	return out
}

// idOf returns the conversation a file name of the folder belongs to.
func idOf(name, suffix string) (string, bool) {
	id, ok := strings.CutSuffix(name, suffix)
	return id, ok && conversation.ValidID(id)
}

// gone turns a missing file into ErrNotFound.
func gone(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("conversation %s: %w", id, ErrNotFound)
	}
	return err
}

// ownDirectory makes dir, or tightens its mode.
func ownDirectory(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make data directory: %w", explain(dir, err))
		}
		// What is stored in it is only as durable as its name. A folder that may be written
		// to but not read cannot be synced.
		if err := syncDirectory(filepath.Dir(dir)); err != nil && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("make data directory: %w", explain(dir, err))
		}
	}
	st, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("open data directory: %w", err)
	}
	if st.Mode().Perm()&0o077 == 0 {
		return nil
	}
	err = os.Chmod(dir, st.Mode().Perm()&0o700)
	if errors.Is(err, syscall.EROFS) {
		return nil // cannot be changed here, and reading still works
	}
	if err != nil {
		return fmt.Errorf("other users can read data directory %s, and its permissions cannot be changed: %w", dir, err)
	}
	return nil
}

// syncDirectory makes a rename in dir durable.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil // this file system has no such thing
	}
	return errors.Join(err, d.Close())
}
