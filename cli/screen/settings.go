package screen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/tui"
)

// The settings on the screen: their values, where each comes from, and how to change them. Rules:
//
//   - A change to compaction or the window applies to the open conversation at once, and is recorded in its log. It applies to
//     other conversations only if the user stores it.
//   - A change to any other setting is stored in the program's own settings file.

// sections are the sections of the list, in order.
var sections = []string{"Compaction", "Model", "Permissions", "Looks"}

// settingPlace returns the section of a key, its name there, and whether a change applies to the conversation at once.
func settingPlace(key string) (section, name string, live bool) {
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

// appliesNow says when a change to the conversation's settings applies.
const appliesNow = "at once, and stays with this conversation"

// Settings lists the settings that the screen shows.
func (h *Host) Settings(context.Context) ([]tui.Setting, error) {
	kept := h.deps.Settings.Loaded.Load()
	loaded, rows := *kept, []tui.Setting(nil)
	if r := h.running(); r != nil {
		var err error
		if loaded, err = r.ConfigWith(nil); err != nil {
			return nil, err
		}
		rows = h.modelRows(r, kept)
	}
	preset := loaded.Config.Compaction.Preset
	next := kept.Settings() // of the next conversation
	for i, s := range loaded.Settings() {
		section, name, live := settingPlace(s.Key)
		if section == "" {
			continue
		}
		row := tui.Setting{Setting: s, Section: section, Name: name, Applies: appliesNow}
		if s.Origin.Layer == config.LayerConversation {
			row.Changed = s.Value != next[i].Value || next[i].Origin.Layer == config.LayerPreset && preset != kept.Config.Compaction.Preset
		}
		if !live || !row.Changed && s.Value == next[i].Value {
			row.Setting = next[i] // the log may record the same value: show its first origin
		}
		if !live {
			row.Applies, row.Restart = "at the next start", s.Key != "ui.leave_transcript"
		}
		if s.Key == "context.window" && h.deps.Settings.Flags.Window > 0 {
			row.Fixed = "--window says it in this run"
		}
		if row.From = h.originText(row.Origin); row.Origin.Layer == config.LayerPreset {
			row.From = "preset " + string(preset)
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b tui.Setting) int {
		return slices.Index(sections, a.Section) - slices.Index(sections, b.Section)
	})
	return rows, nil
}

// originText says where a value comes from.
func (h *Host) originText(o config.Origin) string {
	switch o.Layer {
	case config.LayerUser, config.LayerSettings, config.LayerWorkspace:
		return fmt.Sprintf("%s, line %d", h.deps.Console.Home(o.File), o.Line)
	case config.LayerOverride:
		return "--cfg"
	case config.LayerConversation:
		return "this conversation"
	}
	return "the default"
}

// modelRows are the rows of the model in use and of its effort.
func (h *Host) modelRows(r *session.Running, kept *config.Loaded) []tui.Setting {
	l, flags := r.Current(), h.deps.Settings.Flags
	row := func(name, key, doc, value, from string) tui.Setting {
		s := tui.Setting{Section: "Model", Name: name, Shown: value, Applies: appliesNow, From: from,
			Setting: config.Setting{Key: key, Value: config.YAMLText(value)}}
		for _, o := range config.Options() {
			if o.Key == doc {
				s.Type, s.Doc = o.Type, o.Doc
			}
		}
		return s
	}
	model := row("model", "model", "model", l.Choice().Name(), "found at the start")
	model.Opens, model.Changed = tui.OpensModels, r.Switched()
	switch {
	case model.Changed || setup.LastModel(r.Events).Name() == l.Model.Name():
		model.From = "this conversation"
	case flags.HasModel():
		model.From = "the command line"
	case kept.Config.Model != "":
		model.From = h.originText(kept.Origins["model"])
	}
	id := config.Path("providers", l.Model.Provider, "models", l.Model.ID, "effort")
	effort := row("effort", id, "providers.NAME.models.ID.effort", l.Model.Effort, "this conversation")
	effort.Opens = tui.OpensEfforts
	switch own := setup.ModelConfig(kept.Config, l.Model.Provider, l.Model.ID).Effort; {
	case l.Model.Effort == own:
		effort.From = h.originText(kept.Origins[id])
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

// assignment is a value as YAML, by key. Text may be given without quotes.
func assignment(key, value string) map[string]string {
	for _, o := range config.Options() {
		if o.Key == key && o.Type == "text" && !strings.HasPrefix(value, `"`) {
			value = config.YAMLText(value)
		}
	}
	return map[string]string{key: value}
}

// plainError is an error of the configuration without its key; a file's error has the line.
func (h *Host) plainError(err error) error {
	var p *config.Problem
	if !errors.As(err, &p) {
		return err
	}
	words := p.Message
	if p.Hint != "" {
		words += "; " + p.Hint
	}
	if p.Line > 0 {
		words = fmt.Sprintf("%s, line %d: %s", h.deps.Console.Home(p.File), p.Line, words)
	}
	return errors.New(words)
}

// TrySetting computes the effect of a value without applying it.
func (h *Host) TrySetting(ctx context.Context, key, value string) (tui.SettingEffect, error) {
	r := h.running()
	if r == nil {
		return tui.SettingEffect{}, errReadOnly
	}
	b, err := r.BreakdownWith(ctx, assignment(key, value))
	return tui.SettingEffect{Reading: b.Reading, Next: b.Forecast.Text("")}, h.plainError(err)
}

// ChangeSetting applies a value.
func (h *Host) ChangeSetting(ctx context.Context, key, value string) error {
	r, set := h.running(), assignment(key, value)
	if r == nil {
		return errReadOnly
	}
	if _, _, live := settingPlace(key); live {
		return h.plainError(r.Configure(ctx, set))
	}
	if _, err := r.ConfigWith(set); err != nil { // checks names, too
		return h.plainError(err)
	}
	_, err := h.KeepSettings(ctx, set)
	return err
}

// KeepSettings stores values for conversations that are opened from now on, and returns the path of the file.
func (h *Host) KeepSettings(_ context.Context, set map[string]string) (string, error) {
	h.settingsMu.Lock()
	defer h.settingsMu.Unlock()
	path, err := config.SaveSettings(config.LoadOptions{Env: h.deps.Console.Lookup, File: h.deps.Settings.Flags.Config}, set)
	if err == nil {
		err = h.deps.Settings.Reload()
	}
	return h.deps.Console.Home(path), h.plainError(err)
}
