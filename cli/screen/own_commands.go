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
	note, err := ApplyPreset(ctx, maker, running, c)
	if err != nil {
		return "", err
	}
	notes = append(notes, note, h.applyModel(ctx, maker, c))
	for _, note := range notes {
		if note != "" {
			running.Agent.AddNotice(note)
		}
	}
	return text, nil
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

// ApplyPreset sets the preset that a command names for the conversation, and returns what the user is told.
func ApplyPreset(ctx context.Context, maker owncommand.Maker, running *session.Running, c owncommand.Command) (note string, err error) {
	switch {
	case c.Preset == "" || c.Preset == string(running.Config().Compaction.Preset):
		return "", nil
	case !maker.MayApply(c):
		return NotAllowedNote(c, "preset"), nil
	}
	if err := running.Configure(ctx, map[string]string{"compaction.preset": config.YAMLText(c.Preset)}); err != nil {
		return "", fmt.Errorf("/%s: preset %s: %w", c.Name, c.Preset, err)
	}
	return fmt.Sprintf("/%s: the conversation's preset is %s now; /settings changes it", c.Name, c.Preset), nil
}

// NotAllowedNote tells that a field of a workspace's file is left out until the user allows the file.
func NotAllowedNote(c owncommand.Command, field string) string {
	return fmt.Sprintf("/%s: its %s is left out: you did not allow the file as it is now; `plimsoll config trust` does", c.Name, field)
}

// applyModel switches to the model that a command names, and returns what the user is told. A model that is not there, or needs
// the user's consent, is left out.
func (h *Host) applyModel(ctx context.Context, maker owncommand.Maker, c owncommand.Command) (note string) {
	_, before := h.connection()
	switch {
	case c.Model == "":
		return ""
	case !maker.MayApply(c):
		return NotAllowedNote(c, "model")
	}
	if err := h.SwitchModel(ctx, c.Model); err != nil {
		return fmt.Sprintf("/%s: its model %s is left out: %s", c.Name, c.Model, err)
	}
	_, now := h.connection()
	if now.Model.Name() == before.Model.Name() {
		return ""
	}
	return fmt.Sprintf("/%s: %s answers from here on; /model %s goes back", c.Name, now.Model.Name(), before.Model.Name())
}
