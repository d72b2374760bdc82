package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/cli/console"
	"plimsoll/cli/screen"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// queuedAfter queues the message "two" during the turn of "one", leaves the conversation, and returns the stored queue.
func queuedAfter(t *testing.T, leave func(*app, *screen.Host)) []string {
	t.Helper()
	a := bareApp(t)
	defer a.Resources.Close()
	conn := setup.Connection{Provider: agenttest.NewProvider(agenttest.WaitAtGate(agenttest.NewGate())), Model: llm.Model{Provider: "test", ID: "m"}}
	h := openHost(t, a, conn, "")
	defer h.Close()
	running := h.Running
	running.Agent.Send("one")
	await(t, running.Agent.Updates(), func(u updates.Update) bool { _, ok := u.(updates.Appended); return ok })
	running.Agent.Send("two")
	await(t, running.Agent.Updates(), func(u updates.Update) bool { q, ok := u.(updates.Queued); return ok && len(q.Texts) == 1 })
	leave(a, h)
	texts, err := a.Resources.Store.Waiting(t.Context(), running.ID)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// bareApp is an app in new folders, configured only by set.
func bareApp(t *testing.T, set ...string) *app {
	t.Helper()
	dir := t.TempDir()
	home := map[string]string{"HOME": dir}
	lookup := func(name string) (string, bool) { value, ok := home[name]; return value, ok }
	a := newApp(console.Env{Dir: dir, Lookup: lookup}, setup.Flags{Data: t.TempDir(), Set: set})
	if err := a.Settings.Configure(); err != nil {
		t.Fatal(err)
	}
	return a
}

// A window learned in a conversation is used in the next one, but does not override the user's setting.
func TestTheNextConversationUsesALearnedWindow(t *testing.T) {
	t.Parallel()
	for source, want := range map[meter.WindowSource]meter.Window{
		meter.WindowCatalogue: {Tokens: 4096, Source: meter.WindowLearned},
		meter.WindowConfig:    {Tokens: 9000, Source: meter.WindowConfig},
		meter.WindowFlag:      {Tokens: 9000, Source: meter.WindowFlag},
	} {
		a := bareApp(t)
		defer a.Resources.Close()
		m := llm.Model{Provider: "test", ID: "m", CalibrationKey: "http://test m", Window: meter.Window{Tokens: 9000, Source: source}}
		h := openHost(t, a, setup.Connection{Provider: agenttest.NewProvider(), Model: m}, "")
		defer h.Close()
		learned := conversation.Calibration{Factor: 2, Samples: 5, Window: 4096}
		if err := a.Resources.Store.SaveCalibration(t.Context(), m.CalibrationKey, learned); err != nil {
			t.Fatal(err)
		}
		talk, err := h.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if talk.Model.Calibration != learned || talk.Model.Window != want {
			t.Errorf("%s: knows %+v, window %+v; want %+v", source, talk.Model.Calibration, talk.Model.Window, want)
		}
	}
}

// storeWithModel stores a conversation with a model at an address, and returns its ID.
func storeWithModel(t *testing.T, a *app, id, model, base string) string {
	t.Helper()
	provider, name, _ := strings.Cut(model, "/")
	storeBodies(t, a, id, conversation.ModelChanged{Provider: provider, Model: name, BaseURL: base}, conversation.UserMessage{Text: "hello"})
	return id
}

// listingServer returns the base URL of a server that lists a model and answers nothing else.
func listingServer(t *testing.T, id string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, id)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

// hostWithModelAt returns a host whose open conversation uses test/m at an address.
func hostWithModelAt(t *testing.T, a *app, base string) *screen.Host {
	t.Helper()
	return openHost(t, a, setup.Connection{Provider: agenttest.NewProvider(), Model: llm.Model{Provider: "test", ID: "m", BaseURL: base}}, "")
}

func TestResumingUsesTheModelOfTheConversation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ flag, want string }{
		"its own":           {"", "mine/big"},
		"the one asked for": {"mine/other", "test/m"},
	} {
		a := bareApp(t, "providers.mine.base_url="+listingServer(t, "big"))
		defer a.Resources.Close()
		a.Settings.Flags.Model = c.flag
		id := storeWithModel(t, a, "abcdefgh2345", "mine/big", "")
		h := hostWithModelAt(t, a, "http://127.0.0.1:1/v1")
		defer h.Close()
		talk, err := h.Resume(t.Context(), id)
		if err != nil || talk.Model.Name() != c.want {
			t.Errorf("%s: %s, %v; want %s", name, talk.Model.Name(), err, c.want)
		}
	}
}

