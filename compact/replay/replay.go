package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"plimsoll/compact"
)

// One conversation is in memory at a time. Its policies are replayed beside each
// other; what depends on prices once for every sheet, which it is then billed by.

// Source is a conversation that can be loaded.
type Source struct {
	Name string
	Load func() (Conversation, error)
}

// Options say what is replayed.
type Options struct {
	Window   int              // tokens
	Policies []compact.Preset // nil: all presets
	Sheets   []Sheet          // nil: Sheets
	// PlanSheet names the sheet under which what is no cost is measured, "" for
	// PlanSheet, or the first one if it is not among Sheets.
	PlanSheet string
	// Plimsoll makes the policy of preset plimsoll, which wants the planner.
	Plimsoll Maker
	Workers  int                   // replays at a time; 0: one for every processor
	Clock    func() time.Time      // measures how long deciding and projecting takes; nil: not measured
	Progress func(done, total int) // called after every conversation; may be nil
}

// ErrNoPolicy says that a preset cannot be replayed.
var ErrNoPolicy = errors.New("there is no policy for a preset")

// Run replays conversations. The report is the same whatever the number of
// workers, but for what a clock measured. Errors are those of ctx, of loading,
// and of policies, with the name of the conversation; an unknown preset wraps
// ErrNoPolicy.
func Run(ctx context.Context, sources []Source, o Options) (Report, error) {
	p, err := newReplayer(o)
	if err != nil {
		return Report{}, err
	}
	var files []file
	for i, source := range sources {
		if err := ctx.Err(); err != nil {
			return Report{}, err
		}
		c, err := source.Load()
		if err != nil {
			return Report{}, fmt.Errorf("loading %s: %w", source.Name, err)
		}
		if c.Requests() > 0 {
			f, err := p.file(ctx, &c)
			if err != nil {
				return Report{}, err
			}
			files = append(files, f)
		}
		if o.Progress != nil {
			o.Progress(i+1, len(sources))
		}
	}
	return p.report(files), nil
}

// Loaded is a source of a conversation that is there already.
func Loaded(c Conversation) Source {
	return Source{Name: c.Name, Load: func() (Conversation, error) { return c, nil }}
}

// replayer is options with nothing left open.
type replayer struct {
	Options
	makers map[compact.Preset]Maker
	told   []compact.Preset // those that were asked for
	plan   Sheet
}

func newReplayer(o Options) (*replayer, error) {
	p := &replayer{Options: o, makers: map[compact.Preset]Maker{}, told: o.Policies}
	if p.told == nil {
		p.told = compact.Presets()
	}
	if len(p.Sheets) == 0 {
		p.Sheets = Sheets()
	}
	if p.Workers <= 0 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	if p.PlanSheet == "" {
		p.PlanSheet = PlanSheet
	}
	p.plan = p.Sheets[0]
	for _, s := range p.Sheets {
		if s.Name == p.PlanSheet {
			p.plan = s
		}
	}
	for _, name := range slices.Concat(p.told, []compact.Preset{compact.PresetRaw, compact.PresetTruncate}) {
		p.makers[name] = maker(name)
		if name == compact.PresetPlimsoll {
			p.makers[name] = o.Plimsoll
		}
		if p.makers[name] == nil {
			return nil, fmt.Errorf("%w: %q", ErrNoPolicy, name)
		}
	}
	return p, nil
}

// task is one run of a conversation.
type task struct {
	preset compact.Preset
	sheet  Sheet
	scored bool // what is no cost is taken from it
	run    *run
	err    error
}

