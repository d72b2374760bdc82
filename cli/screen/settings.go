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

// settingPlace returns the section of a key, and whether a change is live: it applies to the open conversation.
func settingPlace(key string) (section string, isLive bool) {
	first, _, _ := strings.Cut(key, ".")
	switch {
	case first == "compaction":
		return "Compaction", true
	case key == "fallback":
		return "Model", false
	case first == "context":
		return "Model", true
	case first == "permissions":
		return "Permissions", false
	case first == "ui":
		return "Looks", key == "ui.titles"
	}
	return "", false
}

// appliesNowText says when a change to the conversation's settings applies.
const appliesNowText = "at once, and stays with this conversation"

// Settings lists the settings that the screen shows.
func (h *Host) Settings(context.Context) ([]tui.Setting, error) {
	stored := h.deps.Settings.Loaded.Load()
	loaded, rows := *stored, []tui.Setting(nil)
	if running := h.running(); running != nil {
		var err error
		if loaded, err = running.ConfigWith(nil); err != nil {
			return nil, err
		}
		rows = h.modelRows(running, stored)
	}
	preset := loaded.Config.Compaction.Preset
	storedSettings := stored.Settings() // as the next conversation would have them
	for i, s := range loaded.Settings() {
		section, isLive := settingPlace(s.Key)
		if section == "" {
			continue
		}
		row := tui.Setting{Setting: s, Section: section, Applies: appliesNowText}
		if s.Origin.Layer == config.LayerConversation {
			row.Changed = s.Value != storedSettings[i].Value || storedSettings[i].Origin.Layer == config.LayerPreset && preset != stored.Config.Compaction.Preset
		}
		if !isLive || !row.Changed && s.Value == storedSettings[i].Value {
			row.Setting = storedSettings[i] // the log may record the same value: show its first origin
		}
		if !isLive {
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
func (h *Host) modelRows(running *session.Running, stored *config.Loaded) []tui.Setting {
	conn, flags := running.Current(), h.deps.Settings.Flags
	row := func(key, doc, value, from string) tui.Setting {
		s := tui.Setting{Section: "Model", Shown: value, Applies: appliesNowText, From: from,
			Setting: config.Setting{Key: key, Value: config.YAMLText(value)}}
		for _, o := range config.Options() {
			if o.Key == doc {
				s.Type, s.Doc, s.Title = o.Type, o.Doc, o.Title
			}
		}
		return s
	}
	model := row("model", "model", conn.Choice().Name(), "found at the start")
	model.Opens, model.Changed = tui.OpensModels, running.Switched()
	switch {
	case model.Changed || setup.LastModel(running.Events).Name() == conn.Model.Name():
		model.From = "this conversation"
	case flags.HasModel():
		model.From = "the command line"
	case stored.Config.Model != "":
		model.From = h.originText(stored.Origins["model"])
	}
	id := config.Path("providers", conn.Model.Provider, "models", conn.Model.ID, "effort")
	effort := row(id, "providers.NAME.models.ID.effort", conn.Model.Effort, "this conversation")
	effort.Opens = tui.OpensEfforts
	switch own := setup.ModelConfig(stored.Config, conn.Model.Provider, conn.Model.ID).Effort; {
	case conn.Model.Effort == own:
		effort.From = h.originText(stored.Origins[id])
	case conn.Model.Effort == flags.Effort:
		effort.From = "--effort"
	default:
		effort.Changed = true
	}
	if conn.Model.Effort == "" {
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

// errorWithoutKey returns an error of the configuration without its key. An error in a file names the file and the line.
func (h *Host) errorWithoutKey(err error) error {
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
	running := h.running()
	if running == nil {
		return tui.SettingEffect{}, errReadOnly
	}
	b, err := running.BreakdownWith(ctx, assignment(key, value))
	return tui.SettingEffect{Reading: b.Reading, Next: b.Forecast.Text("")}, h.errorWithoutKey(err)
}

// ChangeSetting applies a value.
func (h *Host) ChangeSetting(ctx context.Context, key, value string) error {
	running, changes := h.running(), assignment(key, value)
	if running == nil {
		return errReadOnly
	}
	if _, isLive := settingPlace(key); isLive {
		return h.errorWithoutKey(running.Configure(ctx, changes))
	}
	if _, err := running.ConfigWith(changes); err != nil { // this also checks the names of models, tools and themes
		return h.errorWithoutKey(err)
	}
	_, err := h.KeepSettings(ctx, changes)
	return err
}

// KeepSettings stores values for conversations that are opened from now on, and returns the path of the file.
func (h *Host) KeepSettings(_ context.Context, changes map[string]string) (string, error) {
	h.settingsMu.Lock()
	defer h.settingsMu.Unlock()
	path, err := config.SaveSettings(config.LoadOptions{Env: h.deps.Console.Lookup, File: h.deps.Settings.Flags.Config}, changes)
	if err == nil {
		err = h.deps.Settings.Reload()
	}
	return h.deps.Console.Home(path), h.errorWithoutKey(err)
}
