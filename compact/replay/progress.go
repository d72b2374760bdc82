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

// overall tells how far all sources are. nil: nobody wants to know.
type overall struct {
	tell func(done, total int)

	mu      sync.Mutex
	sources []progress
	done    int // parts of all sources
}

// progress is how far a source is. Any goroutine may tell it.
type progress struct {
	all   *overall
	parts int // that were told
	done  int // requests, of all runs
	total int
}

func (p *replayer) progress(sources int) *overall {
	if p.Progress == nil {
		return nil
	}
	t := &overall{tell: p.Progress, sources: make([]progress, sources)}
	for i := range t.sources {
		t.sources[i].all = t
	}
	return t
}

// of is the progress of a source, nil if nobody wants to know.
func (t *overall) of(source int) *progress {
	if t == nil {
		return nil
	}
	return &t.sources[source]
}

// reach tells that a source has come so far. The caller holds the lock.
func (p *progress) reach(parts int) {
	p.all.done += parts - p.parts
	p.parts = parts
	p.all.tell(p.all.done, whole*len(p.all.sources))
}

// indexed tells that so many steps of finding what is needed are done.
func (p *progress) indexed(done, of int) {
	if p == nil || done%tellEvery != 0 {
		return
	}
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.reach(indexShare * done / of)
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
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.done += n
	p.reach(indexShare + (whole-indexShare)*p.done/p.total)
}

// end tells that a source is done.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.reach(whole)
}
