package tui_test

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/llm"
	"plimsoll/tui"
	"plimsoll/tui/dialog"
	"plimsoll/tui/tuitest"
)

const pastedKey = "sk-ant-0123456789-abcdefghijklmnop"

// withProviders opens a screen with three providers: a running server, one with a key in the environment, and one without a key.
func withProviders(r *rig, _ *tui.Options) {
	r.providers = []tui.Provider{
		{Name: "ollama", Label: "Ollama", Note: "answers at 127.0.0.1:11434", Ready: true},
		{Name: "openai", Label: "OpenAI", Note: "key in OPENAI_API_KEY", Ready: true, Keyed: true, Variable: "OPENAI_API_KEY"},
		{Name: "anthropic", Label: "Anthropic", Note: "no key yet", Keyed: true, KeyPage: "https://keys.example"},
	}
	r.models = []tui.ModelChoice{{Name: "anthropic/first", Window: 200_000, Input: new(3.0), Output: new(15.0)}, {Name: "anthropic/second"}, {Name: "ollama/first"}}
}

func (r *rig) pasteKey() {
	r.send(tea.PasteMsg{Content: pastedKey})
	r.press("enter")
}

// wantKeyHidden checks that the key is neither on screen nor in the calls.
func (r *rig) wantKeyHidden() {
	r.t.Helper()
	r.wantNoText("sk-ant", "0123456789")
	if calls := strings.Join(r.calls, "\n"); strings.Contains(calls, "sk-ant") {
		r.t.Errorf("the ports were asked %s", calls)
	}
}

func TestAStoredKeyOpensTheListOfModels(t *testing.T) {
	screen(t, withProviders, func(r *rig) {
		r.submit("/connect")
		r.wantText("  ollama     answers at 127.0.0.1:11434", "❯ openai ✓", "other")
		r.press("down", "enter")
		r.wantText("Connect anthropic", "Paste your key for Anthropic", "Keys are made at https://keys.example")
		r.send(tea.PasteMsg{Content: pastedKey})
		r.wantText("34 characters, ends in mnop")
		r.wantKeyHidden()
		r.press("enter")
		r.wantText("Connect anthropic: choose a model", "The key works. It is stored in the keyring.", "window   in $/M", "❯ anthropic/first", "200k")
		r.wantKeyHidden()
		r.press("down", "enter")
		r.wantCalls("providers", "connect anthropic hidden 34", "models", "switch anthropic/second")
		r.wantNoText("Connect")
	})
}

func TestAKeyThatIsRefusedCanBeEnteredAgain(t *testing.T) {
	screen(t, withProviders, func(r *rig) {
		r.typeText("my draft")
		r.press("ctrl+p")
		r.typeText("connect")
		r.press("enter", "down", "enter")
		r.failing["connect"] = errors.New("Anthropic does not accept the key; nothing was stored")
		r.pasteKey()
		r.wantText("does not accept the key; nothing was stored", "ends in mnop")
		r.wantKeyHidden()
		delete(r.failing, "connect")
		r.pasteKey()
		r.wantText("The key works.", "my draft")
		r.press("esc")
		r.wantNoText("Connect")
		if got := r.draft(); got != "my draft" {
			t.Errorf("the draft is %q", got)
		}
	})
}

// A user who continues typing still sees where the key is stored, or what failed.
func TestAStoredKeyIsReportedWhileTheUserTypes(t *testing.T) {
	for want, err := range map[string]error{"The key works. It is stored in the keyring. /model lists": nil, "no answer": errors.New("no answer")} {
		screenOf(t, want, withProviders, func(r *rig) {
			r.submit("/connect anthropic")
			r.portGate, r.failing["models"] = make(chan struct{}), err
			r.pasteKey()
			r.wantText("The key works. It is stored in the keyring.")
			r.typeText("x")
			close(r.portGate)
			r.settle()
			r.wantText(want, "│ x")
		})
	}
}

func TestClosingTheDialogCancelsTheKeyCheck(t *testing.T) {
	for _, key := range []string{"esc", "ctrl+c"} {
		screenOf(t, key, func(r *rig, o *tui.Options) { withProviders(r, o); r.connectGate = make(chan struct{}) }, func(r *rig) {
			r.submit("/connect anthropic")
			r.pasteKey()
			r.wantText("trying the key…")
			r.press(key)
			r.wantNoText("trying the key…", "The key works")
			r.wantKeyHidden()
		})
	}
	screenOf(t, "too late", func(r *rig, o *tui.Options) { withProviders(r, o); r.connectGate = make(chan struct{}) }, func(r *rig) {
		r.submit("/connect anthropic")
		r.pasteKey()
		close(r.connectGate)
		r.handle(tuitest.Key("esc")) // in the same moment
		r.settle()
		if r.row("The key works") < 0 && r.row("the key for anthropic was stored in the keyring") < 0 {
			t.Errorf("no line says that the key was stored:\n%s", r.text())
		}
	})
}

func TestAStoredKeyIsRemovedAfterConfirmation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.providers = []tui.Provider{{Name: "anthropic", Label: "Anthropic", Note: "key stored in the keyring", Ready: true, Keyed: true, Stored: true}}
	}, func(r *rig) {
		r.submit("/connect anthropic")
		r.press("down", "down", "enter")
		r.wantText("Remove the key that is stored for anthropic?")
		r.wait(2 * dialog.ReadingTime)
		r.press("n")
		r.wantCalls("providers")
		r.submit("/connect anthropic")
		r.press("down", "down", "enter")
		r.wait(2 * dialog.ReadingTime)
		r.press("y")
		r.wantCalls("providers", "disconnect anthropic")
		r.wantText("The stored key for anthropic is removed.")
	})
}

func TestEnterOnTheWelcomeConnectsAModel(t *testing.T) {
	screenOf(t, "with the demo model", func(r *rig, o *tui.Options) { withProviders(r, o); r.first.Model = demoModel() }, func(r *rig) {
		r.wantText("Connect a real model: enter")
		r.press("enter")
		r.wantText("Connect: choose a provider")
	})
	screenOf(t, "with a model whose key is missing", func(r *rig, o *tui.Options) {
		withProviders(r, o)
		r.first.Model = llm.Model{Provider: "anthropic", ID: "first"}
		r.first.Keyless = "anthropic"
	}, func(r *rig) {
		r.wantText("There is no key for anthropic yet.", "enter stores one")
		r.press("enter")
		r.wantText("Paste your key for Anthropic")
		r.pasteKey()
		r.press("esc", "esc", "esc")
		r.wantText("Talking to anthropic/first.")
	})
	screenOf(t, "where nothing could be opened", func(r *rig, o *tui.Options) {
		withProviders(r, o)
		r.failing["open"] = errors.New("no connection to 127.0.0.1:11434")
	}, func(r *rig) {
		r.wantText("enter connects a model")
		r.press("enter", "enter", "enter")
		r.wantCalls("providers", "models", "new with model ollama/first")
	})
	screenOf(t, "not beside a model", withProviders, func(r *rig) {
		r.press("enter")
		r.wantNoText("Connect")
	})
}

// A key typed after the command is not used, and not offered again.
func TestAKeyTypedAfterTheCommandIsDropped(t *testing.T) {
	screen(t, withProviders, func(r *rig) {
		r.submit("/connect anthropic " + pastedKey)
		r.wantText("Paste your key for Anthropic", "paste it here")
		r.wantKeyHidden()
		r.press("esc", "esc", "up")
		r.wantKeyHidden()
		r.wantCalls("providers")
	})
}
