package tools_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools"
)

// jobEvents receives what is recorded of background commands.
type jobEvents struct {
	all     chan conversation.Body
	running chan int
}

func recordJobs(change ...func(*tools.Options)) (jobEvents, func(*tools.Options)) {
	e := jobEvents{make(chan conversation.Body, 100), make(chan int, 100)}
	return e, func(o *tools.Options) {
		o.RecordJob = func(b conversation.Body, running int) { e.all <- b; e.running <- running }
		for _, c := range change {
			c(o)
		}
	}
}

// ended waits for the next event, which must be the end of a job.
func (e jobEvents) ended(t *testing.T) conversation.JobEnded {
	t.Helper()
	b, ok := (<-e.all).(conversation.JobEnded)
	if !ok {
		t.Fatalf("recorded %+v, want an end", b)
	}
	return b
}

// started waits for the next event, which must be the start of a job.
func (e jobEvents) started(t *testing.T) conversation.JobStarted {
	t.Helper()
	b, ok := (<-e.all).(conversation.JobStarted)
	if !ok {
		t.Fatalf("recorded %+v, want a start", b)
	}
	return b
}

// gated makes a FIFO of which commands read.
func gated(t *testing.T, dir string) (open func()) {
	t.Helper()
	gate := filepath.Join(dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() { write(t, gate, "go\n") } // waits for the reader
}

func TestStartAndEndOfBackgroundCommandsAreRecorded(t *testing.T) {
	t.Parallel()
	events, record := recordJobs(func(o *tools.Options) { o.Jobs = 4 })
	b, dir := open(t, nil, record)
	openGate := gated(t, dir)
	succeed(t, b, "run_command", map[string]any{"command": "read x <gate; echo done; exit 3", "background": true})
	if got := events.started(t); got.ID != "p5" || got.Moved {
		t.Errorf("started %+v; the conversation had 4 before", got)
	}
	openGate()
	got := events.ended(t)
	if got.ID != "p5" || got.How != "exit code 3" || got.Code != 3 || got.Size.Chars() != 5 || got.By != "" || got.Told {
		t.Errorf("ended %+v", got)
	}
	if first, last := <-events.running, <-events.running; first != 1 || last != 0 {
		t.Errorf("%d run after the start, %d after the end", first, last)
	}

	succeed(t, b, "run_command", map[string]any{"command": "sleep 1000", "background": true})
	events.started(t)
	succeed(t, b, "run_command", map[string]any{"id": "p6", "stop": true})
	if got := events.ended(t); got.By != conversation.EndedByModel || !got.Told {
		t.Errorf("stopped by the model: %+v", got)
	}
	succeed(t, b, "run_command", map[string]any{"command": "sleep 1000", "background": true})
	events.started(t)
	if err := b.Jobs().End("p7"); err != nil {
		t.Fatal(err)
	}
	if got := events.ended(t); got.By != conversation.EndedByUser || got.Told || got.How != "ended by the user" {
		t.Errorf("ended by the user: %+v", got)
	}
	succeed(t, b, "run_command", map[string]any{"command": "sleep 1000", "background": true})
	events.started(t)
	b.Jobs().Close()
	if got := events.ended(t); got.By != conversation.EndedByProgram || got.How != "ended with the conversation" {
		t.Errorf("ended with the conversation: %+v", got)
	}
}

func TestBackgroundCommandsEndAtTheirLimit(t *testing.T) {
	t.Parallel()
	events, record := recordJobs(func(o *tools.Options) { o.JobTimeout = 10 * time.Millisecond })
	b, _ := open(t, nil, record)
	succeed(t, b, "run_command", map[string]any{"command": "sleep 1000", "background": true})
	events.started(t)
	if got := events.ended(t); got.By != conversation.EndedByLimit || got.Told {
		t.Errorf("ended %+v", got)
	}
	if got := succeed(t, b, "run_command", map[string]any{"id": "p1"}); !strings.HasPrefix(got, "p1 has ended: ended after 10ms, the limit of jobs.timeout") {
		t.Errorf("the result is %q", got)
	}
}

func TestOnlySoManyBackgroundCommandsRunAtOnce(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, func(o *tools.Options) { o.JobLimit = 2 })
	for range 2 {
		succeed(t, b, "run_command", map[string]any{"command": "sleep 1000", "background": true})
	}
	fail(t, b, "run_command", map[string]any{"command": "true", "background": true}, "at most 2 (jobs.limit)", "p1 (sleep 1000), p2")
	succeed(t, b, "run_command", map[string]any{"id": "p1", "stop": true})
	succeed(t, b, "run_command", map[string]any{"command": "true", "background": true})
}

func TestARunningCommandIsMovedToTheBackground(t *testing.T) {
	t.Parallel()
	events, record := recordJobs(func(o *tools.Options) { o.JobLimit = 1 })
	b, dir := open(t, nil, record)
	openGate := gated(t, dir)
	if err := b.Jobs().MoveForeground(); err == nil || !strings.Contains(err.Error(), "no command or task of the model runs") {
		t.Errorf("nothing to move: %v", err)
	}
	move := func() {
		if err := b.Jobs().MoveForeground(); err != nil {
			t.Error(err)
		}
	}
	out := b.Run(t.Context(), call(t, "run_command", map[string]any{"command": "echo one; read x <gate; echo two", "timeout": 1800}), ready("one", move))
	if out.Status != conversation.ResultOK || !strings.HasPrefix(out.Text, "the user moved it to the background as p1") || !strings.HasSuffix(out.Text, "\none") ||
		out.Detail != "moved to the background as p1" {
		t.Errorf("the call is answered by %+v", out)
	}
	if got := events.started(t); got.ID != "p1" || !got.Moved {
		t.Errorf("started %+v", got)
	}
	full := func() {
		if err := b.Jobs().MoveForeground(); err == nil || !strings.Contains(err.Error(), "jobs.limit") {
			t.Errorf("beyond the limit: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out = b.Run(ctx, call(t, "run_command", map[string]any{"command": "echo up; sleep 1000"}), ready("up", func() { full(); cancel() }))
	if out.Status != conversation.ResultInterrupted {
		t.Errorf("a command that could not be moved: %+v", out)
	}
	openGate()
	if got := succeed(t, b, "run_command", map[string]any{"id": "p1", "timeout": 60}); got != "p1 has ended: exit code 0\ntwo" {
		t.Errorf("a read gives %q, want only what is new", got)
	}
	events.ended(t)
	if jobs := b.Jobs().List(); len(jobs) != 1 || jobs[0].How != "exit code 0" || jobs[0].Tail != "one\ntwo" {
		t.Errorf("listed %+v", jobs)
	}
}

func TestALongPieceOfOutputIsCutOnArrival(t *testing.T) {
	t.Parallel()
	events, record := recordJobs()
	b, _ := open(t, nil, record)
	succeed(t, b, "run_command", map[string]any{"command": "seq 1 20000; echo the last word", "background": true})
	events.started(t)
	events.ended(t)
	got := succeed(t, b, "run_command", map[string]any{"id": "p1"})
	shown, total := conversation.Cut(got, conversation.ResultMaxChars)
	if total == 0 || !strings.Contains(shown, "the last word") || !strings.HasPrefix(shown, "p1 has ended: exit code 0\n") {
		t.Errorf("of %d characters the model is shown %d: %.200q", total, len(shown), shown)
	}
}