func TestAFlagDoesNotSendAResumedConversationToAnotherHost(t *testing.T) {
	t.Parallel()
	const one, other = "https://one.example.org/v1", "https://other.example.org/v1"
	for name, c := range map[string]struct{ held, base, want string }{
		"at another host":  {"far/big", other, "far/big"},
		"at the same host": {"mine/big", one, "test/m"},
	} {
		a := bareApp(t, "providers.far.base_url="+other, "providers.mine.base_url="+one)
		defer a.Resources.Close()
		a.Settings.Flags.Model = "mine/m"
		id := storeWithModel(t, a, "abcdefgh2345", c.held, c.base)
		h := hostWithModelAt(t, a, one)
		defer h.Close()
		talk, err := h.Resume(t.Context(), id)
		if err != nil || talk.Model.Name() != c.want {
			t.Errorf("%s: %s, %v; want %s", name, talk.Model.Name(), err, c.want)
		}
	}
}

// Consent for the model in use or for the flags of the run does not cover another conversation.
func TestResumingAsksBeforeAConversationIsSentToAnotherHost(t *testing.T) {
	t.Parallel()
	for name, flag := range map[string]string{"its provider is gone": "", "gone, and a hosted flag": "openai/gpt-5.4"} {
		a := bareApp(t)
		defer a.Resources.Close()
		a.Settings.Flags.Model = flag
		id := storeWithModel(t, a, "abcdefgh2345", "mine/big", "http://127.0.0.1:1/v1")
		h := hostWithModelAt(t, a, "https://api.example.org/v1")
		defer h.Close()
		before := h.Running.ID
		_, err := h.Resume(t.Context(), id)
		var consent *tui.Consent
		if !errors.As(err, &consent) {
			t.Errorf("%s: no question: %v", name, err)
			continue
		}
		for _, part := range []string{"mine/big", "test/m", "api.example.org"} {
			if !strings.Contains(consent.Question, part) {
				t.Errorf("%s: the question %q does not name %s", name, consent.Question, part)
			}
		}
		if h.Running.ID != before {
			t.Errorf("%s: the open conversation was left before the answer", name)
		}
		talk, err := consent.Open(t.Context())
		if err != nil || talk.ID != id || talk.Model.Name() != "test/m" {
			t.Errorf("%s: after a yes %s is open with %s, %v", name, talk.ID, talk.Model.Name(), err)
		}
	}
}

