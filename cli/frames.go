package cli

import (
	"context"
	"io"
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"

	"plimsoll/cli/screen"
)

// Bubble Tea draws on a ticker with a fixed rate, which also runs while the program is idle. It only has to run for a moment
// after each message, so that an idle program uses no processor time. Bubble Tea cannot stop it, so its private field is
// accessed by reflection. If a later version moves the field, the ticker runs all the time, and a test fails.

const (
	ticksPerSecond = 90              // while messages come
	quietInterval  = time.Second / 6 // between quietMsgs
	suspendTimeout = time.Second / 4 // time for the system to stop a program that suspends itself
)

// quietMsg is sent to find out whether other messages come. Bubble Tea handles messages in order: when this one arrives, the
// view after all earlier ones is ready, and the next tick writes it. A timer alone would not know that, because a slow
// machine can take any time to draw.
type quietMsg struct{}

// framePacer starts and stops the frame ticker of one program.
type framePacer struct {
	program        *tea.Program
	pace           *screen.Pace
	isTickerSought bool // tickerOf was called; used by the program's goroutine only

	// Used by the program's goroutine only.
	ticker     *time.Ticker // nil if it was not found
	isFast     bool
	quietCount int // quietMsgs since the last other message

	quietTimer *time.Timer // fires while the ticker runs

	mu            sync.Mutex // guards what follows
	isSuspended   bool
	continueTimer *time.Timer // runs while suspended
}

// runScreen runs a program until the user quits or ctx ends. Then Quit is called: a program that has the context itself would
// close its input while it still reads from it.
func runScreen(ctx context.Context, model tea.Model, pace *screen.Pace, out io.Writer, input tea.ProgramOption) error {
	f := newFramePacer(pace)
	f.program = tea.NewProgram(model, input, tea.WithOutput(out), tea.WithFPS(ticksPerSecond),
		tea.WithFilter(f.filterMessage), tea.WithoutSignalHandler())
	stopped := make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() { f.sendQuietMsgs(stopped) })
	defer context.AfterFunc(ctx, f.program.Quit)()
	_, err := f.program.Run()
	close(stopped)
	sender.Wait()
	f.stop()
	return err
}

func newFramePacer(pace *screen.Pace) *framePacer {
	return &framePacer{pace: pace, quietTimer: time.NewTimer(quietInterval)}
}

// sendQuietMsgs sends a quietMsg each time the timer fires, until the program has ended.
func (f *framePacer) sendQuietMsgs(stopped <-chan struct{}) {
	for {
		select {
		case <-stopped:
			return
		case <-f.quietTimer.C:
			f.program.Send(quietMsg{})
		}
	}
}

// filterMessage passes every message on, except quietMsg, and keeps the ticker running after each. Bubble Tea calls it on the
// goroutine that made the ticker.
func (f *framePacer) filterMessage(_ tea.Model, msg tea.Msg) tea.Msg {
	if !f.isTickerSought {
		f.isTickerSought = true
		f.setTicker(tickerOf(f.program))
	}
	if _, ok := msg.(quietMsg); ok {
		f.countQuiet()
		return nil
	}
	f.speedUp()
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg, tea.WindowSizeMsg:
		f.pace.NoteInput()
	case tea.SuspendMsg:
		f.setSuspended(true)
	case tea.ResumeMsg:
		f.setSuspended(false)
	case tea.FocusMsg, tea.BlurMsg:
		_, has := msg.(tea.FocusMsg)
		f.pace.SetFocus(has)
	}
	return msg
}

// setSuspended notes that the program suspends itself or continues. If the system does not stop it, it is sent the signal to
// continue until it does: see [screen.Continue].
func (f *framePacer) setSuspended(isSuspended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isSuspended = isSuspended
	if isSuspended {
		f.continueTimer = time.AfterFunc(suspendTimeout, f.continueProcess)
	}
}

func (f *framePacer) continueProcess() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isSuspended {
		screen.Continue()
		f.continueTimer.Reset(suspendTimeout)
	}
}

// tickerOf returns the frame ticker of a running program, nil if its field was moved.
func tickerOf(p *tea.Program) *time.Ticker {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || field.IsNil() {
		return nil
	}
	return (*time.Ticker)(unsafe.Pointer(field.Pointer()))
}

// setTicker sets the ticker, which is already running.
func (f *framePacer) setTicker(t *time.Ticker) { f.ticker, f.isFast = t, t != nil }

// speedUp starts the ticker again if it was stopped.
func (f *framePacer) speedUp() {
	f.quietCount = 0
	if f.ticker == nil || f.isFast {
		return
	}
	f.isFast = true
	f.ticker.Reset(time.Second / ticksPerSecond)
	f.quietTimer.Reset(quietInterval)
}

// countQuiet stops the ticker at the third quietMsg in a row: by then the view before the first is written. At the second the
// ticker is restarted, because Bubble Tea may have stopped it while another program had the terminal.
func (f *framePacer) countQuiet() {
	if f.ticker == nil {
		return
	}
	switch f.quietCount++; f.quietCount {
	case 3:
		f.isFast = false
		f.ticker.Stop()
		return
	case 2:
		f.ticker.Reset(time.Second / ticksPerSecond)
	}
	f.quietTimer.Reset(quietInterval)
}

// stop stops all timers after the program has ended.
func (f *framePacer) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isSuspended = false
	f.quietTimer.Stop()
	if f.ticker != nil {
		f.ticker.Stop()
	}
}
