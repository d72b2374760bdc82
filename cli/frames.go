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
	quietFor       = time.Second / 6 // from one question to the next
	stopsWithin    = time.Second / 4 // the system, a program that suspends itself
)

// quietMsg asks whether anything happened. The library handles one message after another: when this one is here, what came
// before it is drawn up, and the next tick writes it. The clock alone would not know that: a slow machine takes longer
// than any time to draw.
type quietMsg struct{}

// frames paces the ticker of one program.
type frames struct {
	program *tea.Program
	reader  *screen.Pace
	found   bool // the ticker was looked for; used by the program's goroutine only

	// Used by the program's goroutine only.
	ticker *time.Ticker // nil: it was not found
	fast   bool
	quiet  int // questions since something happened

	ask *time.Timer // fires while it ticks fast

	mu     sync.Mutex // guards what follows
	asleep bool
	alarm  *time.Timer // while asleep
}

// runScreen runs a program until it is left, or until ctx ends. It is then told to quit: a program that is given the
// context closes its input while it still reads from it.
func runScreen(ctx context.Context, model tea.Model, reader *screen.Pace, out io.Writer, input tea.ProgramOption) error {
	f := newFrames(reader)
	f.program = tea.NewProgram(model, input, tea.WithOutput(out), tea.WithFPS(ticksPerSecond),
		tea.WithFilter(f.message), tea.WithoutSignalHandler())
	ended := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() { f.watch(ended) })
	defer context.AfterFunc(ctx, f.program.Quit)()
	_, err := f.program.Run()
	close(ended)
	asking.Wait()
	f.end()
	return err
}

func newFrames(reader *screen.Pace) *frames {
	return &frames{reader: reader, ask: time.NewTimer(quietFor)}
}

// watch asks the program whether anything happened, until it has ended.
func (f *frames) watch(ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-f.ask.C:
			f.program.Send(quietMsg{})
		}
	}
}

// message lets every message pass, and notes that there was one. The library
// calls it on the goroutine that made the ticker.
func (f *frames) message(_ tea.Model, msg tea.Msg) tea.Msg {
	if !f.found {
		f.found = true
		f.pace(tickerOf(f.program))
	}
	if _, ok := msg.(quietMsg); ok {
		f.rest()
		return nil
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
func (f *frames) pace(t *time.Ticker) { f.ticker, f.fast = t, t != nil }

// wake has the ticker tick fast from now on.
func (f *frames) wake() {
	f.quiet = 0
	if f.ticker == nil || f.fast {
		return
	}
	f.fast = true
	f.ticker.Reset(time.Second / ticksPerSecond)
	f.ask.Reset(quietFor)
}

// rest stops the ticker at the third question since something happened. What was drawn up before the first is written until
// then. At the second the ticker starts anew: the library may have stopped it after it took the terminal back.
func (f *frames) rest() {
	if f.ticker == nil {
		return
	}
	switch f.quiet++; f.quiet {
	case 3:
		f.fast = false
		f.ticker.Stop()
		return
	case 2:
		f.ticker.Reset(time.Second / ticksPerSecond)
	}
	f.ask.Reset(quietFor)
}

// end stops what still runs when the program has ended.
func (f *frames) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asleep = false
	f.ask.Stop()
	if f.ticker != nil {
		f.ticker.Stop()
	}
}
