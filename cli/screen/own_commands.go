package screen

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/cli/owncommand"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/tui"
)

// OwnCommands lists the slash commands of the user's own. The error says which files are passed over.
func (h *Host) OwnCommands(context.Context) ([]tui.OwnCommand, error) {
	if err := h.deps.Settings.Configure(); err != nil {
		return nil, err
	}
	list, err := h.deps.Settings.OwnCommands()
	out := make([]tui.OwnCommand, len(list))
	for i, c := range list {
		out[i] = tui.OwnCommand{Name: c.Name, Args: c.Arguments, Help: c.Description, Origin: string(c.Origin), File: h.deps.Console.Home(c.Path), Text: c.Text}
	}
	return out, err
}

// MakeMessage makes the message of a command of the user's own, and applies its model and its preset to the open conversation.
func (h *Host) MakeMessage(ctx context.Context, name, args string, approved []string) (string, error) {
	running := h.running()
	if running == nil {
		return "", errReadOnly
	}
	list, _ := h.deps.Settings.OwnCommands() // the list of commands says what could not be read
	c, ok := owncommand.Named(list, name)
	if !ok {
		return "", fmt.Errorf("there is no command /%s any more", name)
	}
	maker := NewMaker(h.deps.Settings, running)
	text, notes, err := maker.Message(ctx, c, args, approved)
	var asks *owncommand.ApprovalError
	if errors.As(err, &asks) {
		return "", &tui.CommandApproval{Title: asks.Title, Command: asks.Command}
	}
	if err != nil {
		return "", err
	}
	fieldNotes, err := ApplyFields(ctx, maker, running, c, text)
	for _, note := range append(notes, fieldNotes...) {
		running.Agent.AddNotice(note)
	}
	return text, err
}

// NewMaker returns the maker of messages for a running conversation.
func NewMaker(settings *setup.Settings, running *session.Running) owncommand.Maker {
	limit := running.Agent.ArrivalCap()
	return owncommand.Maker{Tools: running.Toolbox, Limit: limit,
		Attach: func(ctx context.Context, path string) (string, error) {
			return Attach(ctx, settings.Workspace, limit, path)
		},
		Trusted: func(text string) bool {
			trusted, _ := settings.ContentTrust(text)
			return trusted
		},
	}
}

// ApplyFields sets the preset that a command names for the conversation, and makes its model answer the message. The notes tell
// what changed, and what was left out.
func ApplyFields(ctx context.Context, maker owncommand.Maker, running *session.Running, c owncommand.Command, message string) (notes []string, err error) {
	note := func(format string, args ...any) { notes = append(notes, "/"+c.Name+": "+fmt.Sprintf(format, args...)) }
	if c.Model+c.Preset != "" && !maker.MayApply(c) {
		note("its model and preset are left out; `plimsoll config trust` allows the file as it is now")
		return notes, nil
	}
	if c.Preset != "" && c.Preset != string(running.Config().Compaction.Preset) {
		if err := running.Configure(ctx, map[string]string{"compaction.preset": config.YAMLText(c.Preset)}); err != nil {
			return nil, fmt.Errorf("/%s: preset %s: %w", c.Name, c.Preset, err)
		}
		note("the conversation's preset is %s now; /settings changes it", c.Preset)
	}
	if c.Model != "" {
		if err := running.ForTurn(ctx, message, c.Model); err != nil {
			note("its model %s does not answer: %s", c.Model, err)
		}
	}
	return notes, nil
}
