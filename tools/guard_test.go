package tools_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/sandbox"
	"plimsoll/tools/shell"
)

// keeperOf is an environment variable. If it is set, the test binary runs commands
// until it is killed; its value is the pipe to which the commands write.
const keeperOf = "PLIMSOLL_TEST_KEEPER"

func TestMain(m *testing.M) {
	sandbox.RunHelper()
	if fifo := os.Getenv(keeperOf); fifo != "" {
		keep(fifo)
	}
	os.Exit(m.Run())
}

// orphans is a command with several processes: one in the foreground, a child of a
// child, and one in another process group. They end after minutes, ignore SIGTERM
// and SIGHUP, and hold the pipe open while one of them runs. The command writes a
// line when all of them run.
const orphans = `exec 9>"$FIFO"; trap '' HUP TERM INT
(trap '' HUP TERM; (sleep 300; :) & sleep 300; :) &
set -m; nohup sleep 300 >/dev/null 2>&1 & set +m
echo running >&9; sleep 300; :`

// daemon leaves its session, which no guard ends: only the namespaces of the sandbox do.
const daemon = `exec 9>"$FIFO"; setsid sh -c "trap '' HUP TERM INT; echo running >&9; sleep 300; :" >/dev/null 2>&1 & sleep 300; :`

func boxOf(dir string) *sandbox.Sandbox {
	return sandbox.New(sandbox.Config{Workspace: dir, Path: filepath.SplitList(os.Getenv("PATH")), Helper: "/proc/self/exe"})
}

// keep runs a command in a sandbox, in the foreground, in the background and for the user, until it is killed.
func keep(fifo string) {
	if err := os.Setenv("FIFO", fifo); err != nil {
		panic(err)
	}
	b, err := tools.New(tools.Options{Workspace: filepath.Dir(fifo), Environ: os.Environ()})
	if err != nil {
		panic(err)
	}
	call := func(args string) {
		b.Run(context.Background(), conversation.ToolCall{ID: "1", Name: "run_command", Arguments: args}, func(string) {})
	}
	if box := boxOf(filepath.Dir(fifo)); box.Whole() {
		confined, err := tools.New(tools.Options{Workspace: filepath.Dir(fifo), Environ: os.Environ(), Sandbox: box})
		if err != nil {
			panic(err)
		}
		go confined.Run(context.Background(), conversation.ToolCall{ID: "2", Name: "run_command", Arguments: fmt.Sprintf(`{"command": %s}`, strconv.Quote(daemon))}, func(string) {})
	}
	go call(fmt.Sprintf(`{"command": %s}`, strconv.Quote(orphans)))
	go call(fmt.Sprintf(`{"command": %s, "background": true}`, strconv.Quote(orphans)))
	_, err = shell.Run(context.Background(), filepath.Dir(fifo), orphans)
	panic(err)
}

// When the program is killed, all processes of its commands end: the pipe that they
// hold open is closed.
func TestCommandsEndWithAKilledProgram(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	// For reading and writing, so that opening waits for nobody.
	pipe, err := os.OpenFile(fifo, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(exe)
	program.Env = append(os.Environ(), keeperOf+"="+fifo)
	program.Stderr = os.Stderr
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	commands := 3
	box := boxOf(filepath.Dir(fifo))
	if box.Whole() { // else nothing ends a daemon, and doctor says so
		commands++
	}
	if err := box.Close(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, commands*len("running\n"))
	if _, err := io.ReadFull(pipe, line); err != nil || strings.Count(string(line), "running\n") != commands {
		t.Fatalf("%q, %v", line, err)
	}
	reader, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := pipe.Close(); err != nil { // now the commands alone can write
		t.Fatal(err)
	}
	if err := program.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.Wait() // it was killed
	// The bound is far beyond what it takes; without it a failure would take the
	// minutes that the commands do.
	if err := reader.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Read(line); !errors.Is(err, io.EOF) {
		t.Errorf("a command still runs: %v", err)
	}
}
