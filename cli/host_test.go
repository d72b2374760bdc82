package cli

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent"
	"plimsoll/agent/agenttest"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/storage"
	"plimsoll/tui"
)

// waitedIn opens a conversation in which "two" waits for the turn of "one",
// leaves it, and returns what is stored to come back.
func waitedIn(t *testing.T, leave func(*host)) []string {
	t.Helper()
	a := bareApp(t)
	defer a.close()
	l := link{provider: agenttest.NewProvider(agenttest.Hold(agenttest.NewGate())), model: agent.Model{Provider: "test", ID: "m"}}
	r, err := a.openRunning(t.Context(), l, openOptions{interactive: true})
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(a, chatOptions{})
	defer h.close()
	h.running = r
	r.agent.Send("one")
	await(t, r.agent.Updates(), func(u agent.Update) bool { _, ok := u.(agent.Appended); return ok })
	r.agent.Send("two")
	await(t, r.agent.Updates(), func(u agent.Update) bool { q, ok := u.(agent.Queued); return ok && len(q.Texts) == 1 })
	leave(h)
	texts, err := a.store.Waiting(t.Context(), r.id)
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// bareApp is an app in folders of its own, with no configuration but set.
func bareApp(t *testing.T, set ...string) *app {
	t.Helper()
	dir := t.TempDir()
	home := map[string]string{"HOME": dir}
	lookup := func(name string) (string, bool) { value, ok := home[name]; return value, ok }
	a := &app{flags: flags{data: t.TempDir(), set: set}, env: Env{Dir: dir, Lookup: lookup}}
	if err := a.configure(); err != nil {
		t.Fatal(err)
	}
	return a
}

// What a conversation taught about the model holds for the next one, but not
// against what the user says of the window.
func TestTheNextConversationKnowsWhatWasLearned(t *testing.T) {
	t.Parallel()
	for source, want := range map[compact.WindowSource]compact.Window{
		compact.WindowCatalogue: {Tokens: 4096, Source: compact.WindowLearned},
		compact.WindowConfig:    {Tokens: 9000, Source: compact.WindowConfig},
		compact.WindowFlag:      {Tokens: 9000, Source: compact.WindowFlag},
	} {
		a := bareApp(t)
		defer a.close()
		m := agent.Model{Provider: "test", ID: "m", CalibrationKey: "http://test m", Window: compact.Window{Tokens: 9000, Source: source}}
		r, err := a.openRunning(t.Context(), link{provider: agenttest.NewProvider(), model: m}, openOptions{interactive: true})
		if err != nil {
			t.Fatal(err)
		}
		h := newHost(a, chatOptions{})
		defer h.close()
		h.running = r
		learned := conversation.Calibration{Factor: 2, Samples: 5, Window: 4096}
		if err := a.store.SaveCalibration(t.Context(), m.CalibrationKey, learned); err != nil {
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

func TestResumingGoesOnWithTheModelTheConversationWasHeldWith(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ flag, want string }{
		"its own":           {"", "mine/big"},
		"the one asked for": {"mine/other", "test/m"},
	} {
		a := bareApp(t, "providers.mine.base_url=http://127.0.0.1:1/v1")
		defer a.close()
		a.flags.model = c.flag
		store, err := a.open()
		if err != nil {
			t.Fatal(err)
		}
		w, err := store.Create(t.Context(), storage.NewConversation{ID: "abcdefgh2345", Workspace: a.workspace})
		if err != nil {
			t.Fatal(err)
		}
		var l conversation.Log
		held := l.Prepare(time.Unix(0, 0), conversation.ModelChanged{Provider: "mine", Model: "big"}, conversation.UserMessage{Text: "hello"})
		if err := errors.Join(w.Append(t.Context(), held), w.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := a.openRunning(t.Context(), link{provider: agenttest.NewProvider(), model: agent.Model{Provider: "test", ID: "m"}}, openOptions{interactive: true})
		if err != nil {
			t.Fatal(err)
		}
		h := newHost(a, chatOptions{})
		defer h.close()
		h.running = r
		talk, err := h.Resume(t.Context(), "abcdefgh2345")
		if err != nil || talk.Model.Name() != c.want {
			t.Errorf("%s: %s, %v; want %s", name, talk.Model.Name(), err, c.want)
		}
	}
}

// await takes updates until one is as wanted.
func await(t *testing.T, updates tui.Updates, wanted func(agent.Update) bool) {
	t.Helper()
	for {
		list, err := updates.Take(t.Context())
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

func TestWhatWaitsIsKeptWhenTheScreenIsLeft(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff([]string{"two"}, waitedIn(t, (*host).close)); d != "" {
		t.Error(d)
	}
}

func TestWhatComesBackToTheComposerIsNotKeptAsWell(t *testing.T) {
	t.Parallel()
	left := waitedIn(t, func(h *host) {
		if talk, err := h.New(t.Context()); err != nil || talk.ID == "" {
			t.Error(errors.Join(err, errors.New("no other conversation was opened")))
		}
	})
	if left != nil {
		t.Errorf("%q would come back a second time", left)
	}
}

func TestAskForgetsNothingThatWaits(t *testing.T) {
	t.Parallel()
	left := waitedIn(t, func(h *host) {
		id := h.running.id
		h.close()
		l := link{provider: agenttest.NewProvider(agenttest.Reply{}), model: agent.Model{Provider: "test", ID: "m"}}
		r, err := h.app.openRunning(t.Context(), l, openOptions{id: id})
		if err != nil {
			t.Error(err)
			return
		}
		r.agent.Send("three")
		await(t, r.agent.Updates(), func(u agent.Update) bool { s, ok := u.(agent.Status); return ok && s.Phase == agent.Idle })
		if err := r.close(); err != nil {
			t.Error(err)
		}
	})
	if d := cmp.Diff([]string{"two"}, left); d != "" {
		t.Error(d)
	}
}
