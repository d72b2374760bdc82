package cli

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/cli/screen"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tui"
)

func openSettingsHost(t *testing.T, a *app, id string) *screen.Host {
	t.Helper()
	m := llm.Model{Provider: "test", ID: "m", Window: meter.Window{Tokens: 100_000, Source: meter.WindowServer}}
	h := openHost(t, a, setup.Connection{Provider: agenttest.NewProvider(), Model: m}, id)
	t.Cleanup(func() { h.Close(); _ = a.Resources.Close() }) // closing twice changes nothing
	return h
}

func rowOf(t *testing.T, h *screen.Host, key string) tui.Setting {
	t.Helper()
	rows, err := h.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(r tui.Setting) bool { return r.Key == key })
	if i < 0 {
		t.Fatalf("%s is not listed", key)
	}
	return rows[i]
}

// No row is left with a bare key, and no two rows of a group are told apart by their values alone.
func TestEverySettingHasAPlainName(t *testing.T) {
	t.Parallel()
	rows, err := openSettingsHost(t, appWith(t, ""), "").Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, r := range rows {
		name := r.Section + r.Group + r.Title
		if r.Title == "" || strings.ContainsAny(r.Title, "_=") || names[name] != "" {
			t.Errorf("%s is called %q, like %q", r.Key, r.Title, names[name])
		}
		names[name] = r.Key
	}
}

