package agent_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// editUpdates returns the updates about pins, masks and restored turns.
func (r *rig) editUpdates() []updates.Edited { return agenttest.UpdatesOf[updates.Edited](r.watch) }

// messageFor returns the message that the view of the stored log has for an event.
func (r *rig) messageFor(seq uint64) (shown projection.Message) {
	for _, m := range projection.Project(r.memory.Events()).Messages {
		if slices.Contains(m.Events, seq) {
			shown = m
		}
	}
	return shown
}

// checkManualOverlay checks the newest overlay and the update about it.
func (r *rig) checkManualOverlay(what updates.Edit, kind conversation.Kind) conversation.Event {
	r.t.Helper()
	all, told := r.overlays(), r.editUpdates()
	if len(all) == 0 || len(told) == 0 {
		r.t.Fatalf("%d overlays, edit updates %+v; want one of each", len(all), told)
	}
	o, s := all[len(all)-1], told[len(told)-1]
	made, _ := conversation.OriginOf(o.Body)
	if s.What != what || s.Err != nil || o.Body.Kind() != kind {
		r.t.Fatalf("e%d is a %s, the edit update %+v", o.Seq, o.Body.Kind(), s)
	}
	if made.Epoch != o.Seq || made.Source != conversation.SourceManual || made.Trigger != "command" || made.Preset != string(preset.Plimsoll) ||
		made.Before != s.Before || made.After != s.After || s.After != r.currentMeter().EstimatedTokens() {
		r.t.Errorf("the overlay is %+v, the update %+v, the meter shows %d", made, s, r.currentMeter().EstimatedTokens())
	}
	return o
}

func TestManualMaskIsACompactionThatCanBeUndone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, textReply("fine"))
		before, used, seq := r.view(), r.reading().Used, r.results()[2]
		r.Mask([]uint64{seq})
		r.waitIdle()
		o := r.checkManualOverlay(updates.EditMask, conversation.KindMask)
		if got := r.messageFor(seq); got.State != projection.StateMasked || r.reading().Used >= used {
			t.Errorf("the result is %s, want masked; the meter went from %d to %d", got.State, used, r.reading().Used)
		}
		if e := conversation.Epochs(r.memory.Events()); len(e) != 1 || e[0].ID != o.Seq || !e[0].InForce {
			t.Errorf("the epochs are %+v, want the mask alone, in force", e)
		}
		r.Mask([]uint64{seq}) // it is already
		r.waitIdle()
		if s := r.editUpdates(); len(s) != 2 || s[1].Err == nil || s[1].Err.Class != llm.BadRequest || len(r.overlays()) != 1 {
			t.Errorf("the edit updates are %+v, want the second mask refused", s)
		}
		r.UndoCompaction(0)
		r.waitIdle()
		if diff := cmp.Diff(before, r.view()); diff != "" || len(r.compactions()) != 1 || !r.compactions()[0].Undone || r.compactions()[0].Epoch != o.Seq {
			t.Errorf("compactions %+v, want one undo; view (-want +got): %s", r.compactions(), diff)
		}
		r.finish()
	})
}

// Pins and masks wait for the turn's next request. Restoring turns waits for the end of
// the turn, and so do later edits; here the turns cannot be restored any more.
func TestEditsDuringATurnWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := startWithListings(t, 4, nil, agenttest.Join(agenttest.WaitAtGate(gate), callsLook(8)), textReply("done"), textReply("next"))
		seqs := r.results()
		r.Rewind(3)
		r.waitIdle()
		r.sendAndWait("one more")
		r.Pin(seqs[:1], true)
		r.Mask(seqs[1:2])
		r.RestoreTurns()
		r.Pin(seqs[:1], false)
		r.Send("and this")
		r.waitIdle()
		if n := len(r.overlays()); n != 1 || len(r.editUpdates()) > 0 {
			t.Errorf("%d overlays while a reply streams, want 1", n)
		}
		gate.Open()
		r.waitIdle()
		var order []string
		for _, e := range r.memory.Events() {
			switch b := e.Body.(type) {
			case conversation.AssistantMessage:
				order = append(order, "reply "+b.Text)
			case conversation.UserMessage:
				order = append(order, "user "+b.Text)
			default:
				if b.Kind().IsOverlay() {
					order = append(order, string(b.Kind()))
				}
			}
		}
		want := []string{"rewind", "user one more", "reply ", "pin", "mask", "reply done", "unpin", "user and this", "reply next"}
		checkEqual(t, want, order[len(order)-len(want):])
		var told []updates.Edit
		for _, s := range r.editUpdates() {
			told = append(told, s.What)
			if (s.Err != nil) != (s.What == updates.EditRestore) {
				t.Errorf("edit update %+v, want an error for the restore alone", s)
			}
		}
		checkEqual(t, []updates.Edit{updates.EditPin, updates.EditMask, updates.EditRestore, updates.EditUnpin}, told)
		if f := r.failures(); len(f) > 0 || len(r.returned()) != 1 {
			t.Errorf("failures %v, want none; returned to the composer %q, want one", f, r.returned())
		}
		r.checkIdle()
		r.finish()
	})
}

