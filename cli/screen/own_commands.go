package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/cli/owncommand"
	"plimsoll/cli/session"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui"
)

// OwnCommands lists the slash commands of the user's own and the prompts of servers. The error says which files are passed over,
// and which servers do not answer.
func (h *Host) OwnCommands(ctx context.Context) ([]tui.OwnCommand, error) {
	if err := h.deps.Settings.Configure(); err != nil {
		return nil, err
	}
	list, err := h.deps.Settings.OwnCommands()
	out := make([]tui.OwnCommand, len(list))
	for i, c := range list {
		out[i] = tui.OwnCommand{Name: c.Name, Args: c.Arguments, Help: c.Description, Origin: string(c.Origin), File: h.deps.Console.Home(c.Path), Text: c.Text}
	}
	running := h.running()
	if running == nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, listingTimeout)
	defer cancel()
	prompts, promptErr := h.deps.Servers.Prompts(ctx, running)
	for _, p := range prompts {
		name := session.CommandName(p)
		if _, taken := owncommand.Named(list, name); taken {
			continue
		}
		var words []string
		for _, a := range p.Arguments {
			word := strings.ToUpper(plain.Line(a.Name))
			if !a.Required {
				word = "[" + word + "]"
			}
			words = append(words, word)
		}
		out = append(out, tui.OwnCommand{Name: name, Args: strings.Join(words, " "), Help: conversation.OneLine(p.Description, 120),
			Origin: "server", File: "a prompt of the server " + p.Server})
	}
	return out, errors.Join(err, promptErr)
}

// listingTimeout is how long a list waits for what servers offer.
const listingTimeout = time.Second

// MakeMessage makes the message of a command of the user's own, and applies its model and its preset to the open conversation. It
// also makes that of a prompt.
func (h *Host) MakeMessage(ctx context.Context, name, args string, approved []string) (string, error) {
	running := h.running()
	if running == nil {
		return "", errReadOnly
	}
	list, _ := h.deps.Settings.OwnCommands() // the list of commands says what could not be read
	c, ok := owncommand.Named(list, name)
	if !ok {
		text, isPrompt, err := h.deps.Servers.PromptMessage(ctx, running, name, args)
		if !isPrompt {
			err = fmt.Errorf("there is no command /%s any more", name)
		}
		return text, err
	}
	maker := NewMaker(running)
	text, notes, err := maker.Message(ctx, c, args, approved)
	if asks, ok := errors.AsType[*owncommand.ApprovalError](err); ok {
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
func NewMaker(running *session.Running) owncommand.Maker {
	settings, limit := running.Agents.Settings, running.Agent.ArrivalCap()
	return owncommand.Maker{Tools: running.Toolbox, Limit: limit,
		Attach: func(ctx context.Context, path string) (string, error) {
			return Attach(ctx, settings.Workspace, running, limit, path)
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
