package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
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
	if findings := checkStore(t, s); len(findings) > 0 {
		t.Errorf("findings %+v, want none", findings)
	}
	w, err := s.OpenWriter(t.Context(), idA)
	must(t, err)
	must(t, w.Close())
}

// The writes of other programs must not cause findings of a check.
func TestFourProgramsAtOnceLoseNothingAndCauseNoFindings(t *testing.T) {
	t.Parallel()
	s := openStore(t, longWaitOptions)
	ids := []string{"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc", "dddddddddddd"}
	var all sync.WaitGroup
	for _, id := range ids {
		for _, p := range []*process{startRole(t, "append-some", s.Dir(), id), startRole(t, "share", s.Dir(), id)} {
			all.Go(func() { p.waitForSuccess() })
		}
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
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
	calibrations, err := s.Calibrations(t.Context())
	must(t, err)
	entries := list(t, s, storage.Filter{})
	if len(entries) != len(ids) {
		t.Fatalf("%d conversations are listed, want %d", len(entries), len(ids))
	}
	for _, e := range entries {
		if e.Events != 20 || e.OpenElsewhere {
			t.Errorf("listed as %+v, want 20 events, closed", e)
		}
	}
	for _, id := range ids {
		if c := calibrations[id]; c.Samples != 20 {
			t.Errorf("calibration of %s is %+v", id, c)
		}
		history, err := s.History(t.Context(), "/"+id, 0)
		if err != nil || len(history) != 20 || history[19] != id+" 19" {
			t.Errorf("history of %s has %d inputs, %v", id, len(history), err)
		}
		events, _, err := s.Load(t.Context(), id)
		if err != nil || len(events) != 20 {
			t.Errorf("conversation %s has %d events, %v", id, len(events), err)
		}
	}
}

func TestConversationOpenInAnotherProgram(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	begin(t, s, idA, "/w", "hello").close()
	holder := startHolder(t, "hold", s.Dir(), idA)
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
	must(t, err)
	if s.IsOpenElsewhere(idA) {
		t.Error("our own writer counts as elsewhere")
	}
	must(t, w.Close())
}

func TestStoppedProgramMakesOthersBusyNotHang(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{Wait: 100 * time.Millisecond})
	c := begin(t, s, idA, "/w", "hello")
	path := s.Dir() + "/conversations/" + idA + ".db"
	stopped := startHolder(t, "stop", s.Dir(), path)
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

// Close skips updates of busy files; the next list makes up for them.
func TestStoppedProgramDoesNotKeepTheStoreFromClosing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/data"
	checkFilesAtEnd(t, dir)
	s, err := storage.Open(dir, storage.Options{Wait: 50 * time.Millisecond})
	must(t, err)
	must(t, s.AddHistory(t.Context(), "/w", "one"))
	c := begin(t, s, idA, "/w", "hello")
	for _, file := range []string{"/shared.db", "/index.db"} {
		startHolder(t, "stop", dir, dir+file)
	}
	wantError(t, s.AddHistory(t.Context(), "/w", "two"), storage.ErrBusy)
	c.add(reply("hi"))
	must(t, s.Close())
	wantError(t, s.AddHistory(t.Context(), "/w", "three"), storage.ErrClosed)
}
