package storage_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll/conversation"
	"plimsoll/storage"
)

// These tests start this test program a second time, with a role as its task, and kill it. In some roles it
// prints a line for each acknowledged write.

const (
	roleVariable = "PLIMSOLL_STORAGE_ROLE"
	dirVariable  = "PLIMSOLL_STORAGE_DIR"
	idVariable   = "PLIMSOLL_STORAGE_ID"
)

// longWaitOptions are for programs that share files in a test: how long one of them
// holds a lock depends on the load of the machine. Other tests check with stopped programs that
// waits are bounded.
var longWaitOptions = storage.Options{Wait: time.Hour}

func runRole(role string) int {
	s, err := storage.Open(os.Getenv(dirVariable), longWaitOptions)
	if err == nil {
		id := os.Getenv(idVariable)
		switch role {
		case "append":
			err = runAppend(s, id, -1)
		case "append-some":
			err = runAppend(s, id, 20)
		case "share":
			err = runShare(s, id, 20)
		case "hold":
			err = runHold(s, id)
		case "stop":
			err = runStop(s, id)
		default:
			err = fmt.Errorf("no role %q", role)
		}
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func openOrCreate(ctx context.Context, s *storage.Store, id string) (*storage.Writer, *conversation.Log, error) {
	w, err := s.OpenWriter(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		w, err = s.Create(ctx, storage.NewConversation{ID: id, Workspace: "/w"})
		return w, &conversation.Log{}, err
	}
	if err != nil {
		return nil, nil, err
	}
	events, _, err := s.Load(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	log, err := conversation.NewLog(events)
	return w, log, err
}

// runAppend appends for ever (rounds < 0) or rounds times, with partial
// replies and texts in between, and prints every acknowledged Seq.
func runAppend(s *storage.Store, id string, rounds int) error {
	ctx := context.Background()
	w, log, err := openOrCreate(ctx, s, id)
	if err != nil {
		return err
	}
	for i := 0; i != rounds; i++ {
		text := strings.Repeat(fmt.Sprint("line ", i, "\n"), 1+i%200)
		events := log.Prepare(start, conversation.UserMessage{Text: text})
		if err := w.Append(ctx, events); err != nil {
			return err
		}
		if err := log.Commit(events); err != nil {
			return err
		}
		fmt.Println("event", log.Len())
		if err := w.KeepPartial(ctx, conversation.PartialReply{After: uint64(log.Len()), Text: text}); err != nil {
			return err
		}
		fmt.Println("partial", log.Len())
		if i%5 == 0 {
			name, err := w.PutBlob(ctx, text)
			if err != nil {
				return err
			}
			fmt.Println("text", name)
		}
	}
	return w.Close()
}

func runShare(s *storage.Store, id string, rounds int) error {
	ctx := context.Background()
	for i := range rounds {
		if err := s.AddHistory(ctx, "/"+id, fmt.Sprint(id, " ", i)); err != nil {
			return err
		}
		if err := s.SaveCalibration(ctx, id, conversation.Calibration{Factor: 1, Samples: i + 1}); err != nil {
			return err
		}
		if _, err := s.List(ctx, storage.Filter{}); err != nil {
			return err
		}
	}
	return nil
}

// runHold opens a conversation for writing and holds it until it is killed.
func runHold(s *storage.Store, id string) error {
	w, err := s.OpenWriter(context.Background(), id)
	if err != nil {
		return err
	}
	fmt.Println("held")
	err = waitForKill()
	runtime.KeepAlive(w)
	return err
}

// runStop locks a file as a transaction does, and stops the process.
func runStop(_ *storage.Store, path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	fmt.Println("held")
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return err
	}
	// Another thread may receive the signal, and this one continue for a moment. It must not
	// end the process meanwhile, which would release the lock.
	err = waitForKill()
	runtime.KeepAlive(f)
	return err
}

// waitForKill waits until the process is killed. With an empty select, the runtime would report a
// deadlock and end it.
func waitForKill() error {
	never, held, err := os.Pipe()
	if err != nil {
		return err
	}
	_, err = never.Read(make([]byte, 1))
	runtime.KeepAlive(held)
	return err
}

// process is a child process that runs a role.
type process struct {
	t     testing.TB
	cmd   *exec.Cmd
	lines *bufio.Scanner
	errs  strings.Builder
}

func startRole(t *testing.T, role, dir, id string) *process {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	a := &process{t: t, cmd: exec.CommandContext(t.Context(), exe)}
	a.cmd.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir, idVariable+"="+id)
	a.cmd.Stderr = &a.errs
	out, err := a.cmd.StdoutPipe()
	must(t, err)
	a.lines = bufio.NewScanner(out)
	must(t, a.cmd.Start())
	t.Cleanup(func() { a.kill() })
	return a
}

// startHolder starts a role that holds a lock until it is killed, and waits until it has the lock.
func startHolder(t *testing.T, role, dir, id string) *process {
	t.Helper()
	p := startRole(t, role, dir, id)
	if l := p.nextLine(); l != "held" {
		t.Fatalf("the holder printed %q, want held: %s", l, p.errs.String())
	}
	return p
}

// nextLine waits for the next line; "" at the end.
func (a *process) nextLine() string {
	if a.lines.Scan() {
		return a.lines.Text()
	}
	return ""
}

// kill kills the process for good and returns what it printed before.
func (a *process) kill() []string {
	if a.cmd.ProcessState != nil {
		return nil
	}
	_ = a.cmd.Process.Kill() // fails if it has ended already
	return a.readRest()
}

// readRest reads the remaining lines and waits for the end of the process.
func (a *process) readRest() []string {
	var lines []string
	for a.lines.Scan() {
		lines = append(lines, a.lines.Text())
	}
	_ = a.cmd.Wait() // waitForSuccess checks the exit code
	return lines
}

// waitForSuccess waits for the end of the process and checks that it succeeded.
func (a *process) waitForSuccess() {
	a.t.Helper()
	a.readRest()
	if code := a.cmd.ProcessState.ExitCode(); code != 0 {
		a.t.Errorf("process ended with %d: %s", code, a.errs.String())
	}
}
