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

// The library draws on a ticker, whose rate is fixed when the program starts and which goes on while nothing happens. It
// only has to run for a moment after something happened: an idle program then stays asleep. The library has no way to
// stop it, so its private field is reached for. If the library keeps its ticker elsewhere one day, it runs all the time,
// and a test fails.

const (
	ticksPerSecond = 90              // while something happens
	quietInterval  = time.Second / 6 // from one question to the next
	suspendTimeout = time.Second / 4 // the system, a program that suspends itself
)

// quietMsg asks whether anything happened. The library handles one message after another: when this one is here, what came
// before it is drawn up, and the next tick writes it. The clock alone would not know that: a slow machine takes longer
// than any time to draw.
type quietMsg struct{}

// frames paces the ticker of one program.
type framePacer struct {
	program        *tea.Program
	pace           *screen.Pace
	isTickerSought bool // the ticker was looked for; used by the program's goroutine only

	// Used by the program's goroutine only.
	ticker     *time.Ticker // nil: it was not found
	isFast     bool
	quietCount int // questions since something happened

	quietTimer *time.Timer // fires while it ticks fast

	mu            sync.Mutex // guards what follows
	isSuspended   bool
	continueTimer *time.Timer // while asleep
}

// runScreen runs a program until it is left, or until ctx ends. It is then told to quit: a program that is given the
// context closes its input while it still reads from it.
func runScreen(ctx context.Context, model tea.Model, reader *screen.Pace, out io.Writer, input tea.ProgramOption) error {
	f := newFramePacer(reader)
	f.program = tea.NewProgram(model, input, tea.WithOutput(out), tea.WithFPS(ticksPerSecond),
		tea.WithFilter(f.filterMessage), tea.WithoutSignalHandler())
	ended := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() { f.sendQuietMsgs(ended) })
	defer context.AfterFunc(ctx, f.program.Quit)()
	_, err := f.program.Run()
	close(ended)
	asking.Wait()
	f.stop()
	return err
}

func newFramePacer(reader *screen.Pace) *framePacer {
	return &framePacer{pace: reader, quietTimer: time.NewTimer(quietInterval)}
}

// watch asks the program whether anything happened, until it has ended.
func (f *framePacer) sendQuietMsgs(ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-f.quietTimer.C:
			f.program.Send(quietMsg{})
		}
	}
}

// message lets every message pass, and notes that there was one. The library
// calls it on the goroutine that made the ticker.
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

// suspend notes that the program suspends itself, or that it goes on again. Where nothing stops it, it is told to go on
// until it does: see [screen.Continue].
func (f *framePacer) setSuspended(asleep bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isSuspended = asleep
	if asleep {
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

// tickerOf is the frame ticker of a running program, nil if it is not where it
// is looked for.
func tickerOf(p *tea.Program) *time.Ticker {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || field.IsNil() {
		return nil
	}
	return (*time.Ticker)(unsafe.Pointer(field.Pointer()))
}

// pace takes over a ticker that ticks fast.
func (f *framePacer) setTicker(t *time.Ticker) { f.ticker, f.isFast = t, t != nil }

// wake has the ticker tick fast from now on.
func (f *framePacer) speedUp() {
	f.quietCount = 0
	if f.ticker == nil || f.isFast {
		return
	}
	f.isFast = true
	f.ticker.Reset(time.Second / ticksPerSecond)
	f.quietTimer.Reset(quietInterval)
}

// rest stops the ticker at the third question since something happened. What was drawn up before the first is written until
// then. At the second the ticker starts anew: the library may have stopped it after it took the terminal back.
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

// end stops what still runs when the program has ended.
func (f *framePacer) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isSuspended = false
	f.quietTimer.Stop()
	if f.ticker != nil {
		f.ticker.Stop()
	}
}
