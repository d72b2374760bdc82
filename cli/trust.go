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
func (s *settings) trustFile(workspace string) (string, error) {
	paths, err := config.FindPaths(s.console.Lookup, s.flags.data)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(paths.Data, "workspaces", hex.EncodeToString(sum[:16])+".json"), nil
}

// trustOf is what the user said of a workspace's file, the zero value for nothing.
func (s *settings) trustOf(workspace string) trust {
	path, err := s.trustFile(workspace)
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
func (s *settings) keepTrust(t trust) error {
	path, err := s.trustFile(t.Workspace)
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
func (s *settings) forgetTrust(workspace string) error {
	path, err := s.trustFile(workspace)
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
func (s *settings) refused() []string {
	l := s.loaded.Load()
	if len(l.Refused) == 0 {
		return nil
	}
	if s.trustOf(s.workspace).Hash == l.Hash {
		return []string{fmt.Sprintf("%s of %s not applied, as you said; `plimsoll config trust` applies them",
			numbers.Count(len(l.Refused), "key"), s.console.home(l.Refused[0].File))}
	}
	var notes []string
	for _, r := range l.Refused {
		notes = append(notes, fmt.Sprintf("%s:%d: %s: %s is not applied: it %s", s.console.home(r.File), r.Line, r.Key, r.Value, r.Why))
	}
	return append(notes, "`plimsoll config trust` applies what is not applied")
}

// noteRefused tells on standard error what is not applied, for a command that the
// keys could have changed.
func (s *settings) noteRefused() {
	for _, n := range s.refused() {
		s.console.note("%s", n)
	}
}

// trustQuestion asks for a yes to the keys of the workspace's file that need one,
// before a conversation is opened with them or without; nil if nothing is to be
// asked. The lock is held.
func (h *host) trustQuestion(open func(context.Context) (tui.Conversation, error)) *tui.Consent {
	l := h.settings.loaded.Load()
	if h.trustAsked || len(l.Refused) == 0 || h.settings.trustOf(h.settings.workspace).Hash == l.Hash {
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
	fmt.Fprintf(&b, "%s came with this folder and sets what only you may decide:\n", h.console.home(l.Refused[0].File))
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
	if err := h.settings.keepTrust(trust{Workspace: h.settings.workspace, Hash: hash, Trusted: yes}); err != nil || !yes {
		return err
	}
	loaded, err := h.settings.read(h.settings.workspace, h.settings.flags.set)
	if err == nil {
		err = h.settings.checkNames(loaded)
	}
	if err != nil {
		return usageError{err}
	}
	h.settings.loaded.Store(&loaded)
	return nil
}

// configTrustCommand applies the workspace's configuration file.
type configTrustCommand struct {
	console  *console
	settings *settings

	forget bool
}

func (cmd *configTrustCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "trust",
		Short: "Apply all of the workspace's .plimsoll.yaml",
		Long: `Trust applies every key of the .plimsoll.yaml at the top of the workspace, also
those that need your word: the model, providers, summaries, keys, permissions. It
lists them. The word holds for this content of the file; --forget takes it back.`,
		Example: `  plimsoll config trust
  plimsoll config trust --forget`,
		Args: positional(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return cmd.Run(c.Context()) },
	}
	c.Flags().BoolVar(&cmd.forget, "forget", false, "take the word back, and a no as well")
	return c
}

func (cmd *configTrustCommand) Run(context.Context) error {
	workspace, err := config.Workspace(cmd.console.Dir)
	if err != nil {
		return err
	}
	if cmd.forget {
		if err := cmd.settings.forgetTrust(workspace); err != nil {
			return err
		}
		fmt.Fprintln(cmd.console.Stdout, "Nothing is kept of "+cmd.console.text(cmd.console.home(workspace))+" any more.")
		return nil
	}
	loaded, err := cmd.settings.read(workspace, cmd.settings.flags.set)
	if err != nil {
		return usageError{err}
	}
	if loaded.Hash == "" {
		return withHint(fmt.Errorf("there is no %s in %s", config.WorkspaceFile, cmd.console.home(workspace)), "there is nothing to trust")
	}
	if err := cmd.settings.keepTrust(trust{Workspace: workspace, Hash: loaded.Hash, Trusted: true}); err != nil {
		return err
	}
	for _, r := range append(loaded.Refused, loaded.Trusted...) {
		fmt.Fprintln(cmd.console.Stdout, cmd.console.text(fmt.Sprintf("%s: %s", r.Key, r.Value)))
	}
	fmt.Fprintln(cmd.console.Stdout, "Applied from now on, until the file changes.")
	return nil
}
