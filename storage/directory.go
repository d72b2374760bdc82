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

// directory is the path of a data directory. Its methods name the files in it.
type directory string

func (d directory) conversationsDir() string { return filepath.Join(string(d), "conversations") }

func (d directory) writerLockPath(id string) string {
	return filepath.Join(d.conversationsDir(), id+".lock")
}

func (d directory) conversation(id string) dbfile {
	return dbfile{filepath.Join(d.conversationsDir(), id+".db"), conversationLayout}
}

func (d directory) index() dbfile { return dbfile{filepath.Join(string(d), "index.db"), indexLayout} }

func (d directory) shared() dbfile {
	return dbfile{filepath.Join(string(d), "shared.db"), sharedLayout}
}

// fileInfo describes a conversation file, as listed in its folder.
type fileInfo struct {
	id     string
	size   int64
	mtime  time.Time
	locked bool // it has a lock file
}

func (d directory) stat(id string) (fileInfo, error) {
	st, err := os.Stat(d.conversation(id).path)
	if err != nil {
		return fileInfo{}, err
	}
	return fileInfo{id: id, size: st.Size(), mtime: st.ModTime()}, nil
}

func (d directory) files() ([]fileInfo, error) {
	entries, err := os.ReadDir(d.conversationsDir())
	if err != nil {
		return nil, fmt.Errorf("list conversations: %w", explain(d.conversationsDir(), err))
	}
	files := make([]fileInfo, 0, len(entries))
	for _, n := range entries { // sorted: ID.db comes right before ID.lock
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
			continue // deleted since the folder was read
		}
		if err != nil {
			return nil, fmt.Errorf("list conversations: %w", err)
		}
		files = append(files, fileInfo{id: id, size: st.Size(), mtime: st.ModTime()})
	}
	return files, nil
}

// checkExists returns ErrNotFound unless id is the ID of a stored conversation.
func (d directory) checkExists(id string) error {
	if !conversation.ValidID(id) {
		return fmt.Errorf("conversation %q: %w", id, ErrNotFound)
	}
	_, err := os.Stat(d.conversation(id).path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(d.conversation(id).path, err)
	}
	return asNotFound(id, err)
}

// idOf returns the conversation ID in a file name with suffix; false if name is not such a name.
func idOf(name, suffix string) (string, bool) {
	id, ok := strings.CutSuffix(name, suffix)
	return id, ok && conversation.ValidID(id)
}

// asNotFound turns fs.ErrNotExist into ErrNotFound and returns other errors unchanged.
func asNotFound(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("conversation %s: %w", id, ErrNotFound)
	}
	return err
}

// makePrivateDirectory creates dir, or removes the permissions of other users from it.
func makePrivateDirectory(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make data directory: %w", explain(dir, err))
		}
		// Sync the parent, so that a crash cannot lose the new directory. A parent that may be written
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
		err = nil // this file system cannot sync directories
	}
	return errors.Join(err, d.Close())
}
