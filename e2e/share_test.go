package e2e_test

import (
	"strings"
	"testing"
)

// Two programs on one data directory: the one that comes second reads, and may
// go on with a copy.

func TestSecondProgramReadsAndForks(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, says("The first answer."), says("Still here."), says("Still here."), says("Still here."))
	first := p.talking(usual, s)
	first.say("first question")
	first.idle("The first answer.")

	second := p.start(usual, s.args("-c")...)
	second.idle("▌ first question", "The first answer.", "Read-only", "/fork to continue in a copy")
	second.typed("may I?")
	second.key("enter")
	second.wait("refusal above what the hints say", func(s screen) bool {
		return s.has("│ may I?") && strings.Count(s.text, "/fork to continue in a copy") == 2
	})
	if s.count() != 1 {
		t.Errorf("a message of the meantime was sent")
	}
	second.key("ctrl+c")
	second.see("A draft stays here.")
	second.typed("/fork")
	second.key("enter")
	second.wait("copy", func(s screen) bool { return s.has("The first answer.") && !s.has("Read-only") })
	second.goesOn()
	if sent := s.request(-1); !strings.Contains(sent, "The first answer.") {
		t.Errorf("the copy does not carry the conversation: %s", sent)
	}
	first.goesOn()
	p.quits(first)
	p.quits(second)
	store := p.store()
	if id, other := resumeLine(first), resumeLine(second); id == other || id == "" || other == "" {
		t.Errorf("the copy has the ID %q, the original %q", other, id)
	}
	findings, err := store.Check(t.Context(), nil)
	if err != nil || len(findings) > 0 {
		t.Errorf("doctor finds %v, %v", findings, err)
	}
}

// resumeLine is the ID that a program named when it was left, "" if none.
func resumeLine(term *terminal) string {
	_, id, _ := strings.Cut(term.written(), "plimsoll -r ")
	if fields := strings.Fields(id); len(fields) > 0 {
		return fields[0]
	}
	return ""
}
