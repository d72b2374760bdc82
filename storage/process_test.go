package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/storage"
)

func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	s := openStore(t, longWaitOptions)
	var events, partial uint64
	texts := map[string]bool{}
	for round := range 6 {
		a := startRole(t, "append", s.Dir(), idA)
		var lines []string
		for range 1 + round*7%30 { // a different moment in each round
			lines = append(lines, a.nextLine())
		}
		for _, l := range append(lines, a.kill()...) {
			kind, value, _ := strings.Cut(l, " ")
			switch kind {
			case "event":
				_, _ = fmt.Sscan(value, &events)
			case "partial":
				_, _ = fmt.Sscan(value, &partial)
			case "text":
				texts[value] = true
			default:
				t.Fatalf("round %d: the writer printed %q, standard error %s", round, l, a.errs.String())
			}
		}
		stored, report, err := s.Load(t.Context(), idA)
		if err != nil || len(report.Damaged) > 0 || uint64(len(stored)) < events {
			t.Fatalf("round %d: %d events, %d were acknowledged: %v %v", round, len(stored), events, err, report)
		}
		p, ok, err := s.Partial(t.Context(), idA)
		if err != nil || ok && p.Text != stored[p.After-1].Body.(conversation.UserMessage).Text {
			t.Fatalf("round %d: partial reply %v, %v", round, p, err)
		}
		if !ok && partial == uint64(len(stored)) {
			t.Fatalf("round %d: the partial reply after %d is lost", round, partial)
		}
	}
	for name := range texts {
		if _, err := s.Blob(t.Context(), idA, name); err != nil {
			t.Error(err)
		}
	}
	findings, err := s.Check(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Errorf("%s: %s", f.File, f.What)
	}
	w, err := s.OpenWriter(t.Context(), idA)
	if err != nil {
		t.Fatalf("opening after the kills: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestFourProgramsAtOnceLoseNothingAndAreNeverBusy(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	ids := []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc", "dddddddddddd"}
	var all []*process
	for _, id := range ids {
		all = append(all, startRole(t, "append-some", s.Dir(), id), startRole(t, "share", s.Dir(), id))
	}
	for _, a := range all {
		a.waitForSuccess() // an ErrBusy anywhere is a failure of the process
	}
	calibrations, err := s.Calibrations(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.List(t.Context(), storage.Filter{})
	if err != nil || len(entries) != len(ids) {
		t.Fatalf("%d conversations listed, %v", len(entries), err)
	}
	for _, e := range entries {
		if e.Events != 60 || e.OpenElsewhere {
			t.Errorf("listed as %+v, want 60 events, closed", e)
		}
	}
	for _, id := range ids {
		if c := calibrations[id]; c.Samples != 60 {
			t.Errorf("calibration of %s is %+v", id, c)
		}
		history, err := s.History(t.Context(), "/"+id, 0)
		if err != nil || len(history) != 60 || history[59] != id+" 59" {
			t.Errorf("history of %s has %d inputs, %v", id, len(history), err)
		}
		events, _, err := s.Load(t.Context(), id)
		if err != nil || len(events) != 60 {
			t.Errorf("conversation %s has %d events, %v", id, len(events), err)
		}
	}
	if findings, err := s.Check(t.Context(), nil); err != nil || len(findings) > 0 {
		t.Errorf("check: %+v, %v", findings, err)
	}
}

func TestConversationOpenInAnotherProgram(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	begin(t, s, idA, "/w", "hello").close()
	holder := startRole(t, "hold", s.Dir(), idA)
	if l := holder.nextLine(); l != "held" {
		t.Fatalf("the holder printed %q: %s", l, holder.errs.String())
	}
	_, err := s.OpenWriter(t.Context(), idA)
	var locked *storage.LockedError
	if !errors.As(err, &locked) || locked.PID != holder.cmd.Process.Pid {
		t.Errorf("error is %v, want that process %d has it", err, holder.cmd.Process.Pid)
	}
	wantError(t, s.Delete(t.Context(), idA), storage.ErrLocked)
	entries, err := s.List(t.Context(), storage.Filter{})
	if err != nil || len(entries) != 1 || !entries[0].OpenElsewhere || !s.IsOpenElsewhere(idA) {
		t.Errorf("listed as %+v, %v, open elsewhere %v", entries, err, s.IsOpenElsewhere(idA))
	}
	if events, _, err := s.Load(t.Context(), idA); err != nil || len(events) != 1 {
		t.Errorf("reading it meanwhile gave %d events, %v", len(events), err)
	}
	holder.kill()
	if s.IsOpenElsewhere(idA) {
		t.Error("the conversation counts as open after its holder was killed")
	}
	w, err := s.OpenWriter(t.Context(), idA)
	if err != nil {
		t.Fatalf("opening after its holder was killed: %v", err)
	}
	if s.IsOpenElsewhere(idA) {
		t.Error("our own writer counts as elsewhere")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestStoppedProgramMakesOthersBusyNotHang(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{Wait: 100 * time.Millisecond})
	c := begin(t, s, idA, "/w", "hello")
	path := s.Dir() + "/conversations/" + idA + ".db"
	stopped := startRole(t, "stop", s.Dir(), path)
	if l := stopped.nextLine(); l != "held" {
		t.Fatalf("the holder printed %q, want held: %s", l, stopped.errs.String())
	}
	events := c.prepare(reply("too late"))
	for range 3 {
		wantError(t, c.w.Append(t.Context(), events), storage.ErrBusy)
		_, _, err := s.Load(t.Context(), idA)
		wantError(t, err, storage.ErrBusy)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantError(t, c.w.Append(ctx, events), context.Canceled)
	begin(t, reopenStore(t, s.Dir(), longWaitOptions), idB, "/w", "another conversation is not affected").close()
	stopped.kill()
	err := c.w.Append(t.Context(), events)
	for errors.Is(err, storage.ErrBusy) { // until an abandoned wait has released the lock
		err = c.w.Append(t.Context(), events)
	}
	if err != nil {
		t.Errorf("writing after the stopped program has ended: %v", err)
	}
	other := reopenStore(t, s.Dir(), longWaitOptions)
	if got, _, err := other.Load(t.Context(), idA); err != nil || len(got) != 2 {
		t.Errorf("%d events, want 2; error %v", len(got), err)
	}
}

// Writes of other programs must not cause findings.
func TestCheckWhileOtherProgramsWriteFindsNothing(t *testing.T) {
	t.Parallel()
	s := openStore(t, longWaitOptions)
	var all []*process
	for _, id := range []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"} {
		all = append(all, startRole(t, "append-some", s.Dir(), id))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, a := range all {
			a.readRest()
		}
	}()
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
		}
		list(t, s, storage.Filter{})
		if findings := checkStore(t, s); len(findings) > 0 {
			t.Fatalf("findings %+v, want none", findings)
		}
	}
	for _, a := range all {
		a.waitForSuccess()
	}
}

// Close skips updates of busy files; the next list makes up for them.
func TestStoppedProgramDoesNotKeepTheStoreFromClosing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/data"
	checkFilesAtEnd(t, dir)
	s, err := storage.Open(dir, storage.Options{Wait: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	must(t, s.AddHistory(t.Context(), "/w", "one"))
	c := begin(t, s, idA, "/w", "hello")
	for _, file := range []string{"/shared.db", "/index.db"} {
		stopped := startRole(t, "stop", dir, dir+file)
		if l := stopped.nextLine(); l != "held" {
			t.Fatalf("the holder printed %q, want held: %s", l, stopped.errs.String())
		}
	}
	wantError(t, s.AddHistory(t.Context(), "/w", "two"), storage.ErrBusy)
	c.add(reply("hi"))
	must(t, s.Close())
	wantError(t, s.AddHistory(t.Context(), "/w", "three"), storage.ErrClosed)
}
