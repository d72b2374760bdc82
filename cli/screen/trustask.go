package screen

import (
	"context"
	"fmt"
	"strings"

	"plimsoll/cli/setup"
	"plimsoll/tui"
)

// trustQuestion asks for a yes to the keys of the workspace's file that need one,
// before a conversation is opened with them or without; nil if nothing is to be
// asked. The lock is held.
func (h *Host) trustQuestion(open func(context.Context) (tui.Conversation, error)) *tui.Consent {
	l := h.with.Settings.Loaded.Load()
	if h.trustAsked || len(l.Refused) == 0 || h.with.Settings.TrustOf(h.with.Settings.Workspace).Hash == l.Hash {
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
	fmt.Fprintf(&b, "%s came with this folder and sets what only you can decide:\n", h.with.Console.Home(l.Refused[0].File))
	for _, r := range l.Refused {
		fmt.Fprintf(&b, "\n%s: %s\n    it %s\n", r.Key, r.Value, r.Why)
	}
	for _, note := range h.with.Settings.Unknown(*l) {
		b.WriteString("\n" + note + "\n")
	}
	return &tui.Consent{
		Title: "Apply the folder's settings?", Question: b.String(), Yes: "apply them, until the file changes", No: "leave them out",
		Declined: "left out · plimsoll config trust applies them", Open: say(true), Decline: say(false),
	}
}

// trust keeps the user's word on the workspace's file, and puts it in force.
func (h *Host) trust(hash string, yes bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trustAsked = true
	if err := h.with.Settings.KeepTrust(setup.Trust{Workspace: h.with.Settings.Workspace, Hash: hash, Trusted: yes}); err != nil || !yes {
		return err
	}
	return h.with.Settings.Reload()
}
