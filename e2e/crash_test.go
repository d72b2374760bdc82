package e2e_test

import (
	"strings"
	"testing"

	"plimsoll/storage"
)

// A killed program loses nothing that was stored, and a reply is stored at least every second.

// openStore opens the data directory as another program does.
func (p *sandbox) openStore() *storage.Store {
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

func (p *sandbox) newestConversation(s *storage.Store) string {
	p.t.Helper()
	id, _, err := s.Newest(p.t.Context(), p.work)
	if err != nil {
		p.t.Fatal(err)
	}
	return id
}

// killInReply kills the program once the stored part of a reply contains a text.
func (p *sandbox) killInReply(s *server, part string) {
	p.t.Helper()
	term := p.startChat(defaultSize, s)
	term.sendMessage("tell me of ferries")
	term.awaitText("Ferries cross")
	store := p.openStore()
	id := p.newestConversation(store)
	// The spinner writes ten times a second, and each write checks the condition again.
	term.wait("partial reply on disk", func(screen) bool {
		kept, ok, err := store.Partial(p.t.Context(), id)
		if err != nil {
			p.t.Fatal(err)
		}
		return ok && strings.Contains(kept.Text+kept.Reasoning, part)
	})
	term.kill()
	term.awaitExit()
}

func TestKillDuringAReplyLosesNoStoredText(t *testing.T) {
	forEachProtocol(t, func(t *testing.T, proto protocol) {
		p := newSandbox(t, nil)
		s := newServerOf(t, proto, func(w *wire) {
			w.reasoning("Of ferries, I suppose.")
			w.text("Ferries cross", " the **river**", " all day and")
			w.hang()
		}, textReply("Still here."), textReply("Still here."))
		p.killInReply(s, "all day and")

		term := p.start(defaultSize, s.flags("-c")...)
		term.awaitIdle("▌ tell me of ferries", "✻ thought", "Ferries cross the river all day and", "■ interrupted")
		term.wait("mode, since the lock of the killed program holds nobody up", func(s screen) bool {
			return strings.HasSuffix(s.row(-1), " ask") && !s.has("Read-only")
		})
		term.checkContinues()
		if sent := s.request(-1); !strings.Contains(sent, "tell me of ferries") || !strings.Contains(sent, "Ferries cross the **river** all day and") {
			t.Errorf("the next request does not carry the messages: %s", sent)
		}
		p.quit(term)
		if got := string(p.output("print", "--request", "1")); got != s.request(0) {
			t.Errorf("the request of the interrupted reply is made again as %d bytes that are not the %d that were sent", len(got), len(s.request(0)))
		}

		// Open it again: the interrupted reply is now an event like any other.
		term = p.start(defaultSize, s.flags("-c")...)
		if again := term.awaitIdle("▌ and now?", "Still here."); strings.Count(again.text, "interrupted") != 1 {
			t.Errorf("the interrupted reply is not there once:\n%s", again.text)
		}
		term.checkContinues()
	})
}

func TestConversationContinuesAfterAKillDuringACommand(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, func(w *wire) {
		w.call(0, "c1", "run_command", object{"command": "echo be''gun; sleep 20"})
		w.end("tool_calls", 0, 0)
	}, textReply("Still here."))
	term := p.startChat(defaultSize, s)
	term.sendMessage("run it")
	term.awaitQuestion("Allow this?", "sleep 20")
	term.typeText("y")
	term.awaitText("begun")
	term.sendMessage("and then this")
	store := p.openStore()
	id := p.newestConversation(store)
	term.wait("waiting message on disk", func(screen) bool {
		texts, err := store.Waiting(p.t.Context(), id)
		if err != nil {
			p.t.Fatal(err)
		}
		return len(texts) == 1
	})
	term.kill()
	term.awaitExit()

	term = p.start(defaultSize, s.flags("-c")...)
	term.awaitIdle("▌ run it", "run", "│ and then this")
	term.send("\x15") // delete the restored draft
	term.checkContinues()
	if sent := s.request(-1); !strings.Contains(sent, chat.resultField("c1")) || !strings.Contains(sent, "interrupted") {
		t.Errorf("the call is not answered: %s", sent)
	}
}
