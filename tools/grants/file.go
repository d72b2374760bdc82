package grants

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sys/unix"

	"plimsoll/config"
)

// The file is indented JSON, so that a user can read it: {"version": 1, "grants": [...]}. It is read whole or not at
// all: unknown members, repeated names and text after the end count as damage.

// version is the version of the file format.
const version = 1

// maxFile is the largest file that is read, in bytes.
const maxFile = 4 << 20

type document struct {
	Version int     `json:"version"`
	Grants  []entry `json:"grants"`
}

type entry struct {
	Grant
	Used *time.Time `json:"used,omitempty"` // written by earlier versions, ignored
}

// stat returns the info of a file, nil if the file does not exist.
func stat(path string) (fs.FileInfo, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return st, err
}

// unchanged compares two infos of a file; nil means that the file did not exist.
func unchanged(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}

// read returns the grants of a file, an empty list if the file does not exist.
func read(path string) ([]Grant, error) {
	st, err := stat(path)
	if st == nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxFile {
		return nil, damaged(path, errors.New("it is no regular file, or far too large"))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var d document
	if err := json.Unmarshal(data, &d, json.RejectUnknownMembers(true)); err != nil {
		return nil, damaged(path, err)
	}
	if d.Version != version {
		return nil, damaged(path, fmt.Errorf("its version is %d, which this program does not know", d.Version))
	}
	seen := map[string]bool{} // by ID
	var out []Grant
	for i, e := range d.Grants {
		if e.ID == "" || seen[e.ID] || e.Rule == "" || !filepath.IsAbs(e.Workspace) || e.Granted.IsZero() {
			return nil, damaged(path, fmt.Errorf("entry %d is not complete", i+1))
		}
		seen[e.ID] = true
		e.Kept = true
		out = append(out, e.Grant)
	}
	return out, nil
}

func damaged(path string, err error) error {
	return fmt.Errorf("%s is damaged or of a later version (%w): nothing is granted from it, and nothing is written to it. "+
		"Mend it, or move it away to begin anew", path, err)
}

// write replaces the file atomically.
func write(path string, grants []Grant) error {
	d := document{Version: version, Grants: []entry{}}
	for _, g := range grants {
		d.Grants = append(d.Grants, entry{Grant: g})
	}
	var text bytes.Buffer
	if err := json.MarshalWrite(&text, d, jsontext.WithIndent("  ")); err != nil {
		return err
	}
	text.WriteByte('\n')
	return config.ReplaceFile(path, text.Bytes())
}

// lockWait is how long a change waits for the lock of another program, lockPause the time between two attempts.
const (
	lockWait  = time.Second
	lockPause = 5 * time.Millisecond
)

// lock locks a lock file, which another program may hold for a moment.
func lock(ctx context.Context, path string) (release func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, errors.New("another program is writing to it"))
	defer cancel()
	ticker := time.NewTicker(lockPause)
	defer ticker.Stop()
	for {
		release, err := config.LockFile(path, unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-ticker.C:
		}
	}
}
