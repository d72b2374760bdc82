package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/agent/catalog"
	"plimsoll/agent/llm"
	"plimsoll/agent/openai"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/conversation/numbers"
	"plimsoll/storage"
	"plimsoll/themes"
	"plimsoll/tui"
)

// listTimeout is how long servers have to list their models before the list opens without them.
const listTimeout = 2 * time.Second

// Models lists the models to switch to: those that servers list, those in the catalogue of providers with a key, the default
// model of each other provider, and the demo model.
func (h *Host) Models(ctx context.Context) ([]tui.ModelChoice, error) {
	var out []tui.ModelChoice
	keys, picks := map[string]string{}, h.deps.Settings.Picks()
	for _, name := range h.deps.Providers.Names() {
		keys[name] = h.deps.Providers.Key(name).Source
	}
	add := func(r setup.ModelRow, found bool) {
		m := tui.ModelChoice{Name: r.Provider + "/" + r.ID, Window: r.Window, Found: found, Key: keys[r.Provider]}
		if slices.ContainsFunc(out, func(o tui.ModelChoice) bool { return o.Name == m.Name }) {
			return
		}
		if p := setup.WithPrices(r.Prices, r.OwnPrices); p != nil {
			m.Input, m.Output = &p.Input, &p.Output
			if p.Cached > 0 || p.Input == 0 {
				m.Cached = &p.Cached
			}
		}
		m.Plain = r.IsExact && !r.Reasoning
		switch {
		case m.Key == "" && found:
			m.Key = "its server"
		case m.Key == "":
			m.NoKey = true
		}
		out = append(out, m)
	}
	listed := map[string]bool{} // providers whose server listed its models
	for _, r := range h.listedRows(ctx) {
		listed[r.Provider] = true
		add(r, true)
	}
	entries, defaults := catalog.All(), map[string]string{}
	for name := range keys {
		if e, ok := catalog.Default(name); ok {
			defaults[name] = e.ID
		}
	}
	for _, isDefault := range []bool{true, false} {
		for _, e := range entries {
			if isDefault != (defaults[e.Provider] == e.ID) || !isDefault && keys[e.Provider] == "" {
				continue
			}
			if _, known := keys[e.Provider]; known && !e.Deprecated && e.Tools && !listed[e.Provider] {
				add(h.deps.Models.Row(e.Provider, openai.ListedModel{ID: e.ID}), false)
			}
		}
	}
	out = append(out, tui.ModelChoice{Name: setup.ProviderDemo, Note: "built in, not an AI", Plain: true})
	for i := range out {
		out[i].Favorite = slices.Contains(picks.Favorites, out[i].Name)
		out[i].Recent = slices.Index(picks.Recent, out[i].Name) + 1
	}
	return out, nil
}

// listedRows are the models that the server in use and all other reachable servers list.
func (h *Host) listedRows(ctx context.Context) []setup.ModelRow {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	_, current := h.connection()
	var currentRows, otherRows []setup.ModelRow
	var tasks sync.WaitGroup
	if current.Discover != nil {
		tasks.Go(func() {
			if found, err := current.Discover(ctx); err == nil { // otherwise the catalogue is used
				currentRows = h.deps.Models.ListedRows(current.Model.Provider, found)
			}
		})
	}
	tasks.Go(func() { otherRows = h.deps.Models.ServerRows(ctx, "") })
	tasks.Wait()
	if len(currentRows) > 0 {
		otherRows = slices.DeleteFunc(otherRows, func(r setup.ModelRow) bool { return r.Provider == current.Model.Provider })
	}
	return append(currentRows, otherRows...)
}

// Themes reads the user's own themes.
func (h *Host) Themes(context.Context) ([]themes.Theme, error) {
	ownThemes, problems := h.deps.Settings.OwnThemes(*h.deps.Settings.Loaded.Load())
	if len(problems) > 0 {
		return ownThemes, problems
	}
	return ownThemes, nil
}

