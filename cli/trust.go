package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/config"
	"plimsoll/conversation/numbers"
	"plimsoll/tui"
)

// What a workspace's file may decide besides looks and limits is the user's word,
// which is kept in the data folder, a file for each workspace. Rules:
//
//   - the word is about one content of the file: after a change it does not hold
//   - the chat asks once; other commands leave the keys out and say so
//   - a word that cannot be read is a no

// trust is what the user said of a workspace's file.
type trust struct {
	Workspace string `json:"workspace"`
	Hash      string `json:"hash"` // of the content
	Trusted   bool   `json:"trusted"`
}

// trustFile is where the word about a workspace is kept.
func (a *app) trustFile(workspace string) (string, error) {
	paths, err := config.FindPaths(a.env.Lookup, a.flags.data)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(paths.Data, "workspaces", hex.EncodeToString(sum[:16])+".json"), nil
}

// trustOf is what the user said of a workspace's file, the zero value for nothing.
func (a *app) trustOf(workspace string) trust {
	path, err := a.trustFile(workspace)
	if err != nil {
		return trust{}
	}
	data, err := os.ReadFile(path)
	var t trust
	if err != nil || json.Unmarshal(data, &t) != nil || t.Workspace != workspace {
		return trust{}
	}
	return t
}

// keepTrust replaces what is kept of a workspace.
func (a *app) keepTrust(t trust) error {
	path, err := a.trustFile(t.Workspace)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keeping what you said of the workspace: %w", err)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-")
	if err != nil {
		return fmt.Errorf("keeping what you said of the workspace: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // it says nothing yet
		return fmt.Errorf("keeping what you said of the workspace: %w", err)
	}
	return nil
}

// forgetTrust removes what is kept of a workspace.
func (a *app) forgetTrust(workspace string) error {
	path, err := a.trustFile(workspace)
	if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// refused is what the workspace's file asks for and does not get, in words; in few
// of them once the user has said no.
func (a *app) refused() []string {
	l := a.loaded.Load()
	if len(l.Refused) == 0 {
		return nil
	}
	if a.trustOf(a.workspace).Hash == l.Hash {
		return []string{fmt.Sprintf("%s of %s not applied, as you said; `plimsoll config trust` applies them",
			numbers.Count(len(l.Refused), "key"), a.home(l.Refused[0].File))}
	}
	var notes []string
	for _, r := range l.Refused {
		notes = append(notes, fmt.Sprintf("%s:%d: %s: %s is not applied: it %s", a.home(r.File), r.Line, r.Key, r.Value, r.Why))
	}
	return append(notes, "`plimsoll config trust` applies what is not applied")
}

// noteRefused tells on standard error what is not applied, for a command that the
// keys could have changed.
func (a *app) noteRefused() {
	for _, n := range a.refused() {
		a.note("%s", n)
	}
}

// trustQuestion asks for a yes to the keys of the workspace's file that need one,
// before a conversation is opened with them or without; nil if nothing is to be
// asked. The lock is held.
func (h *host) trustQuestion(open func(context.Context) (tui.Conversation, error)) *tui.Consent {
	l := h.app.loaded.Load()
	if h.trustAsked || len(l.Refused) == 0 || h.app.trustOf(h.app.workspace).Hash == l.Hash {
		return nil
	}
	say := func(yes bool) func(context.Context) (tui.Conversation, error) {
		return func(ctx context.Context) (tui.Conversation, error) {
			if err := h.trust(l.Hash, yes); err != nil {
				return tui.Conversation{}, err
			}
			return open(ctx)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s came with this folder and sets what only you may decide:\n", h.app.home(l.Refused[0].File))
	for _, r := range l.Refused {
		fmt.Fprintf(&b, "\n%s: %s\n    it %s\n", r.Key, r.Value, r.Why)
	}
	return &tui.Consent{
		Title: "Apply the folder's settings?", Question: b.String(), Yes: "apply them, until the file changes", No: "leave them out",
		Declined: "left out · plimsoll config trust applies them", Open: say(true), Decline: say(false),
	}
}

// trust keeps the user's word on the workspace's file, and puts it in force.
func (h *host) trust(hash string, yes bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trustAsked = true
	if err := h.app.keepTrust(trust{Workspace: h.app.workspace, Hash: hash, Trusted: yes}); err != nil || !yes {
		return err
	}
	loaded, err := h.app.loadConfig(h.app.workspace, h.app.flags.set)
	if err == nil {
		err = h.app.checkNames(loaded)
	}
	if err != nil {
		return usageError{err}
	}
	h.app.loaded.Store(&loaded)
	return nil
}

func (a *app) configTrustCommand() *cobra.Command {
	forget := false
	c := &cobra.Command{
		Use:   "trust",
		Short: "Apply all of the workspace's .plimsoll.yaml",
		Long: `Trust applies every key of the .plimsoll.yaml at the top of the workspace, also
those that need your word: the model, providers, summaries, keys, permissions. It
lists them. The word holds for this content of the file; --forget takes it back.`,
		Example: `  plimsoll config trust
  plimsoll config trust --forget`,
		Args: positional(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return a.configTrust(forget) },
	}
	c.Flags().BoolVar(&forget, "forget", false, "take the word back, and a no as well")
	return c
}

func (a *app) configTrust(forget bool) error {
	workspace, err := config.Workspace(a.env.Dir)
	if err != nil {
		return err
	}
	if forget {
		if err := a.forgetTrust(workspace); err != nil {
			return err
		}
		fmt.Fprintln(a.env.Stdout, "Nothing is kept of "+a.text(a.home(workspace))+" any more.")
		return nil
	}
	loaded, err := a.loadConfig(workspace, a.flags.set)
	if err != nil {
		return usageError{err}
	}
	if loaded.Hash == "" {
		return withHint(fmt.Errorf("there is no %s in %s", config.WorkspaceFile, a.home(workspace)), "there is nothing to trust")
	}
	if err := a.keepTrust(trust{Workspace: workspace, Hash: loaded.Hash, Trusted: true}); err != nil {
		return err
	}
	for _, r := range append(loaded.Refused, loaded.Trusted...) {
		fmt.Fprintln(a.env.Stdout, a.text(fmt.Sprintf("%s: %s", r.Key, r.Value)))
	}
	fmt.Fprintln(a.env.Stdout, "Applied from now on, until the file changes.")
	return nil
}
