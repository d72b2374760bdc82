package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A key that a program prints is good for a while: tokens of clouds expire. It stays in memory, and no error holds what the
// program printed.

// CommandTime is how long a program has to print a key.
const CommandTime = 10 * time.Second

// longest is what is read as a key, in bytes.
const longest = 16 << 10

// Command gets keys from a program. Its methods may be called from several goroutines.
type Command struct {
	argv  []string
	ttl   time.Duration // how long a key is used, 0: until it is refused
	limit time.Duration

	turn  chan struct{} // guards what follows; held while the program runs
	key   string
	until time.Time // when the key is no longer used, zero: never
}

// NewCommand returns a source of keys that runs a program, given by its name and arguments.
func NewCommand(argv []string, ttl time.Duration) *Command {
	return &Command{argv: argv, ttl: ttl, limit: CommandTime, turn: make(chan struct{}, 1)}
}

// Key is a key that is not the stale one: the one in memory, or else what the program prints.
func (c *Command) Key(ctx context.Context, stale string) (string, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if c.key != "" && c.key != stale && (c.until.IsZero() || time.Now().Before(c.until)) {
		return c.key, nil
	}
	key, err := c.run(ctx)
	if err != nil {
		return "", err
	}
	c.key, c.until = key, time.Time{}
	if c.ttl > 0 {
		c.until = time.Now().Add(c.ttl)
	}
	return key, nil
}

// run runs the program in a session of its own, so that it cannot ask at the terminal, and all it started ends with it.
func (c *Command) run(parent context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(parent, c.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	if cmd.Dir, _ = os.UserHomeDir(); cmd.Dir == "" { // never the workspace, whose files are not the user's
		cmd.Dir = "/"
	}
	var out bounded
	cmd.Stdout, cmd.SysProcAttr, cmd.WaitDelay = &out, &syscall.SysProcAttr{Setsid: true}, time.Second
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	if cmd.Process != nil {
		_ = cmd.Cancel() // fails where nothing is left, as a rule
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well; what it started held its output open
	}
	key := strings.TrimSpace(out.String())
	var exit *exec.ExitError
	switch {
	case parent.Err() != nil:
		return "", context.Cause(parent)
	case ctx.Err() != nil:
		return "", fmt.Errorf("key_command printed none within %s", c.limit)
	case errors.As(err, &exit):
		return "", fmt.Errorf("key_command failed (%s)", exit.ProcessState)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("key_command: there is no program %s", c.argv[0])
	case err != nil:
		return "", errors.New("key_command could not be run")
	case key == "":
		return "", errors.New("key_command printed nothing")
	case len(key) >= longest || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("what key_command printed is no key: it is too long, or has spaces or other characters that keys do not have")
	}
	return key, nil
}

// bounded is the beginning of what is written.
type bounded struct{ bytes.Buffer }

// Write keeps what there is room for.
func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), longest-b.Len())])
	return len(p), nil
}
