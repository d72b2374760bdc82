package replay

import "sync"

// How far a replay is. Every source counts the same, in parts of a thousand: a
// tenth for finding what its model needed, the rest for the requests of all its
// runs. It is told every so many steps and at the end of each run and source, one
// call at a time, and never goes back.

const (
	whole      = 1000 // parts of a source
	indexShare = whole / 10
	tellEvery  = 100 // steps: requests, or messages looked through
)

// progress is how far a source is. Any goroutine may tell it.
type progress struct {
	tell func(parts int)

	mu    sync.Mutex
	done  int // requests, of all runs
	total int
}

// progress is that of a source, nil if nobody wants to know.
func (p *replayer) progress(source, sources int) *progress {
	if p.Progress == nil {
		return nil
	}
	return &progress{tell: func(parts int) { p.Progress(source*whole+parts, sources*whole) }}
}

// indexed tells that so many steps of finding what is needed are done.
func (p *progress) indexed(done, of int) {
	if p != nil && done%tellEvery == 0 {
		p.tell(indexShare * done / of)
	}
}

// replays says how many requests there will be.
func (p *progress) replays(total int) {
	if p != nil {
		p.total = total
	}
}

// requests tells that so many more are done.
func (p *progress) requests(n int) {
	if p == nil || n == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.tell(indexShare + (whole-indexShare)*p.done/p.total)
}

// end tells that a source is done.
func (p *progress) end() {
	if p != nil {
		p.tell(whole)
	}
}
