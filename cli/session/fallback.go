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

// fallbacks are the configured models that continue a turn when its model fails. Each is connected when it is needed, because
// its key may be stored later.
func (r *Running) fallbacks() []core.Fallback {
	var out []core.Fallback
	for _, name := range r.InitialConfig.Fallback {
		out = append(out, core.Fallback{Name: name, Open: func(ctx context.Context, from llm.Model) (llm.Model, llm.Provider, error) {
			conn, err := r.connectFallback(ctx, name, from)
			if err != nil {
				return llm.Model{}, nil, err
			}
			return conn.Model, r.provider(conn), nil
		}})
	}
	return out
}

// ForTurn makes a model answer the message with this text, when Send passes it on. It refuses as for a fallback model.
func (r *Running) ForTurn(ctx context.Context, text, model string) error {
	conn, err := r.connectFallback(ctx, model, r.Current().Model)
	if err != nil || conn.Model.Name() == r.Current().Model.Name() {
		return err
	}
	r.connectionMu.Lock()
	defer r.connectionMu.Unlock()
	if r.turnModels == nil {
		r.turnModels = map[string]setup.Connection{}
	}
	r.turnModels[text] = conn
	return nil
}

// Send passes a message to the agent, with the model of ForTurn.
func (r *Running) Send(text string) {
	r.connectionMu.Lock()
	conn, ok := r.turnModels[text]
	delete(r.turnModels, text)
	r.connectionMu.Unlock()
	if ok {
		r.Agent.SendOn(text, conn.Model, r.provider(conn))
		return
	}
	r.Agent.Send(text)
}

// connectFallback connects to the named fallback model. It refuses a hosted one for a conversation with a local model: that
// needs the user's consent.
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
	conn, err := r.Agents.Models.Connect(ctx, c)
	if err != nil {
		return setup.Connection{}, err
	}
	if setup.MovesToHosted(conversation.ModelChanged{Provider: from.Provider, Model: from.ID, BaseURL: from.BaseURL}, conn.Model) {
		return setup.Connection{}, errors.New("the conversation would leave your own machines")
	}
	if !conn.Model.Window.IsKnown() && conn.Discover != nil { // needed to know whether the conversation fits
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if found, err := conn.Discover(ctx); err == nil {
			conn.Model.Window = setup.WindowOf(found)
		}
	}
	conn.Model = r.WithLimits(conn.Model)
	return conn, nil
}