func TestSwitchingALocalConversationToAHostedModelAsks(t *testing.T) {
	t.Parallel()
	local, hosted := listingServer(t, "big"), "https://api.example.org/v1"
	for name, c := range map[string]struct {
		held, base, to string
		asks           bool
	}{
		"local to hosted":  {"mine/big", local, "far/model", true},
		"local to local":   {"mine/big", local, "near/big", false},
		"hosted to hosted": {"far/model", hosted, "far/other", false},
		"old log, unknown": {"custom/big", "", "far/model", true},
	} {
		a := bareApp(t, "providers.far.base_url="+hosted, "providers.near.base_url="+local, "providers.mine.base_url="+local)
		defer a.Resources.Close()
		id := storeWithModel(t, a, "abcdefgh2345", c.held, c.base)
		conn := setup.Connection{Provider: agenttest.NewProvider(), Model: llm.Model{Provider: "test", ID: "m", BaseURL: local}}
		running, err := a.Agents.Start(t.Context(), conn, session.OpenOptions{ID: id, Interactive: true})
		if err != nil {
			t.Fatal(err)
		}
		h := screen.NewHost(a.Agents, screen.ChatOptions{})
		defer h.Close()
		h.Running = running
		err = h.SwitchModel(t.Context(), c.to)
		var consent *tui.Consent
		if errors.As(err, &consent) != c.asks || !c.asks && err != nil {
			t.Errorf("%s: %v; asks: want %v", name, err, c.asks)
			continue
		}
		if !c.asks {
			continue
		}
		if running.Connection.Model.Name() != "test/m" {
			t.Errorf("%s: switched before the answer", name)
		}
		if !strings.Contains(consent.Question, c.held) || !strings.Contains(consent.Question, c.to) {
			t.Errorf("%s: the question %q does not name both", name, consent.Question)
		}
		if err := consent.Switch(t.Context()); err != nil || running.Connection.Model.Name() != c.to {
			t.Errorf("%s: after a yes %s, %v", name, running.Connection.Model.Name(), err)
		}
	}
}

// A bare name is a model of the server in use before it is one of another provider.
func TestAModelOfTheServerInUseNeedsNoPrefix(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.Resources.Close()
	base := listingServer(t, "gpt-5.4") // openai has a model of this name in the catalogue
	conn, err := a.Models.Connect(t.Context(), setup.Choice{Provider: setup.ProviderCustom, Model: "first", BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gpt-5.4", "custom/gpt-5.4"} {
		c, err := screen.NewHost(a.Agents, screen.ChatOptions{}).ResolveModel(t.Context(), conn, name)
		if want := (setup.Choice{Provider: setup.ProviderCustom, Model: "gpt-5.4", BaseURL: base}); err != nil || c != want {
			t.Errorf("%s: %+v, %v; want %+v", name, c, err, want)
		}
	}
}

// source is a source of updates.
type source interface {
	Take(ctx context.Context) ([]updates.Update, error)
}

// await takes updates until wanted is true for one.
func await(t *testing.T, from source, wanted func(updates.Update) bool) {
	t.Helper()
	for {
		list, err := from.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			if wanted(u) {
				return
			}
		}
	}
}

func TestQueuedMessagesAreStoredWhenTheScreenCloses(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff([]string{"two"}, queuedAfter(t, func(_ *app, h *screen.Host) { h.Close() })); d != "" {
		t.Error(d)
	}
}

func TestMessagesReturnedToTheComposerAreNotStoredAsQueued(t *testing.T) {
	t.Parallel()
	left := queuedAfter(t, func(_ *app, h *screen.Host) {
		if talk, err := h.New(t.Context()); err != nil || talk.ID == "" {
			t.Error(errors.Join(err, errors.New("no other conversation was opened")))
		}
	})
	if left != nil {
		t.Errorf("%q would be returned a second time", left)
	}
}

func TestAskKeepsQueuedMessages(t *testing.T) {
	t.Parallel()
	left := queuedAfter(t, func(a *app, h *screen.Host) {
		id := h.Running.ID
		h.Close()
		conn := setup.Connection{Provider: agenttest.NewProvider(agenttest.Reply{}), Model: llm.Model{Provider: "test", ID: "m"}}
		running, err := a.Agents.Start(t.Context(), conn, session.OpenOptions{ID: id})
		if err != nil {
			t.Error(err)
			return
		}
		running.Agent.Send("three")
		await(t, running.Agent.Updates(), func(u updates.Update) bool { s, ok := u.(updates.Status); return ok && s.Phase == updates.Idle })
		if err := running.Close(); err != nil {
			t.Error(err)
		}
	})
	if d := cmp.Diff([]string{"two"}, left); d != "" {
		t.Error(d)
	}
}
