package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A terminal runs a program in a pseudo-terminal. The output goes to an emulator, which answers queries as a terminal does,
// and is also stored as bytes. Tests wait for a condition of the screen, which is checked after every write. The deadline is
// only for tests that fail.

// patience is how long a test waits before it fails.
const patience = 2 * time.Minute

type terminal struct {
	t   testing.TB
	cmd *exec.Cmd
	pty *os.File

	mu      sync.Mutex // guards what follows
	screen  *vt.Emulator
	raw     bytes.Buffer
	partial bool          // the output ends within a frame
	held    []byte        // output of an incomplete frame, which is not shown
	changed chan struct{} // closed, and replaced, when something was written

	input  chan []byte
	ended  chan struct{} // closed when the program has ended and its output was read
	result error
	tasks  sync.WaitGroup
}

// size is columns and rows.
type size struct{ w, h int }

// The default size, one with more rows, and one with room for the longest line about a compaction. Frames are most of what the
// tests take time for, and they cost by the cell.
var defaultSize, high, wide = size{100, 24}, size{100, 30}, size{140, 24}

// start starts the program in a terminal.
func (p *sandbox) start(s size, args ...string) *terminal {
	p.t.Helper()
	return open(p.t, p.newCommand(args...), s)
}

// startChat starts plimsoll with a server's model and waits until the user can type.
func (p *sandbox) startChat(s size, with interface{ flags(more ...string) []string }, more ...string) *terminal {
	p.t.Helper()
	term := p.start(s, with.flags(more...)...)
	term.awaitIdle("Talking to")
	return term
}

func open(t testing.TB, cmd *exec.Cmd, s size) *terminal {
	t.Helper()
	term := &terminal{t: t, cmd: cmd, screen: vt.NewEmulator(s.w, s.h), changed: make(chan struct{}),
		input: make(chan []byte, 4096), ended: make(chan struct{})}
	term.supportModernModes()
	var err error
	if term.pty, err = pty.StartWithSize(cmd, s.winsize()); err != nil {
		t.Fatalf("starting the program: %v", err)
	}
	stop := make(chan struct{})
	term.tasks.Go(term.readOutput)
	term.tasks.Go(term.forwardAnswers)
	term.tasks.Go(func() { term.writeInput(stop) })
	t.Cleanup(func() {
		term.kill()
		<-term.ended
		close(stop)
		_ = term.pty.Close()                            // only now: it ends a write under way
		_ = term.screen.InputPipe().(io.Closer).Close() // ends answers; closing a pipe never fails
		term.tasks.Wait()
	})
	return term
}

// supportModernModes makes the emulator report that it supports synchronized output and grapheme widths. It does, but on its
// own it reports both modes as unknown.
func (t *terminal) supportModernModes() {
	t.screen.RegisterApcHandler(func(data []byte) bool { // the query of the kitty graphics protocol
		if bytes.Contains(data, []byte("a=q")) {
			_, _ = io.WriteString(t.screen.InputPipe(), "\x1b_Gi=31;OK\x1b\\") // as below
		}
		return true
	})
	t.screen.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(params ansi.Params) bool {
		n, _, _ := params.Param(0, 0)
		for _, mode := range []ansi.DECMode{ansi.ModeSynchronizedOutput, ansi.ModeUnicodeCore} {
			if n == mode.Mode() {
				_, _ = io.WriteString(t.screen.InputPipe(), ansi.ReportMode(mode, ansi.ModeReset)) // fails only when closed
				return true
			}
		}
		return false
	})
}

func (s size) winsize() *pty.Winsize { return &pty.Winsize{Cols: uint16(s.w), Rows: uint16(s.h)} }

// readOutput reads the program's output until it ends.
func (t *terminal) readOutput() {
	buf := make([]byte, 64<<10)
	for {
		n, err := t.pty.Read(buf)
		t.mu.Lock()
		t.raw.Write(buf[:n])
		t.held = append(t.held, buf[:n]...)
		if t.partial = t.inFrame(n); !t.partial || err != nil {
			t.feed(t.held)
			t.held = t.held[:0]
		}
		close(t.changed)
		t.changed = make(chan struct{})
		t.mu.Unlock()
		if err != nil { // EIO: the program closed the other end
			break
		}
	}
	t.result = t.cmd.Wait()
	close(t.ended)
}

// inFrame reports whether the output, whose last n bytes are new, ends within a frame. A terminal with synchronized output
// shows nothing of such a frame.
func (t *terminal) inFrame(n int) bool {
	text := t.raw.Bytes()
	text = text[max(0, len(text)-n-len(ansi.SetModeSynchronizedOutput)+1):]
	begun := bytes.LastIndex(text, []byte(ansi.SetModeSynchronizedOutput))
	done := bytes.LastIndex(text, []byte(ansi.ResetModeSynchronizedOutput))
	return begun > done || begun == done && t.partial
}

// feed writes bytes to the emulator, in pieces that end where an escape sequence begins: the emulator does not join characters
// across writes. It panics on a frame of an old size; such a frame is ignored, and the next one redraws everything.
func (t *terminal) feed(b []byte) {
	for len(b) > 0 {
		n := len(b)
		if n > 256 {
			if next := bytes.IndexByte(b[256:], ansi.ESC); next >= 0 {
				n = 256 + next
			}
		}
		func() {
			defer func() {
				if recover() != nil {
					_, _ = t.screen.WriteString(wholeScreen) // fails only when closed
				}
			}()
			_, _ = t.screen.Write(b[:n]) // as above
		}()
		b = b[n:]
	}
}

