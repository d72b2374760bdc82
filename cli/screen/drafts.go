package screen

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/tui"
)

// What is being written is kept in files of its own, one for each conversation. Before anything was sent there is no
// stored conversation: what is written there belongs to the workspace and to the process that wrote it, and the next
// process takes it over when that one is gone. So does what is written in a window that only reads a conversation. So no
// window takes a draft from under the fingers of another.

// drafts are those of one run.
type drafts struct {
	settings  *setup.Settings
	resources *setup.Resources

	mu   sync.Mutex        // guards last, and is held while a file is read or written
	last map[string]string // file that holds the draft of a conversation, by its ID
}

// keep stores a draft in a file, in place of what is stored for the conversation.
func (s *drafts) keep(id, path string, d tui.Draft) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d == (tui.Draft{}) {
		return s.forget(id, path)
	}
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := config.ReplaceFile(path, data); err != nil {
		return err
	}
	old := s.last[id]
	s.holds(id, path)
	if old != "" && old != path {
		return removed(old)
	}
	return nil
}

// forget removes what is stored for a conversation. The lock is held.
func (s *drafts) forget(id, path string) error {
	old := s.last[id]
	delete(s.last, id)
	if old == "" || old == path {
		return removed(path)
	}
	return errors.Join(removed(old), removed(path))
}

// holds notes which file has the draft of a conversation. The lock is held.
func (s *drafts) holds(id, path string) {
	if s.last == nil {
		s.last = map[string]string{}
	}
	s.last[id] = path
}

// read is the draft in a file, an empty one where the file cannot be read.
func (s *drafts) read(id, path string) (d tui.Draft) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &d) != nil {
		return tui.Draft{}
	}
	s.holds(id, path)
	return d
}

// claim makes the newest draft that a process left behind this process's own, unless it has one. Base is how the files
// of all processes begin.
func (s *drafts) claim(base, own string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Stat(own); err == nil {
		return
	}
	dir := filepath.Dir(own)
	names, _ := os.ReadDir(dir) // without the folder there is none
	newest, last := "", time.Time{}
	for _, n := range names {
		path := filepath.Join(dir, n.Name())
		of, ours := strings.CutPrefix(path, base+"-")
		pid, err := strconv.Atoi(strings.TrimSuffix(of, ".json"))
		if !ours || err != nil || pid != os.Getpid() && alive(pid) {
			continue
		}
		if info, err := n.Info(); err == nil && (newest == "" || info.ModTime().After(last)) {
			newest, last = path, info.ModTime()
		}
	}
	if newest != "" {
		_ = os.Rename(newest, own) // where that fails, it stays for the next
	}
}

// alive reports whether there is a process.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// KeepDraft stores what is being written in a conversation, apart where it is only read.
func (s *drafts) KeepDraft(ctx context.Context, id string, read bool, d tui.Draft) error {
	path, _, err := s.draftFile(ctx, id, read)
	if err != nil {
		return err
	}
	return s.keep(of(id, read), path, d)
}

// of is what holds a draft of a conversation: apart where it is only read.
func of(id string, read bool) string {
	if read {
		return id + " read"
	}
	return id
}

// draft is what was being written in a conversation. What was written before anything was sent is there in a new one.
func (s *drafts) draft(ctx context.Context, id string, read bool) tui.Draft {
	path, base, err := s.draftFile(ctx, id, read)
	if err != nil {
		return tui.Draft{}
	}
	s.claim(base, path)
	return s.read(of(id, read), path)
}

// draftFile is where the draft of a conversation is. Of one that is not stored it is a file of the workspace and the
// process, of one that is only read a file of the conversation and the process. Base is how all of those begin.
func (s *drafts) draftFile(ctx context.Context, id string, read bool) (path, base string, err error) {
	store, err := s.resources.Open()
	if err != nil {
		return "", "", err
	}
	_, err = store.Resolve(ctx, id, "")
	stored := err == nil
	if !stored {
		of := sha256.Sum256([]byte(s.settings.Workspace))
		id = fmt.Sprintf("new-%x", of[:6])
	}
	path = s.settings.Paths.Draft(id)
	base = strings.TrimSuffix(path, ".json")
	if read || !stored {
		path = fmt.Sprintf("%s-%d.json", base, os.Getpid())
	}
	return path, base, nil
}
