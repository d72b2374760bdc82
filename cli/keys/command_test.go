package keys

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// countingCommand returns a program that prints another key each time, and a function that counts its runs.
func countingCommand(t *testing.T) (argv []string, runs func() int) {
	log := filepath.Join(t.TempDir(), "runs")
	return []string{"sh", "-c", `echo x >> "$0"; echo "  key-$(wc -l < "$0" | tr -d ' ')"; echo noise >&2`, log}, func() int {
		raw, _ := os.ReadFile(log)
		return strings.Count(string(raw), "x")
	}
}

func TestCommandKeyIsReusedUntilItExpires(t *testing.T) {
	t.Parallel()
	argv, runs := countingCommand(t)
	c := NewCommand(argv, time.Hour)
	for i, step := range []struct {
		stale, want string
		expired     bool
	}{{"", "key-1", false}, {"", "key-1", false}, {"key-1", "key-2", false}, {"key-1", "key-2", false}, {"", "key-3", true}} {
		if step.expired {
			c.expires = time.Now()
		}
		if key, err := c.Key(t.Context(), step.stale); key != step.want || err != nil {
			t.Errorf("step %d: %q %v, want %s", i, key, err, step.want)
		}
	}
	if runs() != 3 {
		t.Errorf("it ran %d times", runs())
	}
	forever := NewCommand(argv, 0)
	for range 2 {
		if key, err := forever.Key(t.Context(), ""); key != "key-4" || err != nil {
			t.Errorf("without a time: %q %v", key, err)
		}
	}
}

func TestCommandRunsInTheHomeFolder(t *testing.T) {
	t.Parallel()
	if key, err := NewCommand([]string{"sh", "-c", `[ . -ef "${HOME:-/}" ] && echo tok`}, 0).Key(t.Context(), ""); key != "tok" || err != nil {
		t.Errorf("%q, %v", key, err)
	}
}

func TestErrorOfACommandHidesItsOutput(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		argv []string
		want string
	}{
		"fails":    {[]string{"sh", "-c", "echo sk-secret; echo sk-secret >&2; exit 3"}, "exit status 3"},
		"nothing":  {[]string{"true"}, "printed nothing"},
		"words":    {[]string{"echo", "sk-secret", "sk-secret"}, "is no key"},
		"long":     {[]string{"sh", "-c", "head -c " + strconv.Itoa(1<<20) + " /dev/zero | tr '\\0' s"}, "too long"},
		"missing":  {[]string{"no-such-program", "sk-secret"}, "no program no-such-program"},
		"no shell": {[]string{"echo", "$(echo", "sk-secret)"}, "is no key"},
		"hangs":    {[]string{"sh", "-c", "echo sk-secret; sleep 600 & wait"}, "within 50ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := NewCommand(tt.argv, 0)
			if name == "hangs" {
				c.timeout = 50 * time.Millisecond
			}
			key, err := c.Key(t.Context(), "")
			if key != "" || err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "sk-secret") {
				t.Errorf("%q, %v", key, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewCommand([]string{"sleep", "600"}, 0).Key(ctx, ""); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// If the program leaves child processes running, its key is used, and the children are killed.
func TestChildProcessesOfACommandAreKilled(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"holds the output": "sleep 600 & echo tok", "on its own": "sleep 600 >/dev/null & echo tok"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "alive")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			alive, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer alive.Close()
			if key, err := NewCommand([]string{"sh", "-c", `exec 3>"$0"; ` + script, path}, 0).Key(t.Context(), ""); key != "tok" || err != nil {
				t.Errorf("%q, %v", key, err)
			}
			if err := alive.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(alive); err != nil { // returns once no process has the other end open
				t.Error(err)
			}
		})
	}
}
