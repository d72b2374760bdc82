package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/tui"
)

// The settings on the screen: what they are, where each comes from, and how another value is put in force. Rules:
//
//   - What compaction and the window go by holds for the conversation, at once, and stays a part of it. It is kept for others
//     where that is asked for.
//   - What holds for the program is kept in the program's own file of settings.

// configurer knows the settings.
type configurer struct {
	console  *console.Console
	settings *setup.Settings
	running  func() *session.Running // nil while a conversation is only read
	keeping  sync.Mutex
}

// sections are those of the list, in order.
var sections = []string{"Compaction", "Model", "Permissions", "Looks"}

// place is where a key stands in the list, its name there, and whether a conversation takes another value at once.
func place(key string) (section, name string, live bool) {
	first, rest, _ := strings.Cut(key, ".")
	switch {
	case first == "compaction":
		return "Compaction", rest, true
	case key == "fallback":
		return "Model", key, false
	case key == "context.window":
		return "Model", rest, true
	case first == "permissions":
		return "Permissions", rest, false
	case first == "ui":
		return "Looks", rest, key == "ui.titles"
	}
	return "", "", false
}

// errReadOnly says that nothing changes in a conversation that is only read.
var errReadOnly = errors.New("this conversation is read only")

// appliesAtOnce says when a value applies that belongs to the conversation.
const appliesAtOnce = "at once, and stays with this conversation"

// Settings lists what can be seen and changed.
func (c *configurer) Settings(context.Context) ([]tui.Setting, error) {
	kept := c.settings.Loaded.Load()
	loaded, rows := *kept, []tui.Setting(nil)
	if r := c.running(); r != nil {
		var err error
		if loaded, err = r.With(nil); err != nil {
			return nil, err
		}
		rows = c.modelRows(r, kept)
	}
	preset := loaded.Config.Compaction.Preset
	next := kept.Settings() // what the next conversation begins with
	for i, s := range loaded.Settings() {
		section, name, live := place(s.Key)
		if section == "" {
			continue
		}
		row := tui.Setting{Setting: s, Section: section, Name: name, Applies: appliesAtOnce}
		if s.Origin.Layer == config.LayerConversation {
			row.Changed = s.Value != next[i].Value || next[i].Origin.Layer == config.LayerPreset && preset != kept.Config.Compaction.Preset
		}
		if !live || !row.Changed && s.Value == next[i].Value {
			row.Setting = next[i] // recorded with the conversation, too: where it came from first says more
		}
		if !live {
			row.Applies, row.Restart = "at the next start", s.Key != "ui.leave_transcript"
		}
		if s.Key == "context.window" && c.settings.Flags.Window > 0 {
			row.Fixed = "--window says it in this run"
		}
		row.From = c.from(row.Origin, string(preset))
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b tui.Setting) int {
		return slices.Index(sections, a.Section) - slices.Index(sections, b.Section)
	})
	return rows, nil
}

// from says where a value comes from.
func (c *configurer) from(o config.Origin, preset string) string {
	switch o.Layer {
	case config.LayerPreset:
		return "preset " + preset
	case config.LayerUser, config.LayerSettings, config.LayerWorkspace:
		return fmt.Sprintf("%s, line %d", c.console.Home(o.File), o.Line)
	case config.LayerOverride:
		return "--cfg"
	case config.LayerConversation:
		return "this conversation"
	}
	return "the default"
}

// modelRows are the model in use and how much it reasons.
func (c *configurer) modelRows(r *session.Running, kept *config.Loaded) []tui.Setting {
	l := r.Current()
	name, id, flags := l.Choice().Name(), config.Path("providers", l.Model.Provider, "models", l.Model.ID, "effort"), c.settings.Flags
	model := tui.Setting{Section: "Model", Name: "model", Shown: name, Applies: appliesAtOnce, Opens: tui.OpensModels, Changed: r.Switched(),
		Setting: config.Setting{Key: "model", Value: config.YAMLText(name)}, From: "found at the start"}
	effort := tui.Setting{Section: "Model", Name: "effort", Shown: l.Model.Effort, Applies: appliesAtOnce, Opens: tui.OpensEfforts,
		Setting: config.Setting{Key: id, Value: config.YAMLText(l.Model.Effort)}, From: "this conversation"}
	for _, o := range config.Options() {
		switch o.Key {
		case "model":
			model.Type, model.Doc = o.Type, o.Doc
		case "providers.NAME.models.ID.effort":
			effort.Type, effort.Doc = o.Type, o.Doc
		}
	}
	switch {
	case r.Switched() || setup.LastModel(r.Events).Name() == l.Model.Name():
		model.From = "this conversation"
	case flags.ChooseModel():
		model.From = "the command line"
	case kept.Config.Model != "":
		model.From = c.from(kept.Origins["model"], "")
	}
	switch own := setup.DescribedModel(kept.Config, l.Model.Provider, l.Model.ID).Effort; {
	case l.Model.Effort == own:
		effort.From = c.from(kept.Origins[id], "")
	case l.Model.Effort == flags.Effort:
		effort.From = "--effort"
	default:
		effort.Changed = true
	}
	if l.Model.Effort == "" {
		effort.Shown = "the model decides"
	}
	return []tui.Setting{model, effort}
}

// written is a value as it would stand in the file: a text may come without quotes.
func written(key, value string) map[string]string {
	for _, o := range config.Options() {
		if o.Key == key && o.Type == "text" && !strings.HasPrefix(value, `"`) {
			value = config.YAMLText(value)
		}
	}
	return map[string]string{key: value}
}

// plainly is an error of the configuration in words: of a file with its line, of a value that was just given without.
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
	b, err := r.Weigh(ctx, written(key, value))
	return tui.SettingEffect{Reading: b.Reading, Next: b.Forecast.Words("")}, c.plainly(err)
}

// ChangeSetting puts a value in force.
func (c *configurer) ChangeSetting(ctx context.Context, key, value string) error {
	r, set := c.running(), written(key, value)
	if r == nil {
		return errReadOnly
	}
	if _, _, live := place(key); live {
		return c.plainly(r.Configure(ctx, set))
	}
	if _, err := r.With(set); err != nil { // names, too
		return c.plainly(err)
	}
	_, err := c.KeepSettings(ctx, set)
	return err
}

// KeepSettings keeps values for what begins from here on, and names the file that holds them.
func (c *configurer) KeepSettings(_ context.Context, set map[string]string) (string, error) {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	path, err := config.Keep(config.LoadOptions{Env: c.console.Lookup, File: c.settings.Flags.Config}, set)
	if err == nil {
		err = c.settings.Reload()
	}
	return c.console.Home(path), c.plainly(err)
}
