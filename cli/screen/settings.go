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

// The settings on the screen: what they are, where each comes from, and how another value is put in force. Rules:
//
//   - What compaction and the window go by holds for the conversation, at once, and stays a part of it. It is kept for others
//     where that is asked for.
//   - What holds for the program is kept in the program's own file of settings.

// sections are those of the list, in order.
var sections = []string{"Compaction", "Model", "Permissions", "Looks"}

// place is where a key stands in the list, its name there, and whether a conversation takes another value at once.
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

// appliesAtOnce says when a value applies that belongs to the conversation.
const appliesNow = "at once, and stays with this conversation"

// Settings lists what can be seen and changed.
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
	next := kept.Settings() // what the next conversation begins with
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
			row.Setting = next[i] // recorded with the conversation, too: where it came from first says more
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

// from says where a value comes from.
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

// modelRows are the model in use and how much it reasons.
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

// written is a value as it would stand in the file: a text may come without quotes.
func assignment(key, value string) map[string]string {
	for _, o := range config.Options() {
		if o.Key == key && o.Type == "text" && !strings.HasPrefix(value, `"`) {
			value = config.YAMLText(value)
		}
	}
	return map[string]string{key: value}
}

// plainly is an error of the configuration in words: of a file with its line, of a value that was just given without.
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

// TrySetting works out what a value would come to.
func (h *Host) TrySetting(ctx context.Context, key, value string) (tui.SettingEffect, error) {
	r := h.running()
	if r == nil {
		return tui.SettingEffect{}, errReadOnly
	}
	b, err := r.BreakdownWith(ctx, assignment(key, value))
	return tui.SettingEffect{Reading: b.Reading, Next: b.Forecast.Text("")}, h.plainError(err)
}

// ChangeSetting puts a value in force.
func (h *Host) ChangeSetting(ctx context.Context, key, value string) error {
	r, set := h.running(), assignment(key, value)
	if r == nil {
		return errReadOnly
	}
	if _, _, live := settingPlace(key); live {
		return h.plainError(r.Configure(ctx, set))
	}
	if _, err := r.ConfigWith(set); err != nil { // names, too
		return h.plainError(err)
	}
	_, err := h.KeepSettings(ctx, set)
	return err
}

// KeepSettings keeps values for what begins from here on, and names the file that holds them.
func (h *Host) KeepSettings(_ context.Context, set map[string]string) (string, error) {
	h.settingsMu.Lock()
	defer h.settingsMu.Unlock()
	path, err := config.SaveSettings(config.LoadOptions{Env: h.deps.Console.Lookup, File: h.deps.Settings.Flags.Config}, set)
	if err == nil {
		err = h.deps.Settings.Reload()
	}
	return h.deps.Console.Home(path), h.plainError(err)
}