// SetFavorite marks a model as a favorite, or removes the mark.
func (h *Host) SetFavorite(_ context.Context, model string, on bool) error {
	return h.deps.Settings.SetFavorite(model, on)
}

// SwitchModel sends further requests to another model, with the effort after its name; an effort alone changes only that. A
// move from a local model to a hosted one needs the user's consent.
func (h *Host) SwitchModel(ctx context.Context, name string) error {
	running, current := h.connection()
	if running == nil {
		return errReadOnly
	}
	name, effort, err := setup.SplitEffort(name)
	if err != nil {
		return err
	}
	if name == "" {
		current.Model.Effort = effort
		return h.switchTo(running, current)
	}
	c, err := h.ResolveModel(ctx, current, name)
	if err != nil {
		return err
	}
	conn, err := h.deps.Models.Connect(ctx, c)
	if err != nil {
		return err
	}
	conn.Model.Effort = cmp.Or(effort, conn.Model.Effort)
	lastUsed, err := h.deps.Models.LastUsed(ctx, running.ID)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if !setup.MovesToHosted(lastUsed, conn.Model) {
		return h.switchTo(running, conn)
	}
	target := conn.Choice()
	return &tui.Consent{
		Title:    "Send it elsewhere?",
		Question: fmt.Sprintf("This conversation used %s on your own machines.\nGo on with %s? All of it is then sent to %s.", lastUsed.Name(), target.Name(), target.DisplayAddress()),
		Yes:      "go on with " + target.Name() + " at " + target.DisplayAddress(),
		No:       "no, send nothing",
		Declined: "nothing was sent; " + current.Model.Name() + " goes on with it",
		Switch:   func(context.Context) error { return h.switchTo(running, conn) },
	}
}

// SetWindow sets the window of the model in use, in tokens, and stores it for later runs.
func (h *Host) SetWindow(_ context.Context, text string) error {
	tokens, err := numbers.ParseCount(text)
	if err != nil || tokens <= 0 {
		return errors.New("/window takes a number of tokens, like 32000, 128k or 1M")
	}
	if running := h.running(); running != nil {
		m := running.ReplaceWindow(tokens)
		return h.deps.Settings.Endpoints().SetUserWindow(m.BaseURL, m.ID, tokens)
	}
	return errReadOnly
}

// switchTo sends the requests of a conversation to another model, if it is still open.
func (h *Host) switchTo(running *session.Running, conn setup.Connection) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Running != running {
		return errConversationLeft
	}
	running.SwitchTo(conn)
	if err := h.deps.Settings.AddRecent(conn.Model.Name()); err != nil { // the switch does not depend on the list of recent models
		h.deps.Resources.Logger().Warn("the models used of late", "error", err)
	}
	return nil
}

// ResolveModel returns the model of a name. A model that the server in use lists comes before those of other providers.
func (h *Host) ResolveModel(ctx context.Context, current setup.Connection, name string) (setup.Choice, error) {
	choice := current.Choice()
	provider, _, _ := strings.Cut(name, "/")
	modelID := strings.TrimPrefix(name, choice.Provider+"/")
	switch {
	case choice.IsDemo():
	case modelID != name && choice.Provider == setup.ProviderCustom:
		choice.Model = modelID
		return choice, nil
	case modelID == name && provider != name && h.deps.Providers.Known(provider), h.deps.Providers.Known(name):
	case current.Discover != nil:
		ctx, cancel := context.WithTimeout(ctx, listTimeout)
		defer cancel()
		if found, err := current.Discover(ctx); err == nil {
			if m, ok := found.FindModel(modelID); ok {
				choice.Model = setup.CanonicalID(choice.Provider, m.ID)
				return choice, nil
			}
		}
	}
	return h.deps.Providers.ChoiceByName(name)
}

