package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/choices"
	"plimsoll/tui/overlay"
	"plimsoll/tui/pane"
)

// The way from nothing to a model that answers: choose a provider, enter its key, choose
// a model. Each step is a dialog; the key to close goes back one. The composer stays as
// it is. A key is handed from its dialog to the Backend and stands nowhere else.

// IDs of the dialogs on the way.
const (
	aboutConnecting = "connect/"

	dialogProviders = aboutConnecting + "provider"
	dialogProvider  = aboutConnecting + "what"
	dialogKey       = aboutConnecting + "key"
	dialogForget    = aboutConnecting + "forget"
	dialogOffered   = aboutConnecting + "model"
)

// Items of the dialog about a provider, and the last of the list of providers.
const (
	itemOffered = "models"
	itemKey     = "key"
	itemForget  = "forget"
	itemOther   = "/other" // no provider has a slash in its name
)

// connecting is how far one is on the way.
type connecting struct {
	env      *env
	session  *session
	keyboard *keyboard

	providers []Provider
	at        Provider            // the one that was chosen
	line      *overlay.SecretLine // open, nil if it is not
	stop      context.CancelFunc  // of the try that is under way, nil if none is
	tries     int
}

// listed goes on with a provider by its name, or lets the user choose one for "".
func (c *connecting) listed(providers []Provider, name string) pane.Action {
	c.providers, c.at = providers, Provider{}
	if name == "" {
		return c.choose("")
	}
	return c.named(name)
}

// choose lets the user choose a provider, with a text above.
func (c *connecting) choose(text string) pane.Action {
	items := make([]overlay.Item, 0, len(c.providers)+1)
	for _, p := range c.providers {
		items = append(items, overlay.Item{ID: p.Name, Title: p.Name, Detail: p.Note, Current: p.Name == c.session.Model.Provider})
	}
	items = append(items, overlay.Item{ID: itemOther, Title: "other", Detail: "another server or address"})
	return open(overlay.PickerOptions{ID: dialogProviders, Title: "Connect: choose a provider", Text: text, Items: items, At: c.at.Name})
}

// named goes on with a provider by its name.
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
	return c.offer()
}

// about asks what to do with a provider that has a key.
func (c *connecting) about() pane.Action {
	store := overlay.Item{ID: itemKey, Title: "store a key", Detail: "tried first, with a request that costs nothing"}
	if c.at.Stored {
		store.Title = "replace the key"
	}
	items := []overlay.Item{{ID: itemOffered, Title: "choose a model", Detail: "of those that it offers"}, store}
	if c.at.Stored {
		items = append(items, overlay.Item{ID: itemForget, Title: "remove the key", Detail: "that is stored"})
	}
	return open(overlay.PickerOptions{ID: dialogProvider, Title: "Connect " + c.at.Name, Text: c.at.Note, Items: items, Back: "back"})
}

// enterKey asks for a key.
func (c *connecting) enterKey() pane.Action {
	text := "Paste your key for " + c.at.Label + ". It is tried with a request that costs nothing, then stored in the system's keyring, or without a keyring in a file that only you can read."
	if c.at.Variable != "" {
		text = c.wins() + "\n" + text
	}
	if c.at.KeyPage != "" {
		text += "\nKeys are made at " + c.at.KeyPage
	}
	c.line = overlay.NewSecretLine(overlay.SecretOptions{ID: dialogKey, Title: "Connect " + c.at.Name, Text: text,
		Doing: "trying the key…", Enter: "try and store", Back: "back"})
	return openDialog{c.line}
}

// wins says that the environment does.
func (c *connecting) wins() string {
	return c.at.Variable + " is set and is used before a stored key."
}

// try hands a key over.
func (c *connecting) try(key Secret) pane.Action {
	ctx, stop := context.WithCancel(c.env.ctx)
	c.tries++
	c.stop = stop
	b, name, try := c.env.Backend, c.at.Name, c.tries
	return tea.Cmd(func() tea.Msg {
		got, err := b.Connect(ctx, name, key)
		msg := triedMsg{try: try, got: got, err: err}
		if err == nil {
			msg.models, msg.unlisted = modelsOf(ctx, b, name)
		}
		return msg
	})
}

// leave ends a try, and the dialog of the key with it. What it has stored already stays.
func (c *connecting) leave() {
	if c.line != nil {
		c.line.Wipe()
	}
	if c.stop != nil {
		c.stop()
	}
	c.line, c.stop = nil, nil
	c.tries++
}

// tried goes on to the models, or says why the key is of no use.
func (c *connecting) tried(msg triedMsg, stack *overlay.Stack) pane.Action {
	if msg.try != c.tries || c.line == nil { // it was left
		if msg.err == nil {
			c.session.keyChanged(msg.got.Provider)
			return say("the key for " + msg.got.Provider.Name + " was stored in " + msg.got.Place)
		}
		return nil
	}
	if msg.err != nil {
		c.stop()
		c.stop = nil
		c.line.Failed(msg.err.Error())
		stack.Redraw()
		return nil
	}
	stack.Remove(c.line, c.env.Now())
	c.leave()
	c.took(msg.got.Provider)
	text := "The key works. It is stored in " + msg.got.Place + "."
	if c.at.Variable != "" {
		text += "\n" + c.wins()
	}
	return c.pick(text, msg.models, msg.unlisted)
}

// took takes over what is new about the provider.
func (c *connecting) took(p Provider) {
	c.at = p
	c.session.keyChanged(p)
	for i := range c.providers {
		if c.providers[i].Name == p.Name {
			c.providers[i] = p
		}
	}
}

