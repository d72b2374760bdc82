package setup

import (
	"context"
	"errors"
	"time"

	"plimsoll/cli/console"
	"plimsoll/compact/meter"
)

// The order in which a model is chosen: --demo, --base-url, --model; for a
// conversation that goes on its own (again.go), for a new one the configuration,
// the first key found in the environment, a local server, the demo model. A
// Choice names an endpoint and a model; nothing is sent yet, except to local
// servers to ask for their models.

// Choose decides without asking any server but local ones; id is the conversation
// that goes on, "" for a new one. The error is *elsewhere if it cannot go on with
// what it was held with. Falling back to the demo model is for the chat only:
// Elsewhere it must be named.
func (d *Models) Choose(ctx context.Context, id string, demoAllowed bool) (Choice, error) {
	if d.Settings.Flags.ChooseModel() {
		return d.Providers.flagged()
	}
	held, err := d.Held(ctx, id)
	if err != nil {
		return Choice{}, err
	}
	if held.Name() == "" {
		return d.fresh(ctx, demoAllowed)
	}
	c, why := d.Again(held)
	if why != "" {
		return Choice{}, d.elsewhere(ctx, id, held, why, demoAllowed)
	}
	return c, nil
}

// LinkFor is the model to ask. A server that knows how large its window is
// has a second to say so. unread says that nobody reads what arrives.
func (d *Models) LinkFor(ctx context.Context, id string, unread bool) (Link, error) {
	c, err := d.Choose(ctx, id, false)
	var e *Elsewhere
	if errors.As(err, &e) {
		return Link{}, console.WithHint(e, e.hint())
	}
	if err != nil {
		return Link{}, err
	}
	c.unread = unread
	if err := d.Providers.CheckKey(c); err != nil {
		return Link{}, err
	}
	l, err := d.Connect(ctx, c)
	if err != nil || l.Discover == nil {
		return l, err
	}
	if w := l.Model.Window; w.Known() && w.Source != meter.WindowCatalogue && w.Source != meter.WindowLearned {
		return l, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	found, err := l.Discover(ctx)
	if err != nil {
		return l, nil // a server that does not say is the usual case
	}
	if w := ServerWindow(found); w.Known() {
		l.Model.Window = w
	}
	if found.MaxOut > 0 {
		l.Model.MaxOut = found.MaxOut
	}
	l.Again = found.AskAgain
	return l, nil
}
