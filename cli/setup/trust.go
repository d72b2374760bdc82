package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A workspace's configuration file may set looks and limits. Its other keys need the user's consent, which is stored in the
// data folder, a file for each workspace. Rules:
//
//   - consent is to one content of the file, and ends when the file changes
//   - the chat asks once; other commands leave the keys out and note it
//   - consent that cannot be read counts as refused

// Trust is the user's decision about a workspace's file.
type Trust struct {
	Workspace string `json:"workspace"`
	Hash      string `json:"hash"` // of the content
	Trusted   bool   `json:"trusted"`
	// Contents are the decisions about other files of the workspace, by the SHA-256 of their content.
	Contents map[string]bool `json:"contents,omitempty"`
}

// WorkspaceContent is a file of the workspace that starts a program or widens what runs without asking. It does nothing before
// the user has seen its content and said yes.
type WorkspaceContent struct {
	Path string // absolute
	Text string // what the yes is bound to
	Why  string // completes the sentence "it ..."
}

// WorkspaceContents lists the files of the workspace that need the user's yes.
func (s *Settings) WorkspaceContents() []WorkspaceContent {
	return slices.Concat(s.workspaceServers(), s.workspaceSkills(), s.ownContents())
}

// ContentTrust returns the user's decision about a file of the workspace with this content.
func (s *Settings) ContentTrust(text string) (trusted, decided bool) {
	trusted, decided = s.TrustOf(s.Workspace).Contents[conversation.ContentHash(text)]
	return trusted, decided
}

// UndecidedContents are the workspace's files with a content about which the user has not decided.
func (s *Settings) UndecidedContents() []WorkspaceContent {
	return slices.DeleteFunc(s.WorkspaceContents(), func(c WorkspaceContent) bool {
		_, decided := s.ContentTrust(c.Text)
		return decided
	})
}

func (s *Settings) trustFile(workspace string) (string, error) {
	paths, err := s.findPaths()
	if err != nil {
		return "", err
	}
	return filepath.Join(paths.Data, "workspaces", conversation.ContentHash(workspace)[:32]+".json"), nil
}

// TrustOf returns the user's decision about a workspace's file, the zero value if there is none.
func (s *Settings) TrustOf(workspace string) Trust {
	var t Trust
	if path, err := s.trustFile(workspace); err != nil || !readJSON(path, &t) || t.Workspace != workspace {
		return Trust{}
	}
	return t
}

// StoreTrust stores the decision about a workspace's file, and adds those about other contents.
func (s *Settings) StoreTrust(t Trust, contents ...WorkspaceContent) error {
	t.Contents = map[string]bool{}
	maps.Copy(t.Contents, s.TrustOf(t.Workspace).Contents)
	for _, c := range contents {
		t.Contents[conversation.ContentHash(c.Text)] = t.Trusted
	}
	path, err := s.trustFile(t.Workspace)
	if err != nil {
		return err
	}
	return writeJSON(path, "saving your decision about the workspace", t)
}

// ForgetTrust removes the decision about a workspace.
func (s *Settings) ForgetTrust(workspace string) error {
	path, err := s.trustFile(workspace)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// RefusedNotes describes the keys of the workspace's file that are not applied, briefly if the user has refused them.
func (s *Settings) RefusedNotes() []string {
	l := s.Loaded.Load()
	notes := s.UnknownNotes(*l)
	for _, c := range s.UndecidedContents() {
		notes = append(notes, fmt.Sprintf("%s is not used: it %s; `plimsoll config trust` allows it", s.Console.Home(c.Path), c.Why))
	}
	if len(l.Refused) == 0 {
		return notes
	}
	if s.TrustOf(s.Workspace).Hash == l.Hash {
		return append(notes, fmt.Sprintf("%s of %s not applied, as you said; `plimsoll config trust` applies them",
			numbers.Count(len(l.Refused), "key"), s.Console.Home(l.Refused[0].File)))
	}
	for _, r := range l.Refused {
		notes = append(notes, fmt.Sprintf("%s:%d: %s: %s is not applied: it %s", s.Console.Home(r.File), r.Line, r.Key, r.Value, r.Why))
	}
	return append(notes, "`plimsoll config trust` applies the rest")
}

// UnknownNotes describes the unknown keys of the workspace's file, which are ignored.
func (s *Settings) UnknownNotes(loaded config.Loaded) []string {
	var notes []string
	for _, p := range loaded.Unknown {
		notes = append(notes, strings.TrimSuffix(fmt.Sprintf("%s:%d: %s: it is passed over; %s", s.Console.Home(p.File), p.Line, p.Message, p.Hint), "; "))
	}
	return notes
}

// NoteRefused writes RefusedNotes to standard error, for a command that the keys could have changed.
func (s *Settings) NoteRefused() {
	for _, n := range s.RefusedNotes() {
		s.Console.Note("%s", n)
	}
}
