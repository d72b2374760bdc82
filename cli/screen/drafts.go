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

	"plimsoll/config"
	"plimsoll/tui"
)

// What is being written is kept in files of its own, one for each conversation. Before anything was sent there is no
// stored conversation: what is written there belongs to the workspace and to the process that wrote it, and the next
// process takes it over when that one is gone. So does what is written in a window that only reads a conversation. So no
// window takes a draft from under the fingers of another.

// drafts are those of one run.
type drafts struct {
	mu    sync.Mutex        // guards last, and is held while a file is read or written
	files map[string]string // file that holds the draft of a conversation, by its ID
}

// keep stores a draft in a file, in place of what is stored for the conversation; an empty one is removed.
func (s *drafts) keep(id, path string, d tui.Draft) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := json.Marshal(d)
	if err != nil {
		return err
	}
	old := s.files[id]
	if d == (tui.Draft{}) {
		delete(s.files, id)
		err = removeFile(path)
	} else if err = config.ReplaceFile(path, data); err == nil {
		s.noteFile(id, path)
	}
	if err == nil && old != "" && old != path {
		err = removeFile(old)
	}
	return err
}

// holds notes which file has the draft of a conversation. The lock is held.
func (s *drafts) noteFile(id, path string) {
	if s.files == nil {
		s.files = map[string]string{}
	}
	s.files[id] = path
}

// read is the draft in a file, an empty one where the file cannot be read.
func (s *drafts) read(id, path string) (d tui.Draft) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &d) != nil {
		return tui.Draft{}
	}
	s.noteFile(id, path)
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
	files, _ := os.ReadDir(filepath.Dir(base)) // without the folder there is none
	newest, last := "", time.Time{}
	for _, f := range files {
		path := filepath.Join(filepath.Dir(base), f.Name())
		name, json := strings.CutSuffix(f.Name(), ".json")
		number, ours := strings.CutPrefix(name, filepath.Base(base)+"-")
		pid, err := strconv.Atoi(number)
		if !json || !ours || err != nil || pid != os.Getpid() && processExists(pid) {
			continue
		}
		if info, err := os.Stat(path); err == nil && (newest == "" || info.ModTime().After(last)) {
			newest, last = path, info.ModTime()
		}
	}
	if newest != "" {
		_ = os.Rename(newest, own) // where that fails, it stays for the next
	}
}

// alive reports whether there is a process.
func processExists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// KeepDraft stores what is being written in a conversation, apart where it is only read.
func (h *Host) KeepDraft(ctx context.Context, id string, read bool, d tui.Draft) error {
	of, path, _, err := h.draftFile(ctx, id, read)
	if err != nil {
		return err
	}
	return h.drafts.keep(of, path, d)
}

// draft is what was being written in a conversation. What was written before anything was sent is there in a new one.
func (h *Host) draft(ctx context.Context, id string, read bool) tui.Draft {
	of, path, base, err := h.draftFile(ctx, id, read)
	if err != nil {
		return tui.Draft{}
	}
	h.drafts.claim(base, path)
	return h.drafts.read(of, path)
}

// draftFile is where the draft of a conversation is, and what it is known by. Of one that is not stored it is a file of
// the workspace and the process, of one that is only read a file of the conversation and the process. Base is how all of
// those begin.
func (h *Host) draftFile(ctx context.Context, id string, read bool) (of, path, base string, err error) {
	store, err := h.deps.Resources.Open()
	if err != nil {
		return "", "", "", err
	}
	of = id
	if read {
		of += " read"
	}
	_, missing := store.Resolve(ctx, id, "")
	if missing != nil {
		sum := sha256.Sum256([]byte(h.deps.Settings.Workspace))
		id = fmt.Sprintf("new-%x", sum[:6])
	}
	path = h.deps.Settings.Paths.Draft(id)
	base = strings.TrimSuffix(path, ".json")
	if read || missing != nil {
		path = fmt.Sprintf("%s-%d.json", base, os.Getpid())
	}
	return of, path, base, nil
}
