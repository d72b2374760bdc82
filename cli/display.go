package cli

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/tui/paint"
)

// The library draws every cell of every frame again, on a ticker. A display takes the
// frames before they reach it, writes what is different in them, and does that when
// they change. The library keeps the rest of the terminal: raw mode, the alternate
// screen, the modes, the title, leaving and coming back. It thinks the screen is empty;
// so whenever it writes something, the frame is drawn over it, in the same write.

// frameGap is the least time between two frames.
const frameGap = time.Second / 90

// display draws the frames of one program.
type display struct {
	out io.Writer

	mu      sync.Mutex // guards what follows, and the order of writes
	painter paint.Painter
	shown   bool // the alternate screen is: there is something to draw on
	content string
	cursor  *tea.Cursor
	fresh   bool        // it was not drawn yet
	drawn   time.Time   // when a frame was drawn last
	next    *time.Timer // draws the one that waits, nil until the first has waited
	turns   int         // modes of the terminal that became known
}

func newDisplay(out io.Writer) *display {
	return &display{out: out, painter: paint.Painter{Scrolls: runtime.GOOS != "windows"}}
}

// terminalFile is what the library knows a terminal by.
type terminalFile interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// displayFile is a display on a terminal.
type displayFile struct {
	terminalFile
	*display
}

// Write writes what the library has to say.
func (f displayFile) Write(b []byte) (int, error) { return f.display.Write(b) }

// output is where the library writes to.
func (d *display) output() io.Writer {
	if file, ok := d.out.(terminalFile); ok {
		return displayFile{file, d}
	}
	return d
}

// Write writes what the library has to say, and the frame over it.
func (d *display) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	was := d.shown
	enters, leaves := bytes.LastIndex(b, []byte(ansi.SetModeAltScreenSaveCursor)), bytes.LastIndex(b, []byte(ansi.ResetModeAltScreenSaveCursor))
	if enters >= 0 || leaves >= 0 {
		d.shown = enters > leaves
	}
	all := b
	switch {
	case d.shown && disturbs(b):
		d.painter.Forget()
		all = joined(b, d.frame())
	case was && !d.shown:
		all = append(bytes.Clone(b), d.painter.Leave()...)
	}
	n, err := d.out.Write(all)
	return min(n, len(b)), err
}

// joined is what the library writes and the frame over it, as one frame where both are
// marked: nobody sees the erased screen between them.
func joined(b, frame []byte) []byte {
	begin, end := []byte(ansi.SetModeSynchronizedOutput), []byte(ansi.ResetModeSynchronizedOutput)
	if bytes.HasSuffix(b, end) && bytes.HasPrefix(frame, begin) {
		b, frame = b[:len(b)-len(end)], frame[len(begin):]
	}
	return append(bytes.Clone(b), frame...)
}

// disturbs reports whether a write may change what stands on the screen or where the
// cursor is: it does more than set modes and ask questions.
func disturbs(b []byte) bool {
	var state byte
	parser := ansi.GetParser()
	defer ansi.PutParser(parser)
	for len(b) > 0 {
		part, _, n, next := ansi.DecodeSequence(b, state, parser)
		command := ansi.Cmd(parser.Command())
		switch {
		case ansi.HasOscPrefix(part), ansi.HasDcsPrefix(part), len(part) == 1 && part[0] == ansi.BEL:
		case ansi.HasCsiPrefix(part) && bytes.ContainsRune([]byte("hlpqucnmt"), rune(command.Final())):
			if mode, _, _ := parser.Params().Param(0, 0); mode == ansi.ModeTextCursorEnable.Mode() || mode == ansi.ModeAltScreenSaveCursor.Mode() {
				return true
			}
		default:
			return true
		}
		b, state = b[n:], next
	}
	return false
}

// frame is what the newest frame takes. The lock is held.
func (d *display) frame() []byte {
	d.fresh, d.drawn = false, time.Now()
	return d.painter.Frame(d.content, d.cursor)
}

// draw draws the newest frame. The lock is held.
func (d *display) draw() {
	if b := d.frame(); len(b) > 0 {
		_, _ = d.out.Write(b) // the library itself notices that a terminal is gone
	}
}

// show draws a frame: at once, or when the one before has stood for a moment.
func (d *display) show(content string, cursor *tea.Cursor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.content, d.cursor = content, cursor
	if !d.shown || d.fresh {
		return
	}
	if left := frameGap - time.Since(d.drawn); left > 0 {
		d.fresh = true
		if d.next == nil {
			d.next = time.AfterFunc(left, d.due)
		} else {
			d.next.Reset(left)
		}
		return
	}
	d.draw()
}

// due draws the frame that waits.
func (d *display) due() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shown && d.fresh {
		d.draw()
	}
}

// end has no more frames drawn.
func (d *display) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shown = false
	if d.next != nil {
		d.next.Stop()
	}
}

// learn takes over what the library tells of the terminal.
func (d *display) learn(msg tea.Msg) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		d.painter.Resize(msg.Width, msg.Height)
	case tea.ColorProfileMsg:
		d.painter.Profile = msg.Profile
		d.painter.Forget()
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset {
			d.painter.Synced = true
		}
		d.turns++
	}
}

// blank is an empty screen. It is another one when a mode of the terminal became known,
// so that the library writes what it sets because of that.
func (d *display) blank() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Repeat(" ", 1+d.turns%2)
}

// displayed is a screen whose frames a display draws.
type displayed struct {
	tea.Model
	display *display
}

// Update gives a message to the screen.
func (m displayed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.display.learn(msg)
	model, cmd := m.Model.Update(msg)
	m.Model = model
	return m, cmd
}

// View is the modes of the terminal and an empty screen, which the frame is drawn on.
func (m displayed) View() tea.View {
	v := m.Model.View()
	if !v.AltScreen {
		return v
	}
	m.display.show(v.Content, v.Cursor)
	v.SetContent(m.display.blank())
	v.Cursor = nil
	return v
}
