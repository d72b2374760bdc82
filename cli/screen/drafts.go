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

// Unsent text in the composer is stored as a draft, one file for each conversation. A new conversation is not stored before
// its first message: its draft belongs to the workspace and the process, and another process takes it over only after that
// process has ended. The same holds for drafts in read-only windows. So two windows never write the same draft.

// drafts stores the unsent texts of one run of the program.
type drafts struct {
	mu    sync.Mutex        // guards files, and is held while a file is read or written
	files map[string]string // path of the draft, by key of draftFile
}

// storeDraft stores a draft in a file, and removes the earlier file of the same key. An empty draft is removed.
func (s *drafts) storeDraft(id, path string, d tui.Draft) error {
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
		s.files[id] = path
	}
	if err == nil && old != "" && old != path {
		err = removeFile(old)
	}
	return err
}

// readDraft returns the draft in a file, an empty one if the file cannot be read.
func (s *drafts) readDraft(id, path string) (d tui.Draft) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &d) != nil {
		return tui.Draft{}
	}
	s.files[id] = path
	return d
}

// claimDraft renames the newest draft of an ended process to ownPath, unless that file exists. Base is the common prefix of the
// files of all processes.
func (s *drafts) claimDraft(base, ownPath string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := os.Stat(ownPath); err == nil {
		return
	}
	files, _ := os.ReadDir(filepath.Dir(base)) // no folder, no drafts
	newest, last := "", time.Time{}
	for _, f := range files {
		path := filepath.Join(filepath.Dir(base), f.Name())
		name, isJSON := strings.CutSuffix(f.Name(), ".json")
		number, hasPrefix := strings.CutPrefix(name, filepath.Base(base)+"-")
		pid, err := strconv.Atoi(number)
		if !isJSON || !hasPrefix || err != nil {
			continue
		}
		if alive := syscall.Kill(pid, 0); pid != os.Getpid() && (alive == nil || errors.Is(alive, syscall.EPERM)) {
			continue // its process still runs
		}
		if info, err := os.Stat(path); err == nil && (newest == "" || info.ModTime().After(last)) {
			newest, last = path, info.ModTime()
		}
	}
	if newest != "" {
		_ = os.Rename(newest, ownPath) // if that fails, a later process can claim the draft
	}
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// KeepDraft stores the draft of a conversation; drafts of read-only windows have files of their own.
func (h *Host) KeepDraft(ctx context.Context, id string, isReadOnly bool, d tui.Draft) error {
	key, path, _, err := h.draftFile(ctx, id, isReadOnly)
	if err != nil {
		return err
	}
	return h.drafts.storeDraft(key, path, d)
}

// draft reads the draft of a conversation. A new conversation gets the draft of an earlier new one.
func (h *Host) draft(ctx context.Context, id string, isReadOnly bool) tui.Draft {
	key, path, base, err := h.draftFile(ctx, id, isReadOnly)
	if err != nil {
		return tui.Draft{}
	}
	h.drafts.claimDraft(base, path)
	return h.drafts.readDraft(key, path)
}

// draftFile returns the path of a conversation's draft and its key in drafts. If the conversation is not stored yet, the
// path has the workspace and the process, if it is read-only, the conversation and the process; base is the path without the
// process.
func (h *Host) draftFile(ctx context.Context, id string, isReadOnly bool) (key, path, base string, err error) {
	store, err := h.deps.Resources.Open()
	if err != nil {
		return "", "", "", err
	}
	key = id
	if isReadOnly {
		key += " read"
	}
	_, missing := store.Resolve(ctx, id)
	if missing != nil {
		sum := sha256.Sum256([]byte(h.deps.Settings.Workspace))
		id = fmt.Sprintf("new-%x", sum[:6])
	}
	path = h.deps.Settings.Paths.Draft(id)
	base = strings.TrimSuffix(path, ".json")
	if isReadOnly || missing != nil {
		path = fmt.Sprintf("%s-%d.json", base, os.Getpid())
	}
	return key, path, base, nil
}
