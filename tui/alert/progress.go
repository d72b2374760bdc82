package alert

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Some terminals clear a progress bar that is not updated (Ghostty after 15 seconds). So the bar is sent again every few
// seconds. Bubble Tea sends a bar only when it differs from the last one, so each time its value changes by an invisible
// amount.

// tickEvery is the time between two updates of a bar, and how long a failure is shown.
const tickEvery = 5 * time.Second

// State is what a progress bar shows.
type State int

// The states of a progress bar.
const (
	None State = iota
	Busy
	Asking // an approval waits for the user
	Failed // shown for a few seconds
)

// Progress is the progress bar of a terminal. The zero value shows none.
type Progress struct {
	state State
	beats int
	seq   int // of the newest state, to ignore the beats of earlier ones
}

// Tick is the message that it is time to update the bar.
type Tick struct{ seq int }

// Show sets the state of the bar. A failure stays visible for its time, and is shown only if a bar was visible before.
func (p *Progress) Show(s State) tea.Cmd {
	if s == p.state || s == None && p.state == Failed || s == Failed && p.state == None {
		return nil
	}
	p.state, p.beats = s, 0
	p.seq++
	return p.next()
}

// Tick updates the bar, or ends that of a failure.
func (p *Progress) Tick(t Tick) tea.Cmd {
	if t.seq != p.seq {
		return nil
	}
	p.beats++
	if p.state == Failed {
		p.state = None
	}
	return p.next()
}

func (p *Progress) next() tea.Cmd {
	if p.state == None {
		return nil
	}
	seq := p.seq
	return tea.Tick(tickEvery, func(time.Time) tea.Msg { return Tick{seq} })
}

// Bar returns the progress bar for Bubble Tea, nil for no bar.
func (p *Progress) Bar() *tea.ProgressBar {
	switch p.state {
	case Busy:
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, p.beats%2)
	case Asking:
		return tea.NewProgressBar(tea.ProgressBarWarning, 100-p.beats%2)
	case Failed:
		return tea.NewProgressBar(tea.ProgressBarError, 100)
	}
	return nil
}
