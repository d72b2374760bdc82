package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// The size of the terminal, which is also how many cells a picture has.
const columns, lines = 100, 26

// The colors of the terminal where the program names none.
var paper, ink = color.RGBA{0x14, 0x17, 0x1c, 0xff}, color.RGBA{0xd5, 0xd9, 0xe0, 0xff}

// project is what the demo model is asked about.
var project = map[string]string{
	"README.md":    "# Harbor\n\nA small program that counts ships.\n\n- `go run .` prints the count\n- `go test ./...` checks it\n",
	"main.go":      "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(ships(), \"ships\") }\n",
	"ships.go":     "package main\n\n// TODO: count the sunken ones, too.\nfunc ships() int { return 42 }\n",
	"docs/plan.md": "# Plan\n\n- count ships\n",
}

// terminal is the program in an emulator. It shows whole frames only.
type terminal struct {
	cmd   *exec.Cmd
	pty   *os.File
	tasks sync.WaitGroup

	mu      sync.Mutex // guards what follows
	screen  *vt.Emulator
	held    []byte        // of a frame that is not whole yet
	cursor  bool          // shown
	changed chan struct{} // closed, and replaced, when something new is shown

	ended chan struct{} // closed when the program has ended
}

// open starts the program in a project of its own below a folder.
func open(dir, program string) (*terminal, error) {
	home := filepath.Join(dir, "home")
	work := filepath.Join(home, "harbor")
	for name, text := range project {
		file := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	t := &terminal{screen: vt.NewEmulator(columns, lines), cmd: exec.Command(program, "--demo"), changed: make(chan struct{}), ended: make(chan struct{})}
	t.cmd.Dir = work
	t.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
		"TZ=UTC", "PLIMSOLL_NO_PROBE=1", recorded + "=1"}
	t.screen.SetDefaultBackgroundColor(paper)
	t.screen.SetDefaultForegroundColor(ink)
	t.screen.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { t.cursor = visible }})
	t.screen.RegisterCsiHandler(ansi.Command('?', '$', 'p'), t.modes)
	var err error
	if t.pty, err = pty.StartWithSize(t.cmd, &pty.Winsize{Cols: columns, Rows: lines}); err != nil {
		return nil, fmt.Errorf("starting the program: %w", err)
	}
	t.tasks.Go(t.output)
	t.tasks.Go(func() { _, _ = io.Copy(t.pty, t.screen) }) // answers to queries; ends when either is closed
	return t, nil
}

// recorded is the variable by which a test binary knows that it is to be plimsoll.
const recorded = "PLIMSOLL_RECORDED"

// modes says that the emulator takes frames as a whole and measures characters as people see them.
func (t *terminal) modes(params ansi.Params) bool {
	n, _, _ := params.Param(0, 0)
	for _, mode := range []ansi.DECMode{ansi.ModeSynchronizedOutput, ansi.ModeUnicodeCore} {
		if n == mode.Mode() {
			_, _ = io.WriteString(t.screen.InputPipe(), ansi.ReportMode(mode, ansi.ModeReset)) // fails only when closed
			return true
		}
	}
	return false
}

// output takes what the program writes until it ends.
func (t *terminal) output() {
	buf := make([]byte, 64<<10)
	for {
		n, err := t.pty.Read(buf)
		t.mu.Lock()
		t.held = append(t.held, buf[:n]...)
		begun := bytes.LastIndex(t.held, []byte(ansi.SetModeSynchronizedOutput))
		if done := bytes.LastIndex(t.held, []byte(ansi.ResetModeSynchronizedOutput)); begun <= done || err != nil {
			t.feed()
			close(t.changed)
			t.changed = make(chan struct{})
		}
		t.mu.Unlock()
		if err != nil { // nobody holds the other end any more
			close(t.ended)
			return
		}
	}
}

// feed shows what is held, in pieces that end where an escape sequence begins: the emulator takes the end of a write for
// that of a character.
func (t *terminal) feed() {
	for b := t.held; len(b) > 0; {
		n := len(b)
		if n > 256 {
			if next := bytes.IndexByte(b[256:], ansi.ESC); next >= 0 {
				n = 256 + next
			}
		}
		_, _ = t.screen.Write(b[:n]) // fails only when closed
		b = b[n:]
	}
	t.held = t.held[:0]
}

// shown is the screen now, and what closes when there is another.
func (t *terminal) shown() (screen, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return newScreen(t.screen, t.cursor), t.changed
}

func (t *terminal) send(keys string) { _, _ = t.pty.WriteString(keys) } // a program that has ended is seen by who waits

// stop ends the program and all that serves it.
func (t *terminal) stop() {
	_ = t.cmd.Process.Kill() // fails only if it has ended
	_ = t.cmd.Wait()         // killed
	_ = t.pty.Close()
	_ = t.screen.InputPipe().(io.Closer).Close() // closing a pipe never fails
	t.tasks.Wait()
}