// Providers lists the providers, those that are ready to use first.
func (h *Host) Providers(ctx context.Context) ([]tui.Provider, error) {
	var all []tui.Provider
	if h.deps.Providers.MayProbe() {
		for _, s := range openai.LocalServers(ctx, openai.LocalCandidates(h.deps.Console.Getenv), nil) {
			e, _ := openai.KnownProvider(s.Provider)
			p := tui.Provider{Name: s.Provider, Label: e.Label, Ready: s.Model != "", Note: "answers at " + setup.HostOf(s.BaseURL)}
			if !p.Ready {
				what, hint := s.NoModels()
				p.Note = what + ": " + hint
			}
			all = append(all, p)
		}
	}
	for _, name := range h.deps.Providers.AcceptingKeys() {
		if !slices.ContainsFunc(all, func(p tui.Provider) bool { return p.Name == name && p.Ready }) {
			all = append(all, h.providerRow(name))
		}
	}
	slices.SortStableFunc(all, func(a, b tui.Provider) int {
		switch {
		case a.Ready == b.Ready:
			return 0
		case a.Ready:
			return -1
		}
		return 1
	})
	return all, nil
}

// providerRow describes a provider that a key can be stored for.
func (h *Host) providerRow(name string) tui.Provider {
	e, known := openai.KnownProvider(name)
	providerConfig, k := h.deps.Settings.Cfg().Providers[name], h.deps.Providers.Key(name)
	p := tui.Provider{Name: name, Label: cmp.Or(e.Label, name), Keyed: true, Stored: h.deps.Providers.StoredKey(name).Text != "", KeyPage: e.KeyPage}
	if k.IsFromEnvironment() {
		p.Variable = k.Variable
	}
	switch {
	case k.Source != "":
		p.Ready, p.Note = true, "key in "+k.Source
	case k.Err != nil:
		p.Note = k.Err.Error()
	case (!known || e.Local) && providerConfig.APIKeyEnv == "", len(providerConfig.Headers) > 0:
		p.Ready, p.Note = true, "in the configuration, at "+setup.HostOf(providerConfig.BaseURL)
	default:
		p.Note = "no key yet"
	}
	return p
}

// Connect tries a key of a provider, and stores it. The open conversation uses it from the next request on.
func (h *Host) Connect(ctx context.Context, provider string, secret tui.Secret) (tui.Connected, error) {
	key, err := setup.ParseKey(secret.Reveal())
	if err != nil {
		return tui.Connected{}, fmt.Errorf("%w; nothing was stored", err)
	}
	if err := h.deps.Providers.TryKey(ctx, provider, key); err != nil {
		e := llm.AsError(err)
		if e.Class == llm.Auth {
			return tui.Connected{}, fmt.Errorf("%s; nothing was stored. Check that it was copied whole, and that it is one for %s", e.Message, provider)
		}
		return tui.Connected{}, fmt.Errorf("the key could not be tried: %s; nothing was stored. Try again, or store it untried: plimsoll connect %s --no-check", e.Message, provider)
	}
	if err := ctx.Err(); err != nil {
		return tui.Connected{}, err
	}
	store, err := h.deps.Providers.Connect(provider, key)
	if err != nil {
		return tui.Connected{}, err
	}
	h.reconnect(ctx, provider)
	return tui.Connected{Provider: h.providerRow(provider), StoredIn: store}, nil
}

// Disconnect removes the stored key of a provider.
func (h *Host) Disconnect(ctx context.Context, provider string) (tui.Provider, error) {
	if err := h.deps.Providers.RemoveKey(provider); err != nil {
		return tui.Provider{}, err
	}
	h.reconnect(ctx, provider)
	return h.providerRow(provider), nil
}

// reconnect connects the open conversation again after its provider's key changed. If that fails, the next request does too.
func (h *Host) reconnect(ctx context.Context, provider string) {
	running, current := h.connection()
	if running == nil || current.Model.Provider != provider {
		return
	}
	conn, err := h.deps.Models.Connect(ctx, current.Choice())
	if err == nil {
		conn.Model.Effort = current.Model.Effort
		err = h.switchTo(running, conn)
	}
	if err != nil {
		h.deps.Resources.Logger().Warn("the conversation keeps its key", "error", err)
	}
}