// file replays a conversation under all policies.
func (p *replayer) file(ctx context.Context, c *Conversation) (file, error) {
	ix := newIndex(c)
	tasks := p.tasks(c, ix)
	p.work(ctx, tasks)
	f := file{name: c.Name, needs: ix.corpus(c), sums: map[compact.Preset]sums{}}
	for _, t := range tasks {
		if t.err != nil {
			return file{}, fmt.Errorf("replaying under %s: %w", t.preset, t.err)
		}
		if t.scored {
			f.sums[t.preset] = t.run.sums()
		}
	}
	for _, t := range tasks {
		for _, sheet := range p.Sheets {
			if !t.run.policy.PerSheet || sheet.Name == t.sheet.Name {
				f.sums[t.preset].cost[sheet.Name] = sheet.bill(t.run.asked, t.run.calls)
			}
		}
		if t.preset == compact.PresetRaw {
			f.fits = t.run.peak <= float64(p.Window)
		}
	}
	return f, nil
}

// tasks lists the runs of a conversation.
func (p *replayer) tasks(c *Conversation, ix *index) []*task {
	var tasks []*task
	add := func(name compact.Preset, sheet Sheet, policy Policy, s Setting) {
		t := &task{preset: name, sheet: sheet, scored: sheet.Name == p.plan.Name}
		t.run = newRun(c, policy, s, compact.PresetRules(name))
		t.run.clock = p.Clock
		if t.scored {
			t.run.score = newScore(ix)
		}
		tasks = append(tasks, t)
	}
	setting := Setting{Window: p.Window, Arguments: c.arguments()}
	for _, name := range p.presets() {
		s := setting
		s.Sheet = p.plan
		policy := p.makers[name](s)
		add(name, p.plan, policy, s)
		for _, sheet := range p.Sheets {
			if policy.PerSheet && sheet.Name != p.plan.Name {
				s.Sheet = sheet
				add(name, sheet, p.makers[name](s), s)
			}
		}
	}
	return tasks
}

// presets lists what is replayed, in the order of compact.Presets.
func (p *replayer) presets() []compact.Preset {
	return slices.DeleteFunc(compact.Presets(), func(name compact.Preset) bool { return p.makers[name] == nil })
}

// work does tasks, several at a time.
func (p *replayer) work(ctx context.Context, tasks []*task) {
	todo := make(chan *task)
	var workers sync.WaitGroup
	for range p.Workers {
		workers.Go(func() {
			for t := range todo {
				t.err = t.run.all(ctx)
			}
		})
	}
	for _, t := range tasks {
		todo <- t
	}
	close(todo)
	workers.Wait()
}

// corpus counts what a conversation has to offer.
func (ix *index) corpus(c *Conversation) Corpus {
	out := Corpus{Files: 1, Requests: len(c.requests)}
	for i := range ix.needs {
		n := &ix.needs[i]
		out.References += len(n.references)
		for _, ref := range n.references {
			if ref.tool {
				out.ToolReferences++
			}
		}
		out.EditAnchors += len(n.anchors)
		out.WrittenLines += len(n.written)
	}
	return out
}

// report pools the files.
func (p *replayer) report(files []file) Report {
	r := Report{Window: p.Window, Plan: p.plan.Name, Files: []File{}, Totals: map[compact.Preset]Figures{}}
	for _, s := range p.Sheets {
		r.Sheets = append(r.Sheets, s.Name)
	}
	for i := range files {
		f := &files[i]
		r.Corpus.plus(f.needs)
		out := File{Name: f.name, Corpus: f.needs, Fits: f.fits, Policies: map[compact.Preset]FileFigures{}}
		for _, name := range p.told {
			s := f.sums[name]
			out.Policies[name] = FileFigures{
				Figures:   pool{sheets: r.Sheets, policy: name, files: files[i : i+1]}.figures(),
				Rewritten: s.rewrote, RecallDebt: s.score.debt, SummaryInput: s.read,
			}
		}
		r.Files = append(r.Files, out)
	}
	for _, name := range p.told {
		r.Totals[name] = pool{sheets: r.Sheets, policy: name, files: files}.figures()
	}
	return r
}

func (c *Corpus) plus(d Corpus) {
	c.Files += d.Files
	c.Requests += d.Requests
	c.References += d.References
	c.ToolReferences += d.ToolReferences
	c.EditAnchors += d.EditAnchors
	c.WrittenLines += d.WrittenLines
}
