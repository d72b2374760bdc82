package mcp

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"plimsoll/conversation/plain"
)

// Prompts and resources of servers. They are asked for when they are needed, and not kept.

// Prompt is a template of a message that a server offers.
type Prompt struct {
	Server, Name, Description string
	Arguments                 []PromptArgument
}

// PromptArgument is a value that a prompt takes.
type PromptArgument struct {
	Name     string
	Required bool
}

// Resource is a text or file that a server offers.
type Resource struct {
	Server, URI string
	Size        int64 // bytes; 0: not known
}

// Prompts lists the prompts of the servers that are ready. With an error it lists those of the servers that answered.
func (s *Servers) Prompts(ctx context.Context) ([]Prompt, error) {
	return gather(s, func(one *server) ([]Prompt, error) { return one.prompts(ctx) })
}

// Resources lists the resources of the servers that are ready. With an error it lists those of the servers that answered.
func (s *Servers) Resources(ctx context.Context) ([]Resource, error) {
	return gather(s, func(one *server) ([]Resource, error) { return one.resources(ctx) })
}

// gather asks all servers that are ready at once, but for those that kept a list waiting until it was given up and have answered
// nothing since.
func gather[T any](s *Servers, ask func(*server) ([]T, error)) ([]T, error) {
	lists, errs := make([][]T, len(s.servers)), make([]error, len(s.servers))
	var wait sync.WaitGroup
	for i, one := range s.servers {
		if one.state().Phase == Ready && !one.silent.Load() {
			wait.Go(func() {
				lists[i], errs[i] = ask(one)
				one.silent.Store(errors.Is(errs[i], context.DeadlineExceeded))
			})
		}
	}
	wait.Wait()
	return slices.Concat(lists...), errors.Join(errs...)
}

// PromptsOf lists the prompts of one server, and starts it if it is not running.
func (s *Servers) PromptsOf(ctx context.Context, server string) ([]Prompt, error) {
	one, err := s.find(server)
	if err != nil {
		return nil, err
	}
	return one.prompts(ctx)
}

// GetPrompt returns the text of a prompt, and starts its server if it has ended. What an assistant says in it is marked.
func (s *Servers) GetPrompt(ctx context.Context, server, name string, args map[string]string) (string, error) {
	one, err := s.find(server)
	if err != nil {
		return "", err
	}
	return one.getPrompt(ctx, name, args)
}

// ReadResource returns the text of a resource, and starts its server if it has ended. Bytes are one line that gives their size.
func (s *Servers) ReadResource(ctx context.Context, server, uri string) (string, error) {
	one, err := s.find(server)
	if err != nil {
		return "", err
	}
	return one.readResource(ctx, uri)
}

// prompts lists the prompts of a server that has some.
func (s *server) prompts(ctx context.Context) ([]Prompt, error) {
	return within(ctx, s, "its prompts", func(ctx context.Context, session *sdk.ClientSession, _ func()) ([]Prompt, error) {
		if caps := session.InitializeResult().Capabilities; caps == nil || caps.Prompts == nil {
			return nil, nil
		}
		var all []Prompt
		for p, err := range session.Prompts(ctx, nil) {
			if err != nil || len(all) == maxTools {
				return all, err
			}
			if p == nil || p.Name == "" || s.line(p.Name) != p.Name {
				continue
			}
			prompt := Prompt{Server: s.config.Name, Name: p.Name, Description: s.described(cmp.Or(p.Description, p.Title))}
			for _, a := range p.Arguments {
				if a != nil && len(prompt.Arguments) < maxFields {
					prompt.Arguments = append(prompt.Arguments, PromptArgument{Name: a.Name, Required: a.Required})
				}
			}
			all = append(all, prompt)
		}
		return all, nil
	})
}

func (s *server) getPrompt(ctx context.Context, name string, args map[string]string) (string, error) {
	r, err := within(ctx, s, "its prompt "+s.line(name), func(ctx context.Context, session *sdk.ClientSession, _ func()) (*sdk.GetPromptResult, error) {
		return session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
	})
	if err != nil {
		return "", err
	}
	var parts []string
	for _, m := range r.Messages {
		if m == nil {
			continue
		}
		text := contentText(m.Content)
		if m.Role == "assistant" {
			text = "[assistant:] " + text
		}
		parts = append(parts, text)
	}
	return s.safe(strings.Join(parts, "\n\n")), nil
}

// resources lists the resources of a server that has some.
func (s *server) resources(ctx context.Context) ([]Resource, error) {
	return within(ctx, s, "its resources", func(ctx context.Context, session *sdk.ClientSession, _ func()) ([]Resource, error) {
		if caps := session.InitializeResult().Capabilities; caps == nil || caps.Resources == nil {
			return nil, nil
		}
		var all []Resource
		for r, err := range session.Resources(ctx, nil) {
			if err != nil || len(all) == maxTools {
				return all, err
			}
			if r == nil || r.URI == "" || len(r.URI) > maxDescription || plain.Line(r.URI) != r.URI {
				continue
			}
			all = append(all, Resource{Server: s.config.Name, URI: r.URI, Size: max(r.Size, 0)})
		}
		return all, nil
	})
}

func (s *server) readResource(ctx context.Context, uri string) (string, error) {
	r, err := within(ctx, s, "its resource "+s.line(uri), func(ctx context.Context, session *sdk.ClientSession, _ func()) (*sdk.ReadResourceResult, error) {
		return session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return "", err
	}
	var parts []string
	for _, c := range r.Contents {
		if c != nil {
			parts = append(parts, resourceText(c))
		}
	}
	return s.safe(strings.Join(parts, "\n")), nil
}
