package replay

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"plimsoll/compact/preset"
)

// Who works on what. Conversations are loaded one after the other. As many are
// in memory as keep all workers busy: while the last runs of one are replayed,
// the next one is looked through. What works takes one of the slots.

// ahead is how many conversations are in memory at a time.
func (p *replayer) ahead() int {
	runs := len(p.all)
	return min(p.Workers, 1+(p.Workers+runs-1)/runs)
}

// conversations replays all sources. Files are in the order of their sources,
// without those that hold no request.
func (p *replayer) conversations(ctx context.Context, sources []Source) ([]file, error) {
	given := ctx
	ctx, fail := context.WithCancelCause(given)
	defer fail(nil)
	files := make([]*file, len(sources))
	told := p.progress(len(sources))
	room := make(chan struct{}, p.ahead())
	var replays sync.WaitGroup
	for i, source := range sources {
		if take(ctx, room) != nil {
			break
		}
		c, err := source.Load()
		if err != nil {
			fail(fmt.Errorf("loading %s: %w", source.Name, err))
			break
		}
		replays.Go(func() {
			defer func() { <-room }()
			if c.Requests() > 0 {
				f, err := p.file(ctx, &c, told.of(i))
				if err != nil {
					fail(err)
					return
				}
				files[i] = &f
			}
			told.of(i).end()
		})
	}
	replays.Wait()
	if err := why(given, ctx); err != nil {
		return nil, err
	}
	var out []file
	for _, f := range files {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out, nil
}

// take takes a place as soon as there is one. The error is that of ctx.
func take(ctx context.Context, places chan struct{}) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// task is one run of a conversation, and what it came to.
type task struct {
	entry  entry
	policy Policy
	set    Setting
	scored bool // what is no cost is taken from it

	sums sums
	peak float64
}

// file replays a conversation under all policies.
func (p *replayer) file(ctx context.Context, c *Conversation, told *progress) (file, error) {
	if err := take(ctx, p.slots); err != nil {
		return file{}, err
	}
	ix, err := newIndex(ctx, c, told)
	<-p.slots
	if err != nil {
		return file{}, err
	}
	tasks := p.tasks(c)
	told.replays(len(tasks) * c.Requests())
	if err := p.work(ctx, c, ix, tasks, told); err != nil {
		return file{}, err
	}
	f := file{name: c.Name, needs: ix.corpus(c), sums: map[preset.Name]sums{}}
	for _, t := range tasks {
		if t.scored {
			f.sums[t.entry.name] = t.sums
		}
	}
	for _, t := range tasks {
		for sheet, cost := range t.sums.cost {
			f.sums[t.entry.name].cost[sheet] = cost
		}
		if t.entry.name == baseWhole {
			f.fits = t.peak <= float64(p.Window)
		}
	}
	return f, nil
}

// tasks lists the runs of a conversation.
func (p *replayer) tasks(c *Conversation) []*task {
	var tasks []*task
	setting := Setting{Window: p.Window, Arguments: c.arguments(),
		Steps:  slices.ContainsFunc(p.Sheets, func(s Sheet) bool { return s.Step > 0 }),
		Marked: slices.ContainsFunc(p.Sheets, func(s Sheet) bool { return s.Marked })}
	for _, e := range p.all {
		s := setting
		s.Sheet = p.plan
		policy := e.make(s)
		tasks = append(tasks, &task{entry: e, policy: policy, set: s, scored: true})
		for _, sheet := range p.Sheets {
			if policy.PerSheet && sheet.Name != p.plan.Name {
				s.Sheet = sheet
				tasks = append(tasks, &task{entry: e, policy: e.make(s), set: s})
			}
		}
	}
	return tasks
}

// work does tasks, several at a time. The first error ends them all.
func (p *replayer) work(ctx context.Context, c *Conversation, ix *index, tasks []*task, told *progress) error {
	given := ctx
	ctx, fail := context.WithCancelCause(given)
	defer fail(nil)
	var runs sync.WaitGroup
	for _, t := range tasks {
		if take(ctx, p.slots) != nil {
			break
		}
		runs.Go(func() {
			defer func() { <-p.slots }()
			if err := p.do(ctx, t, c, ix, told); err != nil {
				fail(fmt.Errorf("replaying under %s: %w", t.entry.name, err))
			}
		})
	}
	runs.Wait()
	return why(given, ctx)
}

// why is what ended work, nil if nothing did: the error of the context it was
// given, or else the first one that it met.
func why(given, ctx context.Context) error {
	if given.Err() != nil {
		return given.Err()
	}
	return context.Cause(ctx)
}

// do replays a task. What it came to is kept, and not what it took.
func (p *replayer) do(ctx context.Context, t *task, c *Conversation, ix *index, told *progress) error {
	r := newRun(c, t.policy, t.set, t.entry.rules)
	r.clock = p.Clock
	if t.scored {
		r.score = newScore(ix)
	}
	if err := r.all(ctx, told); err != nil {
		return err
	}
	t.sums, t.peak = r.sums(), r.peak
	for _, sheet := range p.Sheets {
		if !t.policy.PerSheet || sheet.Name == t.set.Sheet.Name {
			t.sums.cost[sheet.Name] = sheet.bill(r.asked, r.calls)
		}
	}
	return nil
}
