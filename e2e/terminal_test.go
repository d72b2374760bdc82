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

// A terminal is a program in a pseudo-terminal. What it writes goes to an
// emulator, which answers its queries as a terminal does, and is kept as bytes.
// Waiting is for a condition of the screen, looked at again whenever something
// was written; the deadline is only for tests that fail.

// patience is how long a test waits for what must come.
const patience = 2 * time.Minute

type terminal struct {
	t   testing.TB
	cmd *exec.Cmd
	pty *os.File

	mu      sync.Mutex // guards what follows
	screen  *vt.Emulator
	raw     bytes.Buffer
	partial bool          // a frame was begun that is not there as a whole
	held    []byte        // of a frame that is not whole yet, and so not shown
	changed chan struct{} // closed, and replaced, when something was written

	input  chan []byte
	ended  chan struct{} // closed when the program has ended and all it wrote is here
	result error
	tasks  sync.WaitGroup
}

// size is columns and rows.
type size struct{ w, h int }

// The usual size, and one that has room for all that a line about a compaction says.
var usual, wide = size{100, 30}, size{140, 30}

// start starts the program in a terminal.
func (p *place) start(s size, args ...string) *terminal {
	p.t.Helper()
	return open(p.t, p.command(args...), s)
}

// talking starts plimsoll with a server's model and waits until one can type.
func (p *place) talking(s size, with interface{ args(more ...string) []string }, more ...string) *terminal {
	p.t.Helper()
	term := p.start(s, with.args(more...)...)
	term.idle("Talking to")
	return term
}

// open starts a command in a terminal of its own.
func open(t testing.TB, cmd *exec.Cmd, s size) *terminal {
	t.Helper()
	term := &terminal{t: t, cmd: cmd, screen: vt.NewEmulator(s.w, s.h), changed: make(chan struct{}),
		input: make(chan []byte, 4096), ended: make(chan struct{})}
	term.modernise()
	var err error
	if term.pty, err = pty.StartWithSize(cmd, s.winsize()); err != nil {
		t.Fatalf("starting the program: %v", err)
	}
	stop := make(chan struct{})
	term.tasks.Go(term.output)
	term.tasks.Go(term.answers)
	term.tasks.Go(func() { term.write(stop) })
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

// modernise has the emulator say that it takes frames as a whole and measures
// characters as people see them, which it does: asked about these two modes it
// says that it never heard of them.
func (t *terminal) modernise() {
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

// output takes what the program writes until it ends.
func (t *terminal) output() {
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
		if err != nil { // EIO: nobody holds the other end any more
			break
		}
	}
	t.result = t.cmd.Wait()
	close(t.ended)
}

// inFrame reports whether what was written ends within a frame; its last n bytes are
// new. A terminal that takes frames as a whole shows nothing of it yet.
func (t *terminal) inFrame(n int) bool {
	text := t.raw.Bytes()
	text = text[max(0, len(text)-n-len(ansi.SetModeSynchronizedOutput)+1):]
	begun := bytes.LastIndex(text, []byte(ansi.SetModeSynchronizedOutput))
	done := bytes.LastIndex(text, []byte(ansi.ResetModeSynchronizedOutput))
	return begun > done || begun == done && t.partial
}

// feed gives bytes to the emulator, in pieces that end where an escape sequence begins: it takes what a write ends with
// for a whole character, and counts the cells of one that is cut wrongly. It panics on a frame for a size that it no
// longer has: such a frame means nothing, and the next one redraws everything.
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

// answers types what the emulator answers to queries.
func (t *terminal) answers() {
	buf := make([]byte, 4096)
	for {
		n, err := t.screen.Read(buf)
		if err != nil {
			return
		}
		t.send(string(buf[:n]))
	}
}

// write types what was sent. A program that does not read makes nobody wait.
func (t *terminal) write(stop <-chan struct{}) {
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

// typed types text.
func (t *terminal) typed(text string) { t.send(text) }

// key presses a key.
func (t *terminal) key(names ...string) {
	t.t.Helper()
	for _, name := range names {
		k := keySequence(name)
		if k == "" {
			t.t.Fatalf("there is no key %q", name)
		}
		t.send(k)
	}
}

// say types a message and sends it.
func (t *terminal) say(text string) {
	t.send(text)
	t.wait("the draft "+text, func(s screen) bool { return strings.Contains(s.text, "│ "+firstOf(text, 12)) })
	t.key("enter")
}

func firstOf(s string, n int) string { return string([]rune(s)[:min(n, len([]rune(s)))]) }

// paste pastes text as terminals do.
func (t *terminal) paste(text string) { t.send("\x1b[200~" + text + "\x1b[201~") }

// resize changes the size of the terminal.
func (t *terminal) resize(s size) { t.resizeDuring(s, "") }

// resizeDuring changes the size of the terminal while bytes are on their way
// that were written before the program heard of it.
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

// shown is the screen now.
func (t *terminal) shown() screen {
	t.mu.Lock()
	defer t.mu.Unlock()
	return newScreen(t.screen)
}

// written is every byte that the program wrote so far.
func (t *terminal) written() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.raw.String()
}

// introduced is how much had been written when the program had asked the
// terminal all its own questions; those for the background and for reports of
// the focus come last, and may come after the first frames.
func (t *terminal) introduced() int {
	t.t.Helper()
	t.wait("last questions", func(screen) bool {
		return strings.Contains(t.written(), "\x1b]11;?") && strings.Contains(t.written(), ansi.RequestModeFocusEvent)
	})
	return len(t.written())
}

// wait waits until the screen is as wanted, and returns it. Only whole frames count.
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

// cell waits until a cell holds a character; y counts from the bottom if
// negative. It is cheaper than wait.
func (t *terminal) cell(x, y int, want string) {
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

// see waits until all of the texts are on the screen.
func (t *terminal) see(texts ...string) screen {
	t.t.Helper()
	return t.wait(strings.Join(texts, ", "), func(s screen) bool { return s.has(texts...) })
}

// idle waits until all of the texts are on the screen, no turn runs, and the
// frame is in order.
func (t *terminal) idle(texts ...string) screen {
	t.t.Helper()
	return t.wait("quiet screen with "+strings.Join(texts, ", "), func(s screen) bool {
		return s.has(texts...) && !s.busy() && s.broken() == ""
	})
}

// busy reports whether the screen says that a turn runs.
func (s screen) busy() bool {
	return strings.ContainsAny(s.text, "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") || s.has("waiting for you")
}

// kill kills the program as it stands.
func (t *terminal) kill() {
	// Fails only when it has ended already.
	_ = t.cmd.Process.Signal(syscall.SIGKILL)
}

// end waits for the end of the program and returns its exit code.
func (t *terminal) end() int {
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

// exitCode is the code a command ended with; false if it did not run.
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
