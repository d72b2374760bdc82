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
	for _, name := range r.InitialConfig.Fallback {
		out = append(out, core.Fallback{Name: name, Open: func(ctx context.Context, from llm.Model) (llm.Model, llm.Provider, error) {
			l, err := r.connectFallback(ctx, name, from)
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
func (r *Running) connectFallback(ctx context.Context, name string, from llm.Model) (setup.Connection, error) {
	c, err := r.Agents.Providers.ChoiceByName(name)
	if err != nil {
		return setup.Connection{}, err
	}
	if c.Model == "" && !c.IsDemo() {
		return setup.Connection{}, errors.New("it names no model, only a provider")
	}
	if k := r.Agents.Providers.Key(c.Provider); k.Text == "" && r.Agents.Providers.CheckKey(c) != nil {
		return setup.Connection{}, fmt.Errorf("there is no key for %s (%s)", c.Provider, k.Variable)
	}
	l, err := r.Agents.Models.Connect(ctx, c)
	if err != nil {
		return setup.Connection{}, err
	}
	if setup.MovesToHosted(conversation.ModelChanged{Provider: from.Provider, Model: from.ID, BaseURL: from.BaseURL}, l.Model) {
		return setup.Connection{}, errors.New("the conversation would leave your own machines")
	}
	if !l.Model.Window.Known() && l.Discover != nil { // whether the conversation fits is worth a moment
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if found, err := l.Discover(ctx); err == nil {
			l.Model.Window = setup.WindowOf(found)
		}
	}
	l.Model = r.WithLimits(l.Model)
	return l, nil
}
