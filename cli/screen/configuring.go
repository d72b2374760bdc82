package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/tui"
)

// The settings on the screen: what they are, where each comes from, and how another value
// is put in force. Rules:
//
//   - What compaction and the window go by holds for the conversation, at once, and stays
//     a part of it.
//   - What holds for the program is kept here until it ends; what is read only once waits
//     for the next start, and says so.
//   - The user's file is written only when that was asked for, line by line.

// configurer knows the settings.
type configurer struct {
	console  *console.Console
	settings *setup.Settings
	running  func() *session.Running // nil while a conversation is only read

	mu   sync.Mutex
	held map[string]string // values of this run that are no part of a conversation, by key
}

// The sections of the list.
const (
	sectionCompaction  = "Compaction"
	sectionModel       = "Model"
	sectionPermissions = "Permissions"
	sectionLooks       = "Looks"
)

// leaveTranscript is the key of what stays in the terminal.
const leaveTranscript = "ui.leave_transcript"

// place is where a key stands in the list, its name there, and whether a conversation
// takes another value at once.
func place(key string) (section, name string, live bool) {
	first, rest, _ := strings.Cut(key, ".")
	switch {
	case first == "compaction":
		return sectionCompaction, rest, true
	case key == "fallback":
		return sectionModel, key, false
	case key == "context.window":
		return sectionModel, rest, true
	case first == "permissions":
		return sectionPermissions, rest, false
	case first == "ui":
		return sectionLooks, rest, key == "ui.titles"
	}
	return "", "", false
}

// errReadOnly says that nothing changes in a conversation that is only read.
var errReadOnly = errors.New("this conversation is read only")

// loaded is the configuration with other values of some keys.
func (c *configurer) loaded(set map[string]string) (config.Loaded, error) {
	if r := c.running(); r != nil {
		return r.With(set)
	}
	if len(set) > 0 {
		return config.Loaded{}, errReadOnly
	}
	return *c.settings.Loaded.Load(), nil
}

// Settings lists what can be seen and changed.
func (c *configurer) Settings(context.Context) ([]tui.Setting, error) {
	loaded, err := c.loaded(nil)
	if err != nil {
		return nil, err
	}
	next := map[string]config.Setting{} // what the next conversation begins with
	for _, s := range c.settings.Loaded.Load().Settings() {
		next[s.Key] = s
	}
	c.mu.Lock()
	held := maps.Clone(c.held)
	c.mu.Unlock()
	another := loaded.Config.Compaction.Preset != c.settings.Cfg().Compaction.Preset
	bySection := map[string][]tui.Setting{sectionModel: c.modelRows()}
	for _, s := range loaded.Settings() {
		section, name, live := place(s.Key)
		if section == "" {
			continue
		}
		row := tui.Setting{Section: section, Name: name, Key: s.Key, Value: s.Value, Choices: s.Choices, Type: s.Type, Default: s.Unset, Doc: s.Doc,
			Applies: "at once, and stays with this conversation"}
		if s.Origin.Layer == config.LayerConversation {
			row.Changed = s.Value != next[s.Key].Value || another && next[s.Key].Origin.Layer == config.LayerPreset
		}
		if !row.Changed && s.Value == next[s.Key].Value {
			s = next[s.Key] // recorded with the conversation, too: where it came from first says more
		}
		row.From = c.from(s.Origin, loaded.Config.Compaction.Preset)
		if !live {
			row.Applies, row.Restart = "at the next start, once written to the file", true
		}
		if value, ok := held[s.Key]; ok && value != row.Value {
			row.Value, row.From, row.Changed = value, "changed here; applies at the next start", true
			if s.Key == leaveTranscript {
				row.From = "this run"
			}
		}
		c.special(&row)
		bySection[section] = append(bySection[section], row)
	}
	return slices.Concat(bySection[sectionCompaction], bySection[sectionModel], bySection[sectionPermissions], bySection[sectionLooks]), nil
}

// special is what is otherwise with some settings than with most.
func (c *configurer) special(row *tui.Setting) {
	switch row.Key {
	case "context.window":
		if c.settings.Flags.Window > 0 {
			row.Fixed, row.From = "--window says it in this run", "--window"
		}
	case "permissions.mode", "ui.mouse", leaveTranscript:
		row.Applies, row.Restart = "at once, until the program ends", false
	case "ui.theme":
		row.Applies, row.Restart, row.Opens = "at once, until the program ends", false, tui.OpensThemes
	}
}

// from says where a value comes from.
func (c *configurer) from(o config.Origin, preset string) string {
	switch o.Layer {
	case config.LayerPreset:
		return "preset " + preset
	case config.LayerUser, config.LayerWorkspace:
		return fmt.Sprintf("%s, line %d", c.console.Home(o.File), o.Line)
	case config.LayerOverride:
		return "--cfg"
	case config.LayerConversation:
		return "this conversation"
	}
	return "the default"
}

