package tui

import (
	"context"
	"slices"
	"strings"

	"plimsoll/tui/choices"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// Connecting a model takes three steps: choose a provider, enter its key, choose a
// model. Each step is a dialog. The composer is not changed. The dialog passes the key to
// the Backend; it is stored nowhere else in the screen.

// connect is the action that begins with a provider by its name, or for "" with the list of providers.
type connect struct{ provider string }

// itemOther is the ID of the last item of the list of providers: no provider name has a slash.
const itemOther = "/other"

// connecting is the state of the steps.
type connecting struct {
	env     *env
	session *session

	providers []Provider
	at        Provider            // the chosen provider
	line      *overlay.SecretLine // the open input line for the key, or nil
	stop      context.CancelFunc  // cancels the running check of the key
}

// begin lists the providers, or continues with a named one.
func (c *connecting) begin(name string) pane.Action {
	return read(c.env.Backend.Providers, "the providers are listed: /connect shows them", func(providers []Provider) pane.Action {
		c.providers = providers
		if name == "" {
			return c.choose("")
		}
		return c.named(strings.ToLower(name))
	})
}

// choose lets the user choose a provider, with a text above.
func (c *connecting) choose(text string) pane.Action {
	items := make([]overlay.Item, 0, len(c.providers)+1)
	for _, p := range c.providers {
		items = append(items, overlay.Item{ID: p.Name, Title: p.Name, Columns: []string{p.Note}, Current: p.Name == c.session.Model.Provider})
	}
	items = append(items, overlay.Item{ID: itemOther, Title: "other", Columns: []string{"another server or address"}})
	return open(overlay.PickerOptions{Title: "Connect: choose a provider", Text: text, Items: items, Choose: func(name, _ string) pane.Action {
		if name == itemOther {
			return c.env.loadPage("Connect", PageConnect, "")
		}
		return c.named(name)
	}})
}

// named continues with a provider by its name.
func (c *connecting) named(name string) pane.Action {
	i := slices.IndexFunc(c.providers, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return c.choose("There is no provider " + name + ".")
	}
	c.at = c.providers[i]
	switch {
	case c.at.Ready && c.at.Keyed:
		return c.about()
	case c.at.Keyed:
		return c.enterKey()
	}
	return c.offer("")
}

// about asks what to do with a provider that has a key.
func (c *connecting) about() pane.Action {
	actions := map[string]func() pane.Action{"models": func() pane.Action { return c.offer("") }, "key": c.enterKey, "forget": c.forget}
	items := []overlay.Item{{ID: "models", Title: "choose a model", Columns: []string{"of those that it offers"}},
		{ID: "key", Title: "store a key", Columns: []string{"tried first, with a request that costs nothing"}}}
	if c.at.Stored {
		items[1].Title = "replace the key"
		items = append(items, overlay.Item{ID: "forget", Title: "remove the key", Columns: []string{"that is stored"}})
	}
	return open(overlay.PickerOptions{Title: "Connect " + c.at.Name, Text: c.at.Note, Items: items,
		Choose: func(item, _ string) pane.Action { return actions[item]() }})
}

// enterKey asks for a key.
func (c *connecting) enterKey() pane.Action {
	text := c.environmentNote() + "Paste your key for " + c.at.Label + ". It is tried with a request that costs nothing, then stored in the system's keyring, or without a keyring in a file that only you can read."
	if c.at.KeyPage != "" {
		text += "\nKeys are made at " + c.at.KeyPage
	}
	c.line = overlay.NewSecretLine(overlay.SecretOptions{Title: "Connect " + c.at.Name, Text: text,
		Doing: "trying the key…", Enter: "try and store", Try: c.try, Leave: c.leave})
	return openDialog{c.line}
}

// environmentNote says that a key in the environment takes precedence; "" if there is none.
func (c *connecting) environmentNote() string {
	if c.at.Variable == "" {
		return ""
	}
	return c.at.Variable + " is set and is used before a stored key.\n"
}

// leave cancels a check of a key. A key that is stored already stays.
func (c *connecting) leave() {
	c.line = nil
	if c.stop != nil {
		c.stop()
	}
}

// try checks and stores a key. It continues with the models, or shows why the key does not work.
func (c *connecting) try(key Secret) pane.Action {
	ctx, stop := context.WithCancel(c.env.ctx)
	c.stop = stop
	b, name, line := c.env.Backend, c.at.Name, c.line
	return after(func() (Connected, error) { return b.Connect(ctx, name, key) }, func(got Connected, err error) pane.Action {
		stop()
		switch {
		case line != c.line && err != nil: // the dialog was closed
			return nil
		case line != c.line:
			c.session.keyChanged(got.Provider)
			return say("the key for " + name + " was stored in " + got.Place)
		case err != nil:
			line.Failed(err.Error())
			return nil
		}
		c.line = nil
		c.setProvider(got.Provider)
		return actionList{closeDialog{line}, c.offer("The key works. It is stored in " + got.Place + ".")}
	})
}

// setProvider stores the new state of the provider.
func (c *connecting) setProvider(p Provider) {
	c.at = p
	c.session.keyChanged(p)
	for i := range c.providers {
		if c.providers[i].Name == p.Name {
			c.providers[i] = p
		}
	}
}

// offer lists the provider's models. done is what was just done, which is shown at once and above the list.
func (c *connecting) offer(done string) pane.Action {
	b, name, text, said := c.env.Backend, c.at.Name, "", ""
	if done != "" {
		text, said = done+"\n"+c.environmentNote(), done+" "
	}
	models := reading(func(ctx context.Context) (show, late func() pane.Action, err error) {
		list, failed := b.Models(ctx)
		late = func() pane.Action {
			if failed != nil {
				return requestFailed{failed}
			}
			return say(said + "/model lists the models of " + name)
		}
		return func() pane.Action { return c.pick(text, list, failed) }, late, nil
	})
	return actionList{say(said + "asking " + name + " for its models…"), models}
}

// pick opens the list of models.
func (c *connecting) pick(text string, models []ModelChoice, failed error) pane.Action {
	o := overlay.PickerOptions{Title: "Connect " + c.at.Name + ": choose a model", Text: text, Choose: c.picked,
		Heads: choices.ModelHeads(), Empty: "no model is known; /model " + c.at.Name + "/ID names one"}
	for _, m := range models {
		if provider, _, _ := strings.Cut(m.Name, "/"); provider == c.at.Name {
			o.Items = append(o.Items, modelItem(m, c.session))
		}
	}
	if failed != nil {
		o.Empty = failed.Error()
	}
	return open(o)
}

// picked switches to a model, or begins a conversation with it if none is open.
func (c *connecting) picked(model, _ string) pane.Action {
	if !c.session.open {
		b := c.env.Backend
		return openConversation{open: func(ctx context.Context) (Conversation, error) { return b.Begin(ctx, model) }}
	}
	return c.env.switchModel(model)
}

// forget removes the stored key after a confirmation.
func (c *connecting) forget() pane.Action {
	ctx, b, name := c.env.ctx, c.env.Backend, c.at.Name
	return confirm("Connect "+name, "Remove the key that is stored for "+name+"? To use it again you have to enter it again.", "remove it", "keep it", func() pane.Action {
		return after(func() (Provider, error) { return b.Disconnect(ctx, name) }, func(p Provider, err error) pane.Action {
			if err != nil {
				return requestFailed{err}
			}
			c.setProvider(p)
			text := "The stored key for " + name + " is removed."
			if p.Variable != "" {
				text += " " + p.Variable + " is still set."
			}
			return say(text)
		})
	})
}