// wholeScreen makes the whole screen scroll, and leaves the cursor in place.
const wholeScreen = "\x1b7\x1b[r\x1b8"

// forwardAnswers sends the emulator's answers to the program.
func (t *terminal) forwardAnswers() {
	buf := make([]byte, 4096)
	for {
		n, err := t.screen.Read(buf)
		if err != nil {
			return
		}
		t.send(string(buf[:n]))
	}
}

// writeInput writes queued input to the program. A program that does not read blocks only this goroutine.
func (t *terminal) writeInput(stop <-chan struct{}) {
	for {
		select {
		case b := <-t.input:
			if _, err := t.pty.Write(b); err != nil {
				return
			}
		case <-stop:
			return
		}
	}
}

func (t *terminal) send(s string) {
	select {
	case t.input <- []byte(s):
	case <-t.ended:
	}
}

func (t *terminal) typeText(text string) { t.send(text) }

func (t *terminal) press(names ...string) {
	t.t.Helper()
	for _, name := range names {
		k := keySequence(name)
		if k == "" {
			t.t.Fatalf("there is no key %q", name)
		}
		t.send(k)
	}
}

func (t *terminal) sendMessage(text string) {
	t.send(text)
	t.wait("the draft "+text, func(s screen) bool { return strings.Contains(s.text, "│ "+firstOf(text, 12)) })
	t.press("enter")
}

func firstOf(s string, n int) string { return string([]rune(s)[:min(n, len([]rune(s)))]) }

// paste pastes text with bracketed paste.
func (t *terminal) paste(text string) { t.send("\x1b[200~" + text + "\x1b[201~") }

func (t *terminal) resize(s size) { t.resizeDuring(s, "") }

// resizeDuring changes the size of the terminal, and then writes late, which the program wrote for the old size.
func (t *terminal) resizeDuring(s size, late string) {
	t.t.Helper()
	t.mu.Lock()
	t.screen.Resize(s.w, s.h)
	t.feed([]byte(wholeScreen + late)) // as terminals do
	t.mu.Unlock()
	if err := pty.Setsize(t.pty, s.winsize()); err != nil {
		t.t.Fatal(err)
	}
}

func (t *terminal) shown() screen {
	t.mu.Lock()
	defer t.mu.Unlock()
	return newScreen(t.screen)
}

// written returns all output so far.
func (t *terminal) written() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.raw.String()
}

// startupLen waits until the program has sent all its startup queries, and returns the length of the output then. The queries
// for the background and for focus reports come last, sometimes after the first frames.
func (t *terminal) startupLen() int {
	t.t.Helper()
	t.wait("last questions", func(screen) bool {
		return strings.Contains(t.written(), "\x1b]11;?") && strings.Contains(t.written(), ansi.RequestModeFocusEvent)
	})
	return len(t.written())
}

// wait waits until wanted is true for a complete frame, and returns the screen.
func (t *terminal) wait(what string, wanted func(screen) bool) screen {
	t.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for ended := false; ; {
		t.mu.Lock()
		s, changed, partial := newScreen(t.screen), t.changed, t.partial
		t.mu.Unlock()
		if (!partial || ended) && wanted(s) {
			return s
		}
		if ended {
			t.t.Fatalf("the program ended (%v) before there was %s:\n%s", t.result, what, s.text)
		}
		select {
		case <-changed:
		case <-t.ended:
			ended = true
		case <-late.C:
			t.t.Fatalf("there is still no %s:\n%s", what, s.text)
		}
	}
}

// awaitCell waits until a cell contains a character; y counts from the bottom if negative. It is cheaper than wait.
func (t *terminal) awaitCell(x, y int, want string) {
	t.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		t.mu.Lock()
		row := y
		if row < 0 {
			row += t.screen.Height()
		}
		c, changed := t.screen.CellAt(x, row), t.changed
		t.mu.Unlock()
		if c != nil && c.Content == want {
			return
		}
		select {
		case <-changed:
		case <-late.C:
			t.t.Fatalf("there is still no %q at %d, %d:\n%s", want, x, y, t.shown().text)
		}
	}
}

// awaitText waits until all of the texts are on the screen.
func (t *terminal) awaitText(texts ...string) screen {
	t.t.Helper()
	return t.wait(strings.Join(texts, ", "), func(s screen) bool { return s.has(texts...) })
}

// awaitIdle waits until all of the texts are on the screen, no turn runs, and the frame is complete.
func (t *terminal) awaitIdle(texts ...string) screen {
	t.t.Helper()
	return t.wait("quiet screen with "+strings.Join(texts, ", "), func(s screen) bool {
		return s.has(texts...) && !s.busy() && s.frameFault() == ""
	})
}

func (s screen) busy() bool {
	return strings.ContainsAny(s.text, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") || s.has("waiting for your answer") || s.has("Allow this?")
}

func (t *terminal) kill() {
	// Fails only when it has ended already.
	_ = t.cmd.Process.Signal(syscall.SIGKILL)
}

// awaitExit waits for the end of the program and returns its exit code.
func (t *terminal) awaitExit() int {
	t.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-t.ended:
	case <-late.C:
		t.t.Fatalf("the program does not end:\n%s", t.shown().text)
	}
	code, ok := exitCode(t.result)
	if !ok {
		t.t.Fatal(t.result)
	}
	return code
}

// exitCode returns the exit code of a command, and false if it did not run.
func exitCode(err error) (int, bool) {
	if err == nil {
		return 0, true
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, false
	}
	return exit.ExitCode(), true
}
