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
// only has to run for a moment after something happened: an idle program then wakes nobody. The library has no way to
// stop it, so its private field is reached for. If the library keeps its ticker elsewhere one day, it runs all the time,
// and a test fails.

const (
	ticksPerSecond = 90              // while something happens
	quietFor       = time.Second / 2 // until nothing happens
	stopsWithin    = time.Second / 4 // the system, a program that suspends itself
)

// frames paces the ticker of one program.
type frames struct {
	program *tea.Program
	reader  *screen.Pace
	found   bool // the ticker was looked for; used by the program's goroutine only

	mu     sync.Mutex   // guards what follows
	ticker *time.Ticker // nil: it was not found
	calm   *time.Timer  // runs while it ticks fast
	fast   bool
	last   time.Time // something happened
	asleep bool
	alarm  *time.Timer // while asleep
}

// runScreen runs a program until it is left, or until ctx ends. It is then told to quit: a program that is given the
// context closes its input while it still reads from it.
func runScreen(ctx context.Context, model tea.Model, reader *screen.Pace, out io.Writer, input tea.ProgramOption) error {
	f := &frames{reader: reader}
	f.program = tea.NewProgram(model, input, tea.WithOutput(out), tea.WithFPS(ticksPerSecond),
		tea.WithFilter(f.message), tea.WithoutSignalHandler())
	defer f.end()
	defer context.AfterFunc(ctx, f.program.Quit)()
	_, err := f.program.Run()
	return err
}

// message lets every message pass, and notes that there was one. The library
// calls it on the goroutine that made the ticker.
func (f *frames) message(_ tea.Model, msg tea.Msg) tea.Msg {
	if !f.found {
		f.found = true
		f.pace(tickerOf(f.program))
	}
	f.wake()
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg, tea.WindowSizeMsg:
		f.reader.Touch()
	case tea.SuspendMsg:
		f.suspend(true)
	case tea.ResumeMsg:
		f.suspend(false)
	case tea.FocusMsg, tea.BlurMsg:
		_, has := msg.(tea.FocusMsg)
		f.reader.Focus(has)
	}
	return msg
}

// suspend notes that the program suspends itself, or that it goes on again. Where nothing stops it, it is told to go on
// until it does: see [screen.Continue].
func (f *frames) suspend(asleep bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asleep = asleep
	if asleep {
		f.alarm = time.AfterFunc(stopsWithin, f.goOn)
	}
}

func (f *frames) goOn() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asleep {
		screen.Continue()
		f.alarm.Reset(stopsWithin)
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
func (f *frames) pace(t *time.Ticker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t == nil {
		return
	}
	f.ticker, f.fast, f.last = t, true, time.Now()
	f.calm = time.AfterFunc(quietFor, f.rest)
}

// wake has the ticker tick fast from now on.
func (f *frames) wake() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ticker == nil {
		return
	}
	f.last = time.Now()
	if f.fast {
		return
	}
	f.fast = true
	f.ticker.Reset(time.Second / ticksPerSecond)
	f.calm.Reset(quietFor)
}

// rest stops the ticker if nothing has happened for long enough.
func (f *frames) rest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ticker == nil {
		return
	}
	if left := quietFor - time.Since(f.last); left > 0 {
		f.calm.Reset(left)
		return
	}
	f.fast = false
	f.ticker.Stop()
}

// end leaves the ticker alone.
func (f *frames) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asleep = false
	if f.ticker == nil {
		return
	}
	f.calm.Stop()
	f.ticker.Stop()
	f.ticker = nil
}
