package cli

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/cli/screen"
)

// quitter is a screen that quits at its first message.
type quitter struct{}

func (quitter) Init() tea.Cmd                         { return nil }
func (q quitter) Update(tea.Msg) (tea.Model, tea.Cmd) { return q, tea.Quit }
func (quitter) View() tea.View                        { return tea.NewView("") }

func TestTheTickerOfTheLibraryIsFound(t *testing.T) {
	t.Parallel()
	found := false
	var p *tea.Program
	p = tea.NewProgram(quitter{}, tea.WithContext(t.Context()), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutSignalHandler(), tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
			found = tickerOf(p) != nil
			return msg
		}))
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Error("the library keeps its ticker elsewhere: the idle screen wakes ninety times a second")
	}
}

func TestTheTickerStopsWhileTheScreenIsIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ticker := time.NewTicker(time.Second / ticksPerSecond)
		f := newFramePacer(&screen.Pace{})
		f.isTickerSought = true
		f.setTicker(ticker)
		defer f.stop()
		question := func() {
			if f.filterMessage(nil, quietMsg{}) != nil {
				t.Error("the query reaches the screen")
			}
		}
		ticks := func(d time.Duration) int {
			n := 0
			for end := time.After(d); ; {
				select {
				case <-ticker.C:
					n++
				case <-f.quietTimer.C:
					question()
				case <-end:
					return n
				}
			}
		}
		ticks(4 * quietInterval)
		if n := ticks(10 * time.Second); n > 0 {
			t.Errorf("%d ticks in ten quiet seconds", n)
		}
		f.filterMessage(nil, nil)
		if n := ticks(20 * time.Millisecond); n != 1 {
			t.Errorf("%d ticks within 20 ms of a message, not 1", n)
		}
		busy := 0
		for range 10 {
			f.filterMessage(nil, nil)
			busy += ticks(300 * time.Millisecond)
		}
		if busy < 3*ticksPerSecond-5 || busy > 3*ticksPerSecond+5 {
			t.Errorf("%d ticks in three busy seconds, not %d", busy, 3*ticksPerSecond)
		}
		ticks(4 * quietInterval)
		if n := ticks(10 * time.Second); n > 0 {
			t.Errorf("%d ticks in ten seconds after that", n)
		}

		// The query is not sent while the library draws for long; the drawn frame is still written.
		f.filterMessage(nil, nil)
		time.Sleep(time.Minute)
		question()
		if n := ticks(quietInterval / 2); n == 0 {
			t.Error("no tick after a message that took a minute to draw")
		}
	})
}
