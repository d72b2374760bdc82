package tui

import (
	"context"
	"slices"
	"strings"

	"plimsoll/tui/choices"
	"plimsoll/tui/dialog"
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

	providers   []Provider
	provider    Provider           // the chosen provider
	keyInput    *dialog.SecretLine // the open input line for the key, or nil
	cancelCheck context.CancelFunc // cancels the running check of the key
}

func (c *connecting) start(name string) pane.Action {
	return newReadAction(c.env.Backend.Providers, "the providers are listed: /connect shows them", func(providers []Provider) pane.Action {
		c.providers = providers
		if name == "" {
			return c.chooseProvider("")
		}
		return c.useProvider(strings.ToLower(name))
	})
}

// chooseProvider lets the user choose a provider, with a text above.
func (c *connecting) chooseProvider(text string) pane.Action {
	items := make([]dialog.Item, 0, len(c.providers)+1)
	for _, p := range c.providers {
		items = append(items, dialog.Item{ID: p.Name, Title: p.Name, Columns: []string{p.Note}, Current: p.Name == c.session.Model.Provider})
	}
	items = append(items, dialog.Item{ID: itemOther, Title: "other", Columns: []string{"another server or address"}})
	return open(dialog.PickerOptions{Title: "Connect: choose a provider", Text: text, Items: items, Choose: func(name, _ string) pane.Action {
		if name == itemOther {
			return c.env.loadPage("Connect", PageConnect, "")
		}
		return c.useProvider(name)
	}})
}

func (c *connecting) useProvider(name string) pane.Action {
	i := slices.IndexFunc(c.providers, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return c.chooseProvider("There is no provider " + name + ".")
	}
	c.provider = c.providers[i]
	switch {
	case c.provider.Ready && c.provider.Keyed:
		return c.chooseAction()
	case c.provider.Keyed:
		return c.enterKey()
	}
	return c.offerModels("")
}

// chooseAction asks what to do with a provider that has a key.
func (c *connecting) chooseAction() pane.Action {
	actions := map[string]func() pane.Action{"models": func() pane.Action { return c.offerModels("") }, "key": c.enterKey, "forget": c.removeKey}
	items := []dialog.Item{{ID: "models", Title: "choose a model", Columns: []string{"of those that it offers"}},
		{ID: "key", Title: "store a key", Columns: []string{"tried first, with a request that costs nothing"}}}
	if c.provider.Stored {
		items[1].Title = "replace the key"
		items = append(items, dialog.Item{ID: "forget", Title: "remove the key", Columns: []string{"that is stored"}})
	}
	return open(dialog.PickerOptions{Title: "Connect " + c.provider.Name, Text: c.provider.Note, Items: items,
		Choose: func(item, _ string) pane.Action { return actions[item]() }})
}

func (c *connecting) enterKey() pane.Action {
	text := c.environmentNote() + "Paste your key for " + c.provider.Label + ". It is tried with a request that costs nothing, " +
		"then stored in the system's keyring, or without a keyring in a file that only you can read."
	if c.provider.KeyPage != "" {
		text += "\nKeys are made at " + c.provider.KeyPage
	}
	c.keyInput = dialog.NewSecretLine(dialog.SecretOptions{Title: "Connect " + c.provider.Name, Text: text,
		Doing: "trying the key…", Enter: "try and store", Try: c.tryKey, Leave: c.closeKeyInput})
	return openDialog{c.keyInput}
}

// environmentNote says that a key in the environment takes precedence; "" if no key is set there.
func (c *connecting) environmentNote() string {
	if c.provider.Variable == "" {
		return ""
	}
	return c.provider.Variable + " is set and is used before a stored key.\n"
}

// closeKeyInput cancels a check of a key. A key that is stored already stays.
func (c *connecting) closeKeyInput() {
	c.keyInput = nil
	if c.cancelCheck != nil {
		c.cancelCheck()
	}
}

// tryKey checks and stores a key. It continues with the models, or shows why the key does not work.
func (c *connecting) tryKey(key Secret) pane.Action {
	ctx, stop := context.WithCancel(c.env.ctx)
	c.cancelCheck = stop
	b, name, line := c.env.Backend, c.provider.Name, c.keyInput
	return doAsync(func() (Connected, error) { return b.Connect(ctx, name, key) }, func(got Connected, err error) pane.Action {
		stop()
		switch {
		case line != c.keyInput && err != nil: // the dialog was closed
			return nil
		case line != c.keyInput:
			c.session.keyChanged(got.Provider)
			return textSnackbar("the key for " + name + " was stored in " + got.StoredIn)
		case err != nil:
			line.Failed(err.Error())
			return nil
		}
		c.keyInput = nil
		c.setProvider(got.Provider)
		return actionList{closeDialog{line}, c.offerModels("The key works. It is stored in " + got.StoredIn + ".")}
	})
}

// setProvider stores the new state of the provider.
func (c *connecting) setProvider(p Provider) {
	c.provider = p
	c.session.keyChanged(p)
	if i := slices.IndexFunc(c.providers, func(old Provider) bool { return old.Name == p.Name }); i >= 0 {
		c.providers[i] = p
	}
}

// offerModels lists the provider's models. done is what was just done, which is shown at once and above the list.
func (c *connecting) offerModels(done string) pane.Action {
	b, name, text, prefix := c.env.Backend, c.provider.Name, "", ""
	if done != "" {
		text, prefix = done+"\n"+c.environmentNote(), done+" "
	}
	models := readAction(func(ctx context.Context) (show, late func() pane.Action, err error) {
		list, failed := b.Models(ctx)
		late = func() pane.Action {
			if failed != nil {
				return requestFailed{failed}
			}
			return textSnackbar(prefix + "/model lists the models of " + name)
		}
		return func() pane.Action { return c.openModelPicker(text, list, failed) }, late, nil
	})
	return actionList{textSnackbar(prefix + "asking " + name + " for its models…"), models}
}

func (c *connecting) openModelPicker(text string, models []ModelChoice, failed error) pane.Action {
	o := dialog.PickerOptions{Title: "Connect " + c.provider.Name + ": choose a model", Text: text, Choose: c.useModel,
		Heads: choices.ModelHeads(), Empty: "no model is known; /model " + c.provider.Name + "/ID names one"}
	for _, m := range models {
		if provider, _, _ := strings.Cut(m.Name, "/"); provider == c.provider.Name {
			o.Items = append(o.Items, modelItem(m, c.session))
		}
	}
	if failed != nil {
		o.Empty = failed.Error()
	}
	return open(o)
}

// useModel switches to a model, or begins a conversation with it if none is open.
func (c *connecting) useModel(model, _ string) pane.Action {
	if !c.session.isOpen {
		b := c.env.Backend
		return openConversation{open: func(ctx context.Context) (Conversation, error) { return b.NewWithModel(ctx, model) }}
	}
	return c.env.switchModel(model)
}

func (c *connecting) removeKey() pane.Action {
	ctx, b, name := c.env.ctx, c.env.Backend, c.provider.Name
	return confirm("Connect "+name, "Remove the key that is stored for "+name+"? To use it again you have to enter it again.", "remove it", "keep it", func() pane.Action {
		return doAsync(func() (Provider, error) { return b.Disconnect(ctx, name) }, func(p Provider, err error) pane.Action {
			if err != nil {
				return requestFailed{err}
			}
			c.setProvider(p)
			text := "The stored key for " + name + " is removed."
			if p.Variable != "" {
				text += " " + p.Variable + " is still set."
			}
			return textSnackbar(text)
		})
	})
}
