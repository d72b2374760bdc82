package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
)

// fallbacks are the models of the configuration that take a turn over. One is opened when
// it is needed: its key may have been stored meanwhile.
func (r *Running) fallbacks() []core.Fallback {
	var out []core.Fallback
	for _, name := range r.Cfg.Fallback {
		out = append(out, core.Fallback{Name: name, Open: func(ctx context.Context, from llm.Model) (llm.Model, llm.Provider, error) {
			l, err := r.takeOver(ctx, name, from)
			if err != nil {
				return llm.Model{}, nil, err
			}
			return l.Model, r.provider(l), nil
		}})
	}
	return out
}

// takeOver is the model of a name, if it may take over. A conversation that is held on the
// user's own machines does not leave them without a yes.
func (r *Running) takeOver(ctx context.Context, name string, from llm.Model) (setup.Link, error) {
	c, err := r.From.Providers.Named(name)
	if err != nil {
		return setup.Link{}, err
	}
	if c.Model == "" && !c.Demo() {
		return setup.Link{}, errors.New("it names no model, only a provider")
	}
	if k := r.From.Providers.Key(c.Provider); k.Text == "" && r.From.Providers.CheckKey(c) != nil {
		return setup.Link{}, fmt.Errorf("there is no key for %s (%s)", c.Provider, k.Variable)
	}
	l, err := r.From.Models.Connect(ctx, c)
	if err != nil {
		return setup.Link{}, err
	}
	if setup.Leaves(conversation.ModelChanged{Provider: from.Provider, Model: from.ID, BaseURL: from.BaseURL}, l.Model) {
		return setup.Link{}, errors.New("the conversation would leave your own machines")
	}
	if !l.Model.Window.Known() && l.Discover != nil { // whether the conversation fits is worth a moment
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if found, err := l.Discover(ctx); err == nil {
			l.Model.Window = setup.ServerWindow(found)
		}
	}
	l.Model = r.Bounded(l.Model)
	return l, nil
}
