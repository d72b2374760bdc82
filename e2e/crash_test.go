package e2e_test

import (
	"strings"
	"testing"

	"plimsoll/storage"
)

// A program that is killed during a reply loses nothing that was stored, and everything is stored within a second.

// store is the data directory, as another program sees it.
func (p *place) store() *storage.Store {
	p.t.Helper()
	s, err := storage.Open(p.data, storage.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			p.t.Error(err)
		}
	})
	return s
}

// newest is the ID of the newest conversation.
func (p *place) newest(s *storage.Store) string {
	p.t.Helper()
	id, err := s.Resolve(p.t.Context(), "", p.work)
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

// killInReply has the program killed when so much of a reply is on disk.
func (p *place) killInReply(s *server, part string) {
	p.t.Helper()
	term := p.talking(usual, s)
	term.say("tell me of ferries")
	term.see("Ferries cross")
	store := p.store()
	id := p.newest(store)
	// The spinner writes ten times a second, so that the condition is looked at.
	term.wait("partial reply on disk", func(screen) bool {
		kept, ok, err := store.Partial(p.t.Context(), id)
		if err != nil {
			p.t.Fatal(err)
		}
		return ok && strings.Contains(kept.Text+kept.Reasoning, part)
	})
	term.kill()
	term.end()
}

func TestKillInMidReplyLosesNothing(t *testing.T) {
	overWires(t, func(t *testing.T, speak protocol) {
		p := newPlace(t, nil)
		s := newServerOf(t, speak, func(w *wire) {
			w.reason("Of ferries, I suppose.")
			w.text("Ferries cross", " the **river**", " all day and")
			w.hang()
		}, says("Still here."), says("Still here."))
		p.killInReply(s, "all day and")

		term := p.start(usual, s.args("-c")...)
		term.idle("▌ tell me of ferries", "✻ thought", "Ferries cross the river all day and", "■ interrupted")
		term.wait("mode, since the lock of the killed program holds nobody up", func(s screen) bool {
			return strings.HasSuffix(s.row(-1), " ask") && !s.has("Read-only")
		})
		term.checkContinues()
		if sent := s.request(-1); !strings.Contains(sent, "tell me of ferries") || !strings.Contains(sent, "Ferries cross the **river** all day and") {
			t.Errorf("the next request does not carry the messages: %s", sent)
		}
		p.quits(term)
		if got := string(p.prints("print", "--request", "1")); got != s.request(0) {
			t.Errorf("the request of the interrupted reply is made again as %d bytes that are not the %d that were sent", len(got), len(s.request(0)))
		}

		// Once more: the interrupted reply is now an event like any other.
		term = p.start(usual, s.args("-c")...)
		if again := term.idle("▌ and now?", "Still here."); strings.Count(again.text, "interrupted") != 1 {
			t.Errorf("the interrupted reply is not there once:\n%s", again.text)
		}
		term.checkContinues()
	})
}

func TestKillWhileACommandRunsLeavesALogThatCanBeSent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, func(w *wire) {
		w.call(0, "c1", "run_command", object{"command": "echo begun; sleep 20"})
		w.end("tool_calls", 0, 0)
	}, says("Still here."))
	term := p.talking(usual, s)
	term.say("run it")
	term.asked("Allow this?", "sleep 20")
	term.typed("y")
	term.see("begun")
	term.say("and then this")
	store := p.store()
	id := p.newest(store)
	term.wait("waiting message on disk", func(screen) bool {
		texts, err := store.Waiting(p.t.Context(), id)
		if err != nil {
			p.t.Fatal(err)
		}
		return len(texts) == 1
	})
	term.kill()
	term.end()

	term = p.start(usual, s.args("-c")...)
	term.idle("▌ run it", "run", "│ and then this")
	term.send("\x15") // delete what came back
	term.checkContinues()
	if sent := s.request(-1); !strings.Contains(sent, chat.answers("c1")) || !strings.Contains(sent, "interrupted") {
		t.Errorf("the call is not answered: %s", sent)
	}
}