// modelRows are the model in use and how much it reasons.
func (c *configurer) modelRows() []tui.Setting {
	r := c.running()
	if r == nil {
		return nil
	}
	l := r.Current()
	docs := map[string]config.Option{}
	for _, o := range config.Options() {
		docs[o.Key] = o
	}
	name, options := l.Choice().Name(), docs["providers.NAME.models.ID.effort"]
	applies := "at once, and stays with this conversation"
	model := tui.Setting{Section: sectionModel, Name: "model", Key: "model", Value: config.YAMLText(name), Shown: name, Type: docs["model"].Type,
		Doc: docs["model"].Doc, Applies: applies, Opens: tui.OpensModels, From: c.modelFrom(r, l), Changed: r.Switched()}
	effort := tui.Setting{Section: sectionModel, Name: "effort", Key: config.Path("providers", l.Model.Provider, "models", l.Model.ID, "effort"),
		Value: config.YAMLText(l.Model.Effort), Type: options.Type, Doc: options.Doc, Applies: applies, Opens: tui.OpensEfforts, From: "the default"}
	own := setup.DescribedModel(c.settings.Cfg(), l.Model.Provider, l.Model.ID).Effort
	switch {
	case l.Model.Effort == "":
		effort.Value, effort.Shown = `""`, "the model decides"
	case l.Model.Effort == c.settings.Flags.Effort:
		effort.From = "--effort"
	case l.Model.Effort == own:
		effort.From = c.from(c.settings.Loaded.Load().Origins[effort.Key], "")
	default:
		effort.From = "this conversation"
	}
	effort.Changed = effort.From == "this conversation" || l.Model.Effort == "" && own != ""
	if l.Model.Provider == setup.ProviderDemo {
		effort.Fixed, effort.Opens, effort.Changed = "the demo model does not reason", "", false
	}
	return []tui.Setting{model, effort}
}

// modelFrom says why the conversation talks to its model.
func (c *configurer) modelFrom(r *session.Running, l setup.Link) string {
	name, flags, cfg := l.Choice().Name(), c.settings.Flags, c.settings.Loaded.Load()
	switch {
	case r.Switched() || setup.LastModel(r.Events).Name() == l.Model.Name():
		return "this conversation"
	case flags.Demo:
		return "--demo"
	case flags.BaseURL != "":
		return "--base-url"
	case flags.Model != "":
		return "--model"
	case cfg.Config.Model != "":
		return c.from(cfg.Origins["model"], "")
	case l.Model.Provider == setup.ProviderDemo:
		return "the last resort: no API key and no local server were found"
	case setup.Local(l.Model.BaseURL):
		return "the first local server that answered"
	}
	return fmt.Sprintf("the first API key that was found, of %s", cmp.Or(l.Model.Provider, name))
}

// written is a value as it would stand in the file: a text may come without quotes.
func written(key, value string) string {
	for _, o := range config.Options() {
		if o.Key == key && o.Type == "text" && !strings.HasPrefix(value, `"`) {
			return config.YAMLText(value)
		}
	}
	return value
}

// plainly is an error of the configuration in words: of a file with its line, of a value
// that was just given without.
func (c *configurer) plainly(err error) error {
	var p *config.Problem
	if !errors.As(err, &p) {
		return err
	}
	words := p.Message
	if p.Hint != "" {
		words += "; " + p.Hint
	}
	if p.Line > 0 {
		words = fmt.Sprintf("%s, line %d: %s", c.console.Home(p.File), p.Line, words)
	}
	return errors.New(words)
}

// TrySetting works out what a value would come to.
func (c *configurer) TrySetting(ctx context.Context, key, value string) (tui.SettingEffect, error) {
	r := c.running()
	if r == nil {
		return tui.SettingEffect{}, errReadOnly
	}
	b, err := r.Weigh(ctx, map[string]string{key: written(key, value)})
	return tui.SettingEffect{Reading: b.Reading, Next: b.Forecast.Words()}, c.plainly(err)
}

// ChangeSetting puts a value in force.
func (c *configurer) ChangeSetting(ctx context.Context, key, value string) error {
	r, set := c.running(), map[string]string{key: written(key, value)}
	if r == nil {
		return errReadOnly
	}
	if _, _, live := place(key); live {
		return c.plainly(r.Configure(ctx, set))
	}
	if _, err := r.With(set); err != nil {
		return c.plainly(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held[key] = set[key]
	return nil
}

// leavesTranscript reports whether the last exchange stays in the terminal.
func (c *configurer) leavesTranscript() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value, ok := c.held[leaveTranscript]; ok {
		return value == "true"
	}
	return c.settings.Cfg().UI.LeaveTranscript
}

// DraftSettings makes ready what is written to the user's configuration file.
func (c *configurer) DraftSettings(_ context.Context, changes []tui.SettingChange) (tui.SettingsDraft, error) {
	path, err := c.settings.ConfigFile()
	if err != nil {
		return tui.SettingsDraft{}, err
	}
	set := make([]config.Change, len(changes))
	for i, change := range changes {
		set[i] = config.Change(change)
	}
	e, err := config.NewEdit(path, set, setup.PresetValues)
	if err != nil {
		return tui.SettingsDraft{}, c.plainly(err)
	}
	d := tui.SettingsDraft{Path: c.console.Home(path), New: e.New}
	for _, l := range e.Lines {
		d.Lines = append(d.Lines, tui.SettingsLine(l))
	}
	d.Write = func(context.Context) error {
		if err := e.Write(); err != nil {
			return err
		}
		return c.settings.Reload()
	}
	return d, nil
}
