package tui_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui"
)

// The fakes of Session and Backend.

// log adds a call to the calls that wantCalls compares.
func (w *fakeState) log(call string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, call)
}

// call logs a call, waits for portGate, and returns the error of the call in failing.
func (r *rig) call(ctx context.Context, name, arguments string) error {
	r.log(strings.TrimSpace(name + " " + arguments))
	if r.portGate != nil && slices.Contains([]string{"open", "new", "resume", "fork", "delete", "page", "shell", "models", "remove stored", "make", "switch"}, name) {
		select {
		case <-r.portGate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return r.failing[name]
}

// open is call for the calls that open a conversation with its stored draft.
func (r *rig) open(ctx context.Context, name, arguments string, next *tui.Conversation) (tui.Conversation, error) {
	if err := r.call(ctx, name, arguments); err != nil {
		return tui.Conversation{}, err
	}
	opened := *next
	r.mu.Lock()
	defer r.mu.Unlock()
	opened.Draft = r.drafts[opened.ID]
	if opened.ReadOnly != "" {
		opened.Draft = r.drafts[opened.ID+" read"]
	}
	return opened, nil
}

func (r *rig) KeepDraft(_ context.Context, id string, read bool, d tui.Draft) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if read {
		id += " read"
	}
	if r.failing["keep draft"] == nil {
		r.drafts[id] = d
	}
	return r.failing["keep draft"]
}

func (r *rig) Open(ctx context.Context) (tui.Conversation, error) {
	return r.open(ctx, "open", "", &r.first)
}
func (r *rig) New(ctx context.Context) (tui.Conversation, error) {
	return r.open(ctx, "new", "", &r.next)
}
func (r *rig) Fork(ctx context.Context) (tui.Conversation, error) {
	return r.open(ctx, "fork", "", &r.next)
}
func (r *rig) ForkAt(ctx context.Context, before uint64) (tui.Conversation, error) {
	return r.open(ctx, "fork at", fmt.Sprint(before), &r.next)
}

func (r *rig) Delete(ctx context.Context) (tui.Conversation, error) {
	return r.open(ctx, "delete", "", &r.next)
}
func (r *rig) Resume(ctx context.Context, id string) (tui.Conversation, error) {
	return r.open(ctx, "resume", id, &r.next)
}

func (r *rig) Conversations(ctx context.Context) ([]tui.Stored, error) {
	return r.stored, r.call(ctx, "conversations", "")
}

func (r *rig) Models(ctx context.Context) ([]tui.ModelChoice, error) {
	if r.models != nil {
		return r.models, r.call(ctx, "models", "")
	}
	return []tui.ModelChoice{{Name: "openai/gpt-5.6-luna", Note: "128k"}, {Name: "ollama/qwen3:8b", Note: "32k"}}, r.call(ctx, "models", "")
}

func (r *rig) LastExchange(_ context.Context, id string) (question, reply string, err error) {
	return "the last question in " + id, "# The answer\n\nis **plain** `text`.", nil
}
func (r *rig) RenameStored(ctx context.Context, id, title string) error {
	return r.call(ctx, "rename stored", id+" "+title)
}
func (r *rig) RemoveStored(ctx context.Context, id string) error {
	return r.call(ctx, "remove stored", id)
}
func (r *rig) ForkStored(ctx context.Context, id string) (tui.Conversation, error) {
	return r.open(ctx, "fork stored", id, &r.next)
}
func (r *rig) SetFavorite(ctx context.Context, model string, on bool) error {
	return r.call(ctx, "set favorite", fmt.Sprint(model, " ", on))
}

func (r *rig) Themes(context.Context) ([]themes.Theme, error) { return r.themes, r.themesErr }

func (r *rig) NewWithModel(ctx context.Context, model string) (tui.Conversation, error) {
	return r.open(ctx, "new with model", model, &r.next)
}

func (r *rig) Providers(ctx context.Context) ([]tui.Provider, error) {
	return r.providers, r.call(ctx, "providers", "")
}

func (r *rig) Connect(ctx context.Context, provider string, key tui.Secret) (tui.Connected, error) {
	if err := r.call(ctx, "connect", fmt.Sprintf("%s %v %d", provider, key, len(key.Reveal()))); err != nil {
		return tui.Connected{}, err
	}
	if r.connectGate != nil {
		select {
		case <-r.connectGate:
		case <-ctx.Done():
			return tui.Connected{}, ctx.Err()
		}
	}
	return tui.Connected{Provider: tui.Provider{Name: provider, Label: "Anthropic", Note: "key stored in the keyring", Ready: true, Keyed: true, Stored: true}, StoredIn: "the keyring"}, nil
}

func (r *rig) Disconnect(ctx context.Context, provider string) (tui.Provider, error) {
	return tui.Provider{Name: provider, Label: "Anthropic", Note: "no key yet", Keyed: true}, r.call(ctx, "disconnect", provider)
}

// Settings returns a row of each kind.
func (r *rig) Settings(ctx context.Context) ([]tui.Setting, error) {
	rows := []tui.Setting{
		{Section: "Compaction", From: "the default", Applies: "at once",
			Setting: config.Setting{Title: "Preset", Key: "compaction.preset", Value: "plimsoll", Choices: []string{"plimsoll", "jp", "raw"}, Type: "plimsoll, jp or raw", UnsetValue: "plimsoll", Doc: "Rule set that fills the keys of this section that you do not set yourself."}},
		{Section: "Compaction", From: "preset plimsoll", Applies: "at once",
			Setting: config.Setting{Title: "Profile of /compact", Key: "compaction.default_profile", Value: "default", Choices: []string{"default", "heavy"}, UnsetValue: "default", Doc: "Profile used when a command names none."}},
		{Section: "Compaction", From: "~/.config/plimsoll/config.yaml, line 7", Applies: "at once",
			Setting: config.Setting{Title: "Compacts at", Key: "compaction.trigger_ratio", Value: "0.85", Type: "ratio", UnsetValue: "0.85", Doc: "The load line: share of the window at which compaction acts."}},
		{Section: "Model", From: "--model", Applies: "at once", Opens: tui.OpensModels,
			Setting: config.Setting{Title: "Model", Key: "model", Value: "openai/gpt-5.6-luna", Doc: "Model to talk to."}},
		{Section: "Model", Opens: tui.OpensEfforts,
			Setting: config.Setting{Title: "How much it reasons", Key: "providers.openai.models.\"gpt-5.6-luna\".effort", Value: `""`, Doc: "How much the model reasons."}},
		{Section: "Model",
			Setting: config.Setting{Title: "Context window", Key: "context.window", Value: "0", Type: "whole number", UnsetValue: "0", Doc: "Size of the context window in tokens."}},
		{Section: "Permissions", From: "the default",
			Setting: config.Setting{Title: "Permission mode", Key: "permissions.mode", Value: "ask", Choices: []string{"plan", "ask", "edits", "auto", "yolo"}, UnsetValue: "ask", Doc: "What runs without asking."}},
		{Section: "Permissions", From: "the default", Applies: "at the next start, once written to the file", Restart: true,
			Setting: config.Setting{Title: "Allowed without asking", Key: "permissions.allow", Value: "[]", Type: "list of texts", UnsetValue: "[]", Doc: "Calls allowed without asking."}},
		{Section: "Looks", From: "the default", Opens: tui.OpensThemes,
			Setting: config.Setting{Title: "Theme", Key: "ui.theme", Value: "auto", UnsetValue: "auto", Type: "text", Doc: "auto (asks the terminal), light, dark, or the name of a theme."}},
		{Section: "Looks", From: "the default",
			Setting: config.Setting{Title: "Mouse", Key: "ui.mouse", Type: "true or false", Value: "true", Choices: []string{"true", "false"}, UnsetValue: "true", Doc: "Use the mouse."}},
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range rows {
		if value, ok := r.changedSettings[rows[i].Key]; ok {
			rows[i].Value, rows[i].From, rows[i].Changed = value, "this conversation", true
		}
	}
	return rows, r.failing["settings"]
}

func (r *rig) TrySetting(ctx context.Context, key, value string) (tui.SettingEffect, error) {
	r.log("try " + key + " " + value)
	if r.settingGate != nil {
		select {
		case <-r.settingGate:
		case <-ctx.Done():
			return tui.SettingEffect{}, ctx.Err()
		}
	}
	e := tui.SettingEffect{Reading: r.first.Meter.Reading(), Next: "With " + value + " it goes on otherwise."}
	if ratio, err := strconv.ParseFloat(value, 64); err == nil {
		e.Reading.LoadLine = int(ratio * float64(e.Reading.Window.Tokens))
	}
	return e, r.failing["try"]
}

func (r *rig) ChangeSetting(ctx context.Context, key, value string) error {
	err := r.call(ctx, "change", key+" "+value)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.changedSettings[key] = value
	}
	return err
}

func (r *rig) KeepSettings(ctx context.Context, set map[string]string) (string, error) {
	return "~/.config/plimsoll/config.settings.yaml", r.call(ctx, "keep", fmt.Sprint(set))
}

func (r *rig) SetWindow(ctx context.Context, tokens string) error {
	return r.call(ctx, "window", tokens)
}
func (r *rig) SwitchModel(ctx context.Context, name string) error { return r.call(ctx, "switch", name) }

func (r *rig) Files(context.Context, []string) ([]tui.File, error) {
	return r.files, r.failing["files"]
}

func (r *rig) Shell(ctx context.Context, command string) (string, error) {
	if command == "sleep" {
		<-ctx.Done()
		return "so far", nil
	}
	return "output of " + command, r.call(ctx, "shell", command)
}

func (r *rig) Attach(ctx context.Context, paths []string) (string, error) {
	if r.attachGate != nil {
		<-r.attachGate
	}
	return " + " + strings.Join(paths, ", "), r.call(ctx, "attach", strings.Join(paths, " "))
}

func (r *rig) Skills(ctx context.Context) ([]tui.Skill, error) {
	return r.skills, r.call(ctx, "skills", "")
}

func (r *rig) PlanRewind(context.Context, int, bool) (tui.FilePlan, error) { return r.filePlan, nil }

func (r *rig) Tasks(ctx context.Context) ([]tui.Task, error) {
	return r.tasks, r.call(ctx, "tasks", "")
}

func (r *rig) EndTask(ctx context.Context, id string) error { return r.call(ctx, "end task", id) }

func (r *rig) OpenTask(ctx context.Context, id string) (tui.Conversation, error) {
	return r.open(ctx, "open task", id, &r.next)
}

func (r *rig) Memory(ctx context.Context, take bool) (tui.Memory, error) {
	return r.memory, r.call(ctx, "memory", strconv.FormatBool(take))
}

func (r *rig) Jobs(ctx context.Context) ([]tui.Job, error) {
	return r.jobs, r.call(ctx, "jobs", "")
}
func (r *rig) EndJob(ctx context.Context, id string) error { return r.call(ctx, "end job", id) }
func (r *rig) MoveToBackground(ctx context.Context) error {
	return r.call(ctx, "background", "")
}

func (r *rig) Page(ctx context.Context, name, about string) (string, error) {
	return "the page about " + name, r.call(ctx, "page", strings.TrimSpace(name+" "+about))
}

func (r *rig) Prompts(context.Context) ([]string, error) { return r.prompts, r.failing["prompts"] }

func (r *rig) Remember(_ context.Context, text string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prompts = append(r.prompts, text)
	return r.failing["remember"]
}

func (r *rig) edit(ctx context.Context, draft string) (tui.Editor, func() (string, error), error) {
	run := func(tea.ExecCallback) tea.Cmd { return nil }
	return run, func() (string, error) { return "", errors.New("not reached") }, r.call(ctx, "edit", draft)
}

// feeder is the source of a session's updates.
type feeder interface {
	Take(ctx context.Context) ([]updates.Update, error)
}

// session is the agent of a conversation.
type session struct {
	feeder
	r  *rig
	id string
}

func (s session) log(what string) { s.r.log(s.id + " " + what) }

func (s session) Send(text string) { s.log("send " + text) }
func (s session) Add(text string)  { s.log("add " + text) }
func (s session) Cancel()          { s.log("cancel") }
func (s session) ReturnQueued()    { s.log("return queued") }
func (s session) Rewind(turn int)  { s.log(fmt.Sprintf("rewind %d", turn)) }
func (s session) Retry()           { s.log("retry") }
func (s session) RestoreTurns()    { s.log("restore turns") }

func (s session) Pin(events []uint64, pinned bool) { s.log(fmt.Sprintf("pin %v %v", events, pinned)) }
func (s session) Mask(events []uint64)             { s.log(fmt.Sprintf("mask %v", events)) }
func (s session) Inspect()                         { s.r.inspected++ }
func (s session) Review(text string, accept bool)  { s.log(fmt.Sprintf("review %q %v", text, accept)) }
func (s session) Answer(callID string, a conversation.Answer) {
	words := append([]string{"answer", callID, string(a.Grant)}, a.Rules...)
	s.log(strings.TrimSpace(strings.Join(append(words, a.Command+a.Text), " ")))
}
func (s session) CheckRules(callID string, rules []string) (conversation.Offer, error) {
	s.log(strings.Join(append([]string{"check rules", callID}, rules...), " "))
	return conversation.Offer{Rules: rules}, nil
}
func (s session) Rules(context.Context) ([]conversation.Rule, error) {
	s.log("rules")
	return s.r.rules, s.r.failing["rules"]
}
func (s session) Revoke(_ context.Context, r conversation.Rule) error {
	s.log("revoke " + r.ID)
	return s.r.failing["revoke"]
}
func (s session) SetMode(mode conversation.Mode) { s.log("mode " + string(mode)) }
func (s session) Rename(title string)            { s.log("rename " + title) }
func (s session) SetProfile(name string)         { s.log("profile " + name) }
func (s session) Compact(w edit.Request)         { s.log("compact" + requestWords(w)) }
func (s session) Preview(w edit.Request)         { s.log("preview" + requestWords(w)) }
func (s session) UndoCompaction(epoch uint64)    { s.log(fmt.Sprintf("undo %d", epoch)) }
func (s session) RedoCompaction()                { s.log("redo") }

func requestWords(w edit.Request) string {
	words := ""
	add := func(name, value string) {
		if value != "" {
			words += " " + name + "=" + value
		}
	}
	add("profile", w.Profile)
	if w.From != nil {
		add("from", w.From.String())
	}
	if w.To != nil {
		add("to", w.To.String())
	}
	if w.KeepLast >= 0 {
		add("keep", fmt.Sprint(w.KeepLast))
	}
	add("focus", w.Focus)
	if w.Source != conversation.SourceManual {
		add("source", string(w.Source))
	}
	return words
}

func (r *rig) OwnCommands(context.Context) ([]tui.OwnCommand, error) {
	return r.own, r.failing["own commands"]
}

// MakeMessage answers as the program does; a command with a $ needs approval.
func (r *rig) MakeMessage(ctx context.Context, name, args string, approved []string) (string, error) {
	if err := r.call(ctx, "make", strings.TrimSpace(name+" "+args+" "+strings.Join(approved, ","))); err != nil {
		return "", err
	}
	if name == "deploy" && len(approved) == 0 {
		return "", &tui.CommandApproval{Title: "/deploy runs a command", Command: "make deploy\x1b[2J --now"}
	}
	return "The text of " + name + ": " + args, nil
}
