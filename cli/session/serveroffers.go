package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/cli/owncommand"
	"plimsoll/conversation/plain"
	"plimsoll/tools/mcp"
)

// The prompts of servers are slash commands, /SERVER:PROMPT, and their resources are mentions, @SERVER:ADDRESS.

// Prompts lists the prompts of the servers that are ready. With an error it lists those of the servers that answered.
func (s *Servers) Prompts(ctx context.Context, r *Running) ([]mcp.Prompt, error) {
	client := s.current()
	if client == nil {
		return nil, nil
	}
	all, err := client.Prompts(ctx)
	return slices.DeleteFunc(all, func(p mcp.Prompt) bool { return r.serverOff(p.Server) }), err
}

// Resources lists the resources of the servers that are ready, in the same way.
func (s *Servers) Resources(ctx context.Context, r *Running) ([]mcp.Resource, error) {
	client := s.current()
	if client == nil {
		return nil, nil
	}
	all, err := client.Resources(ctx)
	return slices.DeleteFunc(all, func(p mcp.Resource) bool { return r.serverOff(p.Server) }), err
}

// CommandName is the name of the slash command of a prompt. What a command cannot hold becomes a hyphen.
func CommandName(p mcp.Prompt) string {
	return p.Server + ":" + strings.Join(strings.Fields(p.Name), "-")
}

// PromptMessage makes the message of a prompt from the name of its command and what was typed after it: NAME=VALUE, or the values
// in the order of the prompt's arguments, of which the last takes the rest. isPrompt is false if the name is of no server.
func (s *Servers) PromptMessage(ctx context.Context, r *Running, name, typed string) (text string, isPrompt bool, err error) {
	server, _, _ := strings.Cut(name, ":")
	client := s.clientOf(r, server)
	if client == nil || server == name {
		return "", false, nil
	}
	prompts, err := client.PromptsOf(ctx, server)
	i := slices.IndexFunc(prompts, func(p mcp.Prompt) bool { return strings.EqualFold(CommandName(p), name) })
	if i < 0 {
		return "", true, errors.Join(fmt.Errorf("there is no prompt /%s", plain.Line(name)), err)
	}
	args, err := promptArguments(prompts[i].Arguments, typed)
	if err != nil {
		return "", true, fmt.Errorf("/%s: %w", plain.Line(name), err)
	}
	text, err = client.GetPrompt(ctx, server, prompts[i].Name, args)
	if err == nil && strings.TrimSpace(text) == "" {
		err = fmt.Errorf("the server %s returned an empty prompt", server)
	}
	return text, true, err
}

func promptArguments(arguments []mcp.PromptArgument, typed string) (map[string]string, error) {
	values := map[string]string{}
	var rest []string
	for _, word := range owncommand.Words(typed) {
		name, value, named := strings.Cut(word, "=")
		if named && slices.ContainsFunc(arguments, func(a mcp.PromptArgument) bool { return a.Name == name }) {
			values[name] = value
		} else {
			rest = append(rest, word)
		}
	}
	open := slices.DeleteFunc(slices.Clone(arguments), func(a mcp.PromptArgument) bool { _, set := values[a.Name]; return set })
	for i, a := range open {
		switch {
		case len(rest) == 0 && a.Required:
			return nil, fmt.Errorf("it needs %s", plain.Line(a.Name))
		case len(rest) == 0:
		case i == len(open)-1:
			values[a.Name], rest = strings.Join(rest, " "), nil
		default:
			values[a.Name], rest = rest[0], rest[1:]
		}
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("it takes %d arguments, and not %q too", len(arguments), strings.Join(rest, " "))
	}
	return values, nil
}

// ReadMention reads a resource that is mentioned as SERVER:ADDRESS. isResource is false if the mention is of no server.
func (s *Servers) ReadMention(ctx context.Context, r *Running, mention string) (text string, isResource bool, err error) {
	server, uri, _ := strings.Cut(mention, ":")
	client := s.clientOf(r, server)
	if client == nil || !strings.Contains(uri, ":") {
		return "", false, nil
	}
	text, err = client.ReadResource(ctx, server, uri)
	return text, true, err
}

// clientOf returns the client, nil unless a server of the conversation has the name and is on.
func (s *Servers) clientOf(r *Running, name string) *mcp.Servers {
	client := s.current()
	if client == nil || r.serverOff(name) || !slices.ContainsFunc(client.States(), func(state mcp.State) bool { return state.Name == name }) {
		return nil
	}
	return client
}
