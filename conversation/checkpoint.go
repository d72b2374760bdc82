package conversation

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
)

// The contents of files are kept outside of the log, under their hash. The log says which content a file had before a change and
// after it, so that the files can be brought back to any turn. Rules:
//
//   - A Checkpoint of a tool is stored before its file is changed. After a crash the file may still have the content before. That
//     of a command is stored with the result.
//   - A Rewound is stored before the files are brought back, and a Notice after. It is itself a change, and can be undone.

// FileVersion is one change of a file.
type FileVersion struct {
	Path string `json:"path"`           // relative to the workspace, with slashes
	From string `json:"from,omitempty"` // hash of the content before; "" if there was no file
	To   string `json:"to,omitempty"`   // hash of the content after; "" if there is no file
	Mode uint32 `json:"mode,omitempty"` // permission bits before, 0 if there was no file
}

// Checkpoint records that a tool changes files, or that a command changed them.
type Checkpoint struct {
	Files   []FileVersion `json:"files,omitempty"`
	By      string        `json:"by"`                // the tool
	Unknown bool          `json:"unknown,omitempty"` // the command may have changed files, and which is not known
}

// Rewound records that the user brought files back to what they were before a turn.
type Rewound struct {
	Turn  int           `json:"turn"`
	Files []FileVersion `json:"files"`
	Redo  bool          `json:"redo,omitempty"` // it brought back what an earlier one had undone; Turn is that one's
}

// ContentHash names the content of a file: its SHA-256, in hexadecimal.
func ContentHash(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// FileChange is what the conversation did to one file.
type FileChange struct {
	Path        string
	From        string // hash of the content before the first change; "" if there was no file
	Mode        uint32 // its permission bits
	To          string // hash of the content after the last change
	Interrupted string // hash of the content before the last change, if a crash may have prevented it
}

// FilesSince returns the changes of files from a turn on, in the order of their paths. Each has the last change of its file in
// the whole log.
func FilesSince(log []Event, turn int) []FileChange {
	changed := map[string]*FileChange{}
	for _, e := range log {
		for _, v := range FileVersionsOf(e.Body) {
			c := changed[v.Path]
			if c == nil {
				if e.Turn < turn {
					continue
				}
				c = &FileChange{Path: v.Path, From: v.From, Mode: v.Mode}
				changed[v.Path] = c
			}
			c.To, c.Interrupted = v.To, v.From
		}
	}
	all := make([]FileChange, 0, len(changed))
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		all = append(all, *changed[path])
	}
	return all
}

// UnknownSince reports whether commands may have changed files from a turn on that FilesSince does not have. One in the
// background may until it ends.
func UnknownSince(log []Event, turn int) bool {
	running := 0
	for _, e := range log {
		switch b := e.Body.(type) {
		case JobStarted:
			running++
		case JobEnded:
			running = max(0, running-1)
		case Checkpoint:
			if b.Unknown && e.Turn >= turn {
				return true
			}
		}
		if running > 0 && e.Turn >= turn {
			return true
		}
	}
	return false
}

// LastRewound returns the newest Rewound, if no change of a file followed it, and no message. finished reports that its files
// were brought back: a notice about it followed.
func LastRewound(log []Event) (r Rewound, finished, ok bool) {
	for _, e := range slices.Backward(log) {
		switch b := e.Body.(type) {
		case Notice:
			finished = true
		case Rewound:
			return b, finished, true
		case Checkpoint, UserMessage:
			return Rewound{}, false, false
		}
	}
	return Rewound{}, false, false
}

// FileVersionsOf returns the changes of files that an event records.
func FileVersionsOf(b Body) []FileVersion {
	switch b := b.(type) {
	case Checkpoint:
		return b.Files
	case Rewound:
		return b.Files
	}
	return nil
}
