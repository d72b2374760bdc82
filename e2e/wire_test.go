package e2e_test

import (
	"strings"
	"testing"
)

// Working replies on the screen: streamed text, calls on real files, reasoning in both of its fields, usage.

func TestShowsTextWhileItStreams(t *testing.T) {
	forEachProtocol(t, func(t *testing.T, proto protocol) {
		p := newSandbox(t, nil)
		on := make(chan struct{})
		s := newServerOf(t, proto, func(w *wire) {
			w.text("The **first** half", " is here.")
			w.awaitGate(on)
			w.text(" And the second,", " with `code`.")
			w.end("stop", 0, 0)
		}, textReply("Still here."))
		term := p.start(defaultSize, s.flags()...)
		term.awaitIdle("Talking to custom/" + modelName)
		term.sendMessage("tell me")
		half := term.awaitText("▌ tell me", "The first half is here.")
		if !half.busy() || half.has("second") {
			t.Errorf("in mid-reply the screen shows\n%s", half.text)
		}
		close(on)
		whole := term.awaitIdle("The first half is here. And the second, with")
		if whole.has("**") || whole.has("`") {
			t.Errorf("the Markdown is not rendered:\n%s", whole.text)
		}
		term.checkContinues()
		if sent := s.request(1); !strings.Contains(sent, "The **first** half is here. And the second") {
			t.Errorf("the next request does not carry the reply: %s", sent)
		}
	})
}

// checkContinues sends a message and expects the reply "Still here.".
func (t *terminal) checkContinues() {
	t.t.Helper()
	before := strings.Count(t.shown().text, "Still here.")
	t.sendMessage("and now?")
	t.wait("next reply", func(s screen) bool {
		return strings.Count(s.text, "Still here.") > before && !s.busy() && s.frameFault() == ""
	})
}

func TestRunsParallelCallsOnRealFiles(t *testing.T) {
	forEachProtocol(t, func(t *testing.T, proto protocol) {
		p := newSandbox(t, map[string]string{"a.txt": "alpha\n", "sub/b.txt": "beta\n"})
		s := newServerOf(t, proto, func(w *wire) {
			w.text("I will look.")
			w.call(0, "c1", "read_file", object{"path": "a.txt"})
			w.call(1, "c2", "read_file", object{"path": "sub/b.txt"})
			w.call(2, "c3", "list_files", object{"path": "."})
			w.call(3, "c4", "read_file", object{"path": "missing.txt"})
			w.end("tool_calls", 0, 0)
		}, textReply("They say alpha and beta."), textReply("Still here."))
		term := p.startChat(defaultSize, s)
		term.sendMessage("what do they say?")
		shown := term.awaitIdle("They say alpha and beta.", "I will look.", "▸ explored 2 files, 1 folder · a.txt, b.txt", "· failed")
		if strings.Index(shown.text, "a.txt") > strings.Index(shown.text, "missing.txt") {
			t.Errorf("the calls are not in their order:\n%s", shown.text)
		}
		sent := s.request(1)
		for _, want := range []string{"alpha", "beta", "sub/", proto.resultField("c4")} {
			if !strings.Contains(sent, want) {
				t.Errorf("the results do not hold %q: %s", want, sent)
			}
		}
		term.checkContinues()
	})
}

func TestShowsReasoningUnderBothNames(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	answer := make(chan struct{}, 1)
	thinks := func(field, about string) reply {
		return func(w *wire) {
			w.field(field, "Let me think about "+about+". ")
			w.field(field, "They float.")
			w.awaitGate(answer)
			w.text("They float: " + about + ".")
			w.end("stop", 0, 0)
		}
	}
	term := p.startChat(defaultSize, newServer(t, thinks("reasoning_content", "ferries"), thinks("reasoning", "barges"), textReply("Still here.")))
	for _, about := range []string{"ferries", "barges"} {
		term.sendMessage("why?")
		term.awaitText("✻", "Let me think about "+about+". They float.")
		answer <- struct{}{}
		if shown := term.awaitIdle("✻ thought", "They float: "+about+"."); shown.has("think about " + about) {
			t.Errorf("the reasoning does not fold:\n%s", shown.text)
		}
	}
	term.press("ctrl+o")
	term.awaitText("Let me think about barges. They float.", "They float: barges.")
	term.checkContinues()
}

func TestUsageReplacesTheEstimate(t *testing.T) {
	forEachProtocol(t, func(t *testing.T, proto protocol) {
		p := newSandbox(t, nil)
		hold := make(chan struct{})
		s := newServerOf(t, proto, func(w *wire) {
			w.text("Counted.")
			w.awaitGate(hold)
			w.end("stop", 7900, 100)
		}, textReply("Still here."))
		term := p.start(defaultSize, s.flags()...)
		term.wait("estimate", func(s screen) bool { return strings.HasPrefix(s.gaugeShare(), "~") })
		term.sendMessage("count")
		if during := term.awaitText("Counted."); !strings.HasPrefix(during.gaugeShare(), "~") {
			t.Errorf("before the report the gauge shows %q", during.gaugeShare())
		}
		close(hold)
		term.wait("reported 50%", func(s screen) bool { return s.gaugeShare() == "50%" && s.has(" 8k of 16k") })
		term.typeText("a draft")
		term.awaitText("50%", "→ ~50%")
		term.press("ctrl+c")
		term.checkContinues()
	})
}