// offer asks a provider for its models.
func (c *connecting) offer() pane.Action {
	ctx, b, name, asked := c.env.ctx, c.env.Backend, c.at.Name, c.keyboard.pressed
	return several{say("asking " + name + " for its models…"), tea.Cmd(func() tea.Msg {
		models, err := modelsOf(ctx, b, name)
		return offeredMsg{asked, name, models, err}
	})}
}

// modelsOf lists the models of a provider.
func modelsOf(ctx context.Context, b Backend, provider string) ([]ModelChoice, error) {
	models, err := b.Models(ctx)
	return slices.DeleteFunc(models, func(m ModelChoice) bool { return !strings.HasPrefix(m.Name, provider+"/") }), err
}

// offered lets the user choose one of the models, if nothing was typed since.
func (c *connecting) offered(msg offeredMsg, undisturbed bool) pane.Action {
	if !undisturbed || msg.provider != c.at.Name {
		return say("the models of " + msg.provider + " are listed: /connect shows them")
	}
	return c.pick("", msg.models, msg.err)
}

// pick lets the user choose a model.
func (c *connecting) pick(text string, models []ModelChoice, failed error) pane.Action {
	details := choices.ModelDetails(models)
	o := overlay.PickerOptions{ID: dialogOffered, Title: "Connect " + c.at.Name + ": choose a model", Text: text, Back: "back",
		Heads: details.Heads, Empty: "no model is known; /model " + c.at.Name + "/ID names one"}
	for i, m := range models {
		_, title, _ := strings.Cut(m.Name, "/")
		o.Items = append(o.Items, overlay.Item{ID: m.Name, Title: title, Details: details.Of(i), Current: m.Name == c.session.Model.Name()})
	}
	if len(o.Items) > 0 {
		o.At = o.Items[0].ID
	}
	if failed != nil {
		o.Empty = failed.Error()
	}
	return open(o)
}

// concerns reports whether what a dialog decided is about the way.
func (c *connecting) concerns(action pane.Action) bool {
	id := ""
	switch a := action.(type) {
	case overlay.Entered:
		id = a.ID
	case overlay.Confirmed:
		id = a.ID
	case overlay.Dismissed:
		id = a.ID
	case overlay.Picked:
		id = a.ID
	}
	return strings.HasPrefix(id, aboutConnecting)
}

// decided goes a step on, or back.
func (c *connecting) decided(action pane.Action) pane.Action {
	switch a := action.(type) {
	case overlay.Entered:
		return c.try(a.Secret)
	case overlay.Confirmed:
		if a.Yes {
			return c.forget()
		}
		return c.about()
	case overlay.Dismissed:
		return c.back(a.ID)
	case overlay.Picked:
		return c.picked(a)
	}
	return nil
}

// back goes a step back.
func (c *connecting) back(id string) pane.Action {
	c.leave()
	switch {
	case id == dialogProviders:
		return nil
	case id != dialogProvider && c.at.Ready && c.at.Keyed:
		return c.about()
	}
	return c.choose("")
}

// picked goes on with what was chosen.
func (c *connecting) picked(p overlay.Picked) pane.Action {
	switch p.ID {
	case dialogProviders:
		if p.Item == itemOther {
			return c.env.loadPage("Connect", PageConnect, "", c.keyboard.pressed)
		}
		return c.named(p.Item)
	case dialogProvider:
		switch p.Item {
		case itemKey:
			return c.enterKey()
		case itemForget:
			return openDialog{overlay.NewConfirm(overlay.ConfirmOptions{ID: dialogForget, Title: "Connect " + c.at.Name,
				Question: "Remove the key that is stored for " + c.at.Name + "? To use it again you have to enter it again.",
				Yes:      "remove it", No: "keep it", Danger: true})}
		}
		return c.offer()
	}
	if !c.session.open { // there is none that could go on with the model
		b := c.env.Backend
		return enter{open: func(ctx context.Context) (Conversation, error) { return b.Begin(ctx, p.Item) }}
	}
	return c.env.switchModel(p.Item)
}

// forget removes the stored key.
func (c *connecting) forget() pane.Action {
	ctx, b, name, asked := c.env.ctx, c.env.Backend, c.at.Name, c.keyboard.pressed
	return tea.Cmd(func() tea.Msg {
		p, err := b.Disconnect(ctx, name)
		return forgottenMsg{asked, p, err}
	})
}

// forgotten says that a key is removed.
func (c *connecting) forgotten(p Provider, undisturbed bool) pane.Action {
	c.took(p)
	text := "The stored key for " + p.Name + " is removed."
	if p.Variable != "" {
		text += " " + p.Variable + " is still set."
	}
	if !undisturbed {
		return say(text)
	}
	return c.choose(text)
}

// loadProviders lists the providers for a key that was pressed; named is the one to go
// on with, "" to choose one.
func (e *env) loadProviders(named string, asked int) tea.Cmd {
	ctx, b := e.ctx, e.Backend
	return func() tea.Msg {
		list, err := b.Providers(ctx)
		return providersMsg{asked, strings.ToLower(named), list, err}
	}
}

// providersMsg brings the providers.
type providersMsg struct {
	asked int
	named string
	list  []Provider
	err   error
}

// offeredMsg brings the models of a provider.
type offeredMsg struct {
	asked    int
	provider string
	models   []ModelChoice
	err      error
}

// triedMsg says what came of a key.
type triedMsg struct {
	try      int
	got      Connected
	err      error // it was not stored
	models   []ModelChoice
	unlisted error
}

// forgottenMsg says that a key was removed, or why not.
type forgottenMsg struct {
	asked    int
	provider Provider
	err      error
}
