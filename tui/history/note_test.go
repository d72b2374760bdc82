package history_test

import (
	"strings"
	"testing"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// newRigWithNote returns a history in which a note replaces the first of two turns.
func newRigWithNote(t *testing.T) (r *rig, epoch uint64) {
	t.Helper()
	r = newRig(t, 120, 40)
	r.add(conversation.UserMessage{Text: "read it, and never touch go.mod"})
	r.call("read_file", `{"path":"upload_test.go"}`, strings.Repeat(testFile, 9), conversation.ResultOK)
	r.add(conversation.AssistantMessage{Text: "Both share a port.", Stop: conversation.StopEnd})
	last := uint64(r.log.Len())
	r.add(conversation.UserMessage{Text: "mend it"})
	r.add(conversation.AssistantMessage{Text: "Done.", Stop: conversation.StopEnd})
	note := conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion, Spans: []conversation.Span{{First: 1, Last: last}},
		Appendix: "## Note on turn 0 (e1-e5)\n\n### What was done\n- t0: asked “read it”; read_file ×1\n\n### Names in tool results, by event\ne4: upload_test.go"}
	epoch = r.compact("turn 0, 4 messages evicted, note", note)
	r.showLog()
	return r, epoch
}

func TestEvictedRowsNameTheNote(t *testing.T) {
	t.Parallel()
	r, epoch := newRigWithNote(t)
	r.moveTo(1)
	wantTexts(t, r.screen(), "evicted; a note stands for turn 1", "Note on turn 0 (e1-e5)")
	if screen := r.screen(); strings.Contains(screen, "summar") {
		t.Errorf("the note is called a summary:\n%s", screen)
	}
	r.moveTo(4)
	wantTexts(t, r.screen(), "part of the note above")
	r.moveTo(epoch)
	r.press("enter")
	wantTexts(t, r.screen(), "note by the program, without a model", "What was done", "set off by load line")
	r.moveTo(1)
	r.press("tab", "tab")
	wantTexts(t, r.screen(), "▌ note")
}
