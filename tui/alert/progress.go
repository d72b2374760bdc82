package alert

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// A terminal takes the bar of a program that says nothing more for one that hangs, and clears it (Ghostty after 15
// seconds). So what goes on is said again now and then. The library says it whenever the bar is another one, and takes it
// away when it leaves the terminal. So the value changes with each beat, by an invisible amount.

// beatEvery is how long a bar stands until it is said again, and how long a failure is shown.
const beatEvery = 5 * time.Second

// State is what a progress bar shows.
type State int

// The states of a progress bar.
const (
	None State = iota
	Busy
	Asking // something waits for the user
	Failed // for a moment
)

// Progress is the progress bar of a terminal. The zero value shows none.
type Progress struct {
	state State
	beats int
	seq   int // tells an old beat from the newest
}

// Beat says that a bar has stood for a while.
type Beat struct{ seq int }

// Show has the bar show a state. A failure shows for its moment, after something that went on.
func (p *Progress) Show(s State) tea.Cmd {
	if s == p.state || s == None && p.state == Failed || s == Failed && p.state == None {
		return nil
	}
	p.state, p.beats = s, 0
	p.seq++
	return p.next()
}

// Beat keeps a bar alive, or ends that of a failure.
func (p *Progress) Beat(b Beat) tea.Cmd {
	if b.seq != p.seq {
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
	return tea.Tick(beatEvery, func(time.Time) tea.Msg { return Beat{seq} })
}

// Bar is what the library is told, nil for no bar.
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