func TestConcurrentSettingChangesAreAllKept(t *testing.T) {
	t.Parallel()
	h := openSettingsHost(t, appWith(t, ""), "")
	values := map[string]string{"compaction.keep_last": "7", "compaction.auto.min_turns": "9", "compaction.trigger_ratio": "0.6", "compaction.hard_ratio": "0.97",
		"compaction.auto.enabled": "false", "context.window": "90000"}
	var all sync.WaitGroup
	for key, value := range values {
		if rowOf(t, h, key).Value == value {
			t.Errorf("%s is %s before", key, value)
		}
		all.Go(func() {
			if err := h.ChangeSetting(t.Context(), key, value); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for key, value := range values {
		if r := rowOf(t, h, key); r.Value != value {
			t.Errorf("%s is %s, want %s", key, r.Value, value)
		}
	}
}

func TestTryingASettingChangesNothing(t *testing.T) {
	t.Parallel()
	h := openSettingsHost(t, appWith(t, ""), "")
	e, err := h.TrySetting(t.Context(), "compaction.trigger_ratio", "0.5")
	if err != nil || e.Reading.LoadLine != 50_000 || !strings.Contains(e.Next, "50,000") {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err = h.TrySetting(t.Context(), "context.window", "20000"); err != nil || e.Reading.Window.Tokens != 20_000 {
		t.Errorf("%+v, %v", e.Reading, err)
	}
	if r := rowOf(t, h, "compaction.trigger_ratio"); r.Changed || r.Value != "0.85" {
		t.Errorf("it was changed: %+v", r)
	}
	for value, says := range map[string]string{"85": "such as 0.85 for 85%", "x": "needs a number", "0.96": "must be above trigger_ratio"} {
		if _, err := h.TrySetting(t.Context(), "compaction.trigger_ratio", value); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want it to say %q on a line", value, err, says)
		}
		if err := h.ChangeSetting(t.Context(), "compaction.trigger_ratio", value); err == nil {
			t.Errorf("%s was accepted", value)
		}
	}
	if _, err := h.TrySetting(t.Context(), "compaction.summary.model", "no/such"); err == nil {
		t.Error("an unknown model was accepted")
	}
}

// A change is recorded, and in force again after a restart.
func TestAChangedSettingIsStoredWithTheConversation(t *testing.T) {
	t.Parallel()
	a := appWith(t, "", "compaction.keep_last=4")
	storeBodies(t, a, stored, conversation.UserMessage{Text: "hello"})
	h := openSettingsHost(t, a, stored)
	for key, value := range map[string]string{"compaction.trigger_ratio": "0.6", "compaction.keep_last": "7", "compaction.summary.instructions": "be brief: 3 lines", "context.window": "50000"} {
		if err := h.ChangeSetting(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	await(t, h.Running.Agent.Updates(), func(u updates.Update) bool {
		m, ok := u.(updates.Metered)
		return ok && m.Meter.Reading().LoadLine == 30_000
	})
	h.Running.SetProfile("heavy")
	if r := rowOf(t, h, "compaction.keep_last"); r.Value != "7" || r.From != "this conversation" {
		t.Errorf("the value of --cfg was not changed: %+v", r)
	}
	h.Close()
	store, err := a.Resources.Open()
	if err != nil {
		t.Fatal(err)
	}
	events, _, err := store.Load(t.Context(), stored)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string]string{}
	for _, e := range events {
		if c, ok := e.Body.(conversation.ConfigChanged); ok {
			maps.Copy(set, c.Set)
		}
	}
	if set["compaction.trigger_ratio"] != "0.6" || set["compaction.default_profile"] != "heavy" || set["compaction.keep_last"] != "7" {
		t.Errorf("recorded %v", set)
	}
	a.Settings.Flags.Set = nil // a start without --cfg
	if err := a.Settings.Reload(); err != nil {
		t.Fatal(err)
	}
	again := openSettingsHost(t, a, stored)
	for key, want := range map[string]string{"compaction.trigger_ratio": "0.6", "compaction.keep_last": "7", "compaction.default_profile": "heavy",
		"compaction.summary.instructions": `"be brief: 3 lines"`} {
		if r := rowOf(t, again, key); r.Value != want || r.From != "this conversation" {
			t.Errorf("after a restart %s is %q of %s, want %q", key, r.Value, r.From, want)
		}
	}
	if got := again.Running.InitialMeter.Reading(); got.LoadLine != 30_000 || got.Window.Tokens != 50_000 {
		t.Errorf("after a restart the meter says %+v", got)
	}
}

// callOnUse is a context that calls a function at its first use.
type callOnUse struct {
	context.Context
	once *sync.Once
	call func()
}

func (c callOnUse) Err() error            { c.once.Do(c.call); return c.Context.Err() }
func (c callOnUse) Done() <-chan struct{} { c.once.Do(c.call); return c.Context.Done() }

func TestRecomputingTheWindowDoesNotSwitchTheModel(t *testing.T) {
	t.Parallel()
	link := func(id, effort string) setup.Connection {
		return setup.Connection{Provider: agenttest.NewProvider(), Model: llm.Model{Provider: "mine", ID: id, BaseURL: "http://127.0.0.1:2/v1", Effort: effort}}
	}
	for _, meanwhile := range []setup.Connection{link("two", ""), link("one", "high")} {
		h := openSettingsHost(t, bareApp(t, "providers.mine.base_url=http://127.0.0.1:2/v1", "context.window=50000"), "")
		h.Running.SwitchTo(link("one", ""))
		chosen := false
		ctx := callOnUse{t.Context(), &sync.Once{}, func() { chosen = true; h.Running.SwitchTo(meanwhile) }}
		if err := h.Running.Configure(ctx, map[string]string{"context.window": "0"}); err != nil || !chosen {
			t.Fatalf("%v, chosen %v", err, chosen)
		}
		if got := h.Running.Current().Model; got.Name() != meanwhile.Model.Name() || got.Effort != meanwhile.Model.Effort {
			t.Errorf("it uses %s with effort %q", got.Name(), got.Effort)
		}
	}
}

func TestSettingsAreStoredInTheirOwnFile(t *testing.T) {
	t.Parallel()
	a := appWith(t, "# mine\ncompaction:\n  keep_last: 4 # four\n")
	h := openSettingsHost(t, a, "")
	own := filepath.Join(filepath.Dir(a.Settings.Flags.Config), "c.settings.yaml")
	says := func(want string) {
		t.Helper()
		text, err := os.ReadFile(own)
		if _, lines, _ := strings.Cut(string(text), "\n"); lines != want || err != nil {
			t.Errorf("the file is\n%s\nwant\n%s (%v)", lines, want, err)
		}
	}
	for key, value := range map[string]string{"compaction.trigger_ratio": "0.6", "permissions.allow": "[read_file]", "compaction.keep_last": "3"} {
		if err := h.ChangeSetting(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	says("permissions:\n  allow:\n  - read_file\n") // stored at once, because it is not a setting of a conversation
	if r := rowOf(t, h, "permissions.allow"); !r.Restart || r.Changed || r.Value != "[read_file]" || r.From != "~/c.settings.yaml, line 4" {
		t.Errorf("a rule is %+v", r)
	}
	if r := rowOf(t, h, "compaction.keep_last"); !r.Changed || r.Value != "3" {
		t.Errorf("the setting of the conversation is %+v", r)
	}
	if path, err := h.KeepSettings(t.Context(), map[string]string{"compaction.trigger_ratio": "0.6", "compaction.keep_last": "3"}); path != "~/c.settings.yaml" || err != nil {
		t.Fatal(path, err)
	}
	says("compaction:\n  keep_last: 3\n  trigger_ratio: 0.6\npermissions:\n  allow:\n  - read_file\n")
	if r := rowOf(t, h, "compaction.trigger_ratio"); r.Changed || r.From != "~/c.settings.yaml, line 4" {
		t.Errorf("once kept %+v", r)
	}
	if a.Settings.Cfg().Compaction.TriggerRatio != 0.6 {
		t.Error("the next conversation does not begin with it")
	}
	if err := os.WriteFile(a.Settings.Flags.Config, []byte("nonsense: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.KeepSettings(t.Context(), map[string]string{"ui.mouse": "false"}); err == nil || !strings.Contains(err.Error(), "~/c.yaml, line 1") {
		t.Errorf("a file with a mistake: %v", err)
	}
}