func TestEditsThatCannotBeStoredChangeNothing(t *testing.T) {
	acts := map[updates.Edit]func(*rig){
		updates.EditPin:     func(r *rig) { r.Pin(r.results()[:1], true) },
		updates.EditUnpin:   func(r *rig) { r.Pin(r.results()[1:2], false) },
		updates.EditMask:    func(r *rig) { r.Mask(r.results()[:1]) },
		updates.EditRestore: func(r *rig) { r.RestoreTurns() },
	}
	for what, act := range acts {
		runBubble(t, string(what), func(t *testing.T) {
			var full atomic.Bool
			r := startWithListings(t, 4, failWritesWhile(&full), textReply("fine"))
			r.Pin(r.results()[1:2], true)
			r.Rewind(3)
			r.waitIdle()
			before, overlays, used := r.view(), len(r.overlays()), r.reading().Used
			full.Store(true)
			act(r)
			r.waitIdle()
			full.Store(false)
			told := r.editUpdates()
			if s := told[len(told)-1]; s.What != what || s.Err == nil || s.Err.Class != llm.NotSaved || s.Before != 0 || s.After != 0 {
				t.Errorf("edit update %+v, want one that is not saved", s)
			}
			if diff := cmp.Diff(before, r.view()); diff != "" || r.reading().Used != used {
				t.Errorf("the meter went from %d to %d; view (-want +got): %s", used, r.reading().Used, diff)
			}
			r.sendAndWait("go on") // and nothing waits to be stored with it
			if n := len(r.overlays()); n != overlays {
				t.Errorf("%d overlays, want %d", n, overlays)
			}
			r.checkIdle()
			r.finish()
		})
	}
}

func TestEditsOfMissingEventsChangeNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		gate := agenttest.NewGate()
		r := startWithListings(t, 3, nil, agenttest.Join(agenttest.WaitAtGate(gate), summaryReply(goodSummary)), textReply("fine"))
		r.compact(heavyRequest())
		r.Pin([]uint64{999}, true)
		r.Pin(nil, true)
		r.Mask([]uint64{999})
		r.RestoreTurns()
		r.waitIdle()
		told := r.editUpdates()
		if len(told) != 4 || len(r.failedCompactions()) > 0 || len(r.overlays()) > 0 {
			t.Fatalf("edit updates %+v, want 4; failed compactions %+v, want none", told, r.failedCompactions())
		}
		for _, s := range told {
			if s.Err == nil || s.Err.Class != llm.BadRequest {
				t.Errorf("edit update %+v, want a bad request", s)
			}
		}
		gate.Open()
		r.waitIdle()
		if len(r.compactions()) != 1 {
			t.Errorf("compactions %+v, want one", r.compactions())
		}
		r.finish()
	})
}

func TestUndoShowsTheSameBytesAndRedoBringsTheCompactionBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 5, nil)
		before, full := r.view(), r.reading().Used
		r.compact(profileRequest("", 1))
		reduced, epoch, small := r.view(), r.overlays()[0].Seq, r.reading().Used
		r.UndoCompaction(0)
		r.waitIdle()
		if diff := cmp.Diff(before, r.view()); diff != "" {
			t.Errorf("the view after the undo (-want +got): %s", diff)
		}
		if got := r.reading(); got.Used != full || !got.Estimated {
			t.Errorf("the meter shows %d, want %d", got.Used, full)
		}
		r.RedoCompaction()
		r.waitIdle()
		if diff := cmp.Diff(reduced, r.view()); diff != "" {
			t.Errorf("the view after the redo (-want +got): %s", diff)
		}
		if got := r.reading().Used; got != small {
			t.Errorf("the meter shows %d, want %d", got, small)
		}
		made := r.compactions()
		if len(made) != 3 || made[1].Epoch != epoch || !made[1].Undone || made[1].Redone || made[2].Epoch != epoch || !made[2].Redone || made[2].Undone {
			t.Fatalf("compaction updates %+v, want the compaction, its undo and its redo", made)
		}
		if p := made[1].Preview; p.Before != small || p.After != full || p.Profile != preset.ProfileDefault || p.Range != (edit.Range{From: 0, To: 3}) {
			t.Errorf("the preview of the undo is %+v", p)
		}
		for _, o := range r.overlays()[1:] {
			b := o.Body.(conversation.Revert)
			if b.Origin.Epoch != o.Seq || b.Origin.Source != conversation.SourceManual || !strings.Contains(b.Origin.Why, "turns 0–3") {
				t.Errorf("e%d is %+v, want a manual overlay of turns 0–3", o.Seq, b)
			}
		}
		r.checkIdle()
		r.finish()
	})
}

func TestRedoNeedsAnUndoAndNoNewCompaction(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 5, nil)
		r.RedoCompaction()
		r.compact(profileRequest("", 3))
		r.UndoCompaction(0)
		r.compact(profileRequest("", 1))
		r.RedoCompaction()
		r.waitIdle()
		refused := r.compactionErrors()
		if len(refused) != 2 || !strings.Contains(refused[0].Message, "no compaction to redo") || !strings.Contains(refused[1].Message, "another one ran since") {
			t.Errorf("errors %v, want two refused redos", refused)
		}
		if n := len(r.overlays()); n != 3 {
			t.Errorf("%d overlays, want 3", n)
		}
		r.finish()
	})
}

func TestRewindRestoreAndRewindAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := startWithListings(t, 4, nil, textReply("fine"))
		endsWith := func(text string) {
			t.Helper()
			r.waitIdle()
			if got := r.view(); got[len(got)-1].Text != text || len(r.failures()) > 0 {
				t.Errorf("the view ends with %.60q, want %.60q; failures %v", got[len(got)-1].Text, text, r.failures())
			}
		}
		r.Rewind(2)
		endsWith("that was listing 1")
		r.RestoreTurns()
		endsWith("that was listing 3")
		r.Rewind(2)
		r.RestoreTurns()
		r.Rewind(3) // it is there again by then
		endsWith("that was listing 2")
		var back []string
		for _, text := range r.returned() {
			back = append(back, text[:17])
		}
		want := []string{"show me listing 2", "show me listing 2", "show me listing 3"}
		if diff := cmp.Diff(want, back); diff != "" {
			t.Errorf("returned to the composer (-want +got): %s", diff)
		}
		r.sendAndWait("go on")
		r.checkIdle()
		r.finish()
	})
}
