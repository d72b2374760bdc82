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

// A key from a program may expire, like a cloud access token. It is kept in memory only, and no error contains program output.

// CommandTimeout is the time limit for the program.
const CommandTimeout = 10 * time.Second

// keyLimit is the size in bytes from which output is too long for a key.
const keyLimit = 16 << 10

// Command gets API keys by running a program. Its methods may be called from several goroutines.
type Command struct {
	argv    []string
	ttl     time.Duration // how long a key is used; 0: until the server refuses it
	timeout time.Duration

	slot    chan struct{} // a mutex for the fields below; held while the program runs
	key     string
	expires time.Time // when the key expires; zero: never
}

// NewCommand returns a Command for a program, given by its name and arguments. A key expires after ttl; with 0 it does not.
func NewCommand(argv []string, ttl time.Duration) *Command {
	return &Command{argv: argv, ttl: ttl, timeout: CommandTimeout, slot: make(chan struct{}, 1)}
}

// Key returns a key other than stale, which is the one that the server refused: the key in memory or, if that is stale or
// expired, a new one from the program.
func (c *Command) Key(ctx context.Context, stale string) (string, error) {
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	if c.key != "" && c.key != stale && (c.expires.IsZero() || time.Now().Before(c.expires)) {
		return c.key, nil
	}
	key, err := c.run(ctx)
	if err != nil {
		return "", err
	}
	c.key, c.expires = key, time.Time{}
	if c.ttl > 0 {
		c.expires = time.Now().Add(c.ttl)
	}
	return key, nil
}

// run returns the key that the program prints. The program has no terminal (setsid), and its children are killed at the end.
func (c *Command) run(parent context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(parent, c.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	if cmd.Dir, _ = os.UserHomeDir(); cmd.Dir == "" { // never the workspace: its files may come from others
		cmd.Dir = "/"
	}
	var out limitedBuffer
	cmd.Stdout, cmd.SysProcAttr, cmd.WaitDelay = &out, &syscall.SysProcAttr{Setsid: true}, time.Second
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	if cmd.Process != nil {
		_ = cmd.Cancel() // fails if no child process is left, as is usual
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the program succeeded, but a child process still had its output open
	}
	key := strings.TrimSpace(out.String())
	var exit *exec.ExitError
	switch {
	case parent.Err() != nil:
		return "", context.Cause(parent)
	case ctx.Err() != nil:
		return "", fmt.Errorf("key_command printed none within %s", c.timeout)
	case errors.As(err, &exit):
		return "", fmt.Errorf("key_command failed (%s)", exit.ProcessState)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("key_command: there is no program %s", c.argv[0])
	case err != nil:
		return "", errors.New("key_command could not be run")
	case key == "":
		return "", errors.New("key_command printed nothing")
	case len(key) >= keyLimit || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("what key_command printed is no key: it is too long, or has spaces or other characters that keys do not have")
	}
	return key, nil
}

// limitedBuffer is a buffer that keeps only the first keyLimit bytes written to it.
type limitedBuffer struct{ bytes.Buffer }

// Write appends as much of p as fits. It never fails.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), keyLimit-b.Len())])
	return len(p), nil
}
