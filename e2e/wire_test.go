package e2e_test

import (
	"strings"
	"testing"
)

// What a server does well, on the screen: text as it streams, calls on real
// files, reasoning under both of its names, usage.

func TestShowsTextWhileItStreams(t *testing.T) {
	overWires(t, func(t *testing.T, speak protocol) {
		p := newPlace(t, nil)
		on := make(chan struct{})
		s := newServerOf(t, speak, func(w *wire) {
			w.text("The **first** half", " is here.")
			w.await(on)
			w.text(" And the second,", " with `code`.")
			w.end("stop", 0, 0)
		}, says("Still here."))
		term := p.start(usual, s.args()...)
		term.idle("Talking to custom/" + modelName)
		term.say("tell me")
		half := term.see("▌ tell me", "The first half is here.")
		if !half.busy() || half.has("second") {
			t.Errorf("in mid-reply the screen shows\n%s", half.text)
		}
		close(on)
		whole := term.idle("The first half is here. And the second, with")
		if whole.has("**") || whole.has("`") {
			t.Errorf("the Markdown is not rendered:\n%s", whole.text)
		}
		term.checkContinues()
		if sent := s.request(1); !strings.Contains(sent, "The **first** half is here. And the second") {
			t.Errorf("the next request does not carry the reply: %s", sent)
		}
	})
}

// checkContinues says something and expects the reply "Still here.".
func (t *terminal) checkContinues() {
	t.t.Helper()
	before := strings.Count(t.shown().text, "Still here.")
	t.say("and now?")
	t.wait("next reply", func(s screen) bool {
		return strings.Count(s.text, "Still here.") > before && !s.busy() && s.broken() == ""
	})
}

func TestRunsParallelCallsOnRealFiles(t *testing.T) {
	overWires(t, func(t *testing.T, speak protocol) {
		p := newPlace(t, map[string]string{"a.txt": "alpha\n", "sub/b.txt": "beta\n"})
		s := newServerOf(t, speak, func(w *wire) {
			w.text("I will look.")
			w.call(0, "c1", "read_file", object{"path": "a.txt"})
			w.call(1, "c2", "read_file", object{"path": "sub/b.txt"})
			w.call(2, "c3", "list_files", object{"path": "."})
			w.call(3, "c4", "read_file", object{"path": "missing.txt"})
			w.end("tool_calls", 0, 0)
		}, says("They say alpha and beta."), says("Still here."))
		term := p.talking(usual, s)
		term.say("what do they say?")
		shown := term.idle("They say alpha and beta.", "I will look.", "▸ read", "sub/b.txt", "▸ list", "· failed")
		if strings.Index(shown.text, "a.txt") > strings.Index(shown.text, "sub/b.txt") {
			t.Errorf("the calls are not in their order:\n%s", shown.text)
		}
		sent := s.request(1)
		for _, want := range []string{"alpha", "beta", "sub/", speak.answers("c4")} {
			if !strings.Contains(sent, want) {
				t.Errorf("the results do not hold %q: %s", want, sent)
			}
		}
		term.checkContinues()
	})
}

func TestShowsReasoningUnderBothNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	answer := make(chan struct{}, 1)
	thinks := func(field, about string) reply {
		return func(w *wire) {
			w.other(field, "Let me think about "+about+". ")
			w.other(field, "They float.")
			w.await(answer)
			w.text("They float: " + about + ".")
			w.end("stop", 0, 0)
		}
	}
	term := p.talking(usual, newServer(t, thinks("reasoning_content", "ferries"), thinks("reasoning", "barges"), says("Still here.")))
	for _, about := range []string{"ferries", "barges"} {
		term.say("why?")
		term.see("✻", "Let me think about "+about+". They float.")
		answer <- struct{}{}
		if shown := term.idle("✻ thought", "They float: "+about+"."); shown.has("think about " + about) {
			t.Errorf("the reasoning does not fold:\n%s", shown.text)
		}
	}
	term.key("ctrl+o")
	term.see("Let me think about barges. They float.", "They float: barges.")
	term.checkContinues()
}

func TestUsageReplacesTheEstimate(t *testing.T) {
	overWires(t, func(t *testing.T, speak protocol) {
		p := newPlace(t, nil)
		hold := make(chan struct{})
		s := newServerOf(t, speak, func(w *wire) {
			w.text("Counted.")
			w.await(hold)
			w.end("stop", 7900, 100)
		}, says("Still here."))
		term := p.start(usual, s.args()...)
		term.wait("estimate", func(s screen) bool { return strings.HasPrefix(s.used(), "~") })
		term.say("count")
		if during := term.see("Counted."); !strings.HasPrefix(during.used(), "~") {
			t.Errorf("before the report the gauge says %q", during.used())
		}
		close(hold)
		term.wait("reported 50%", func(s screen) bool { return s.used() == "50%" && s.has(" 8k/16k") })
		term.typed("a draft")
		term.see("50%", "→ ~50%")
		term.key("ctrl+c")
		term.checkContinues()
	})
}
