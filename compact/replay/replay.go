package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"plimsoll/compact"
	"plimsoll/compact/preset"
)

// Source is a conversation that can be loaded.
type Source struct {
	Name string
	Load func() (Conversation, error)
}

// Options say what is replayed.
type Options struct {
	Window   int           // tokens
	Policies []preset.Name // nil: all presets
	Sheets   []PriceSheet  // nil: Sheets
	// PlanSheet names the sheet under which what is no cost is measured, "" for
	// PlanSheet, or the first one if it is not among Sheets.
	PlanSheet string
	// ExtraPolicies are policies besides the presets, or in the place of one.
	ExtraPolicies []NamedPolicy
	Workers       int              // replays at a time; 0: one for every processor
	Clock         func() time.Time // measures how long deciding and projecting takes; nil: not measured
	// Progress is told how far the replay is, from several goroutines, one call at a time. May be nil.
	Progress func(done, total int)
}

// NamedPolicy is a policy of one's own.
type NamedPolicy struct {
	Name      preset.Name
	Rules     preset.Rules
	IsCommand bool        // the rules' default profile, as a command at the start of every turn (S64)
	Maker     PolicyMaker // nil: as the rules say
	// ResultStorage is how results are stored as they arrive; nil: as the preset has it.
	ResultStorage *ResultStorage
}

// ResultStorage is how results are stored as they arrive.
type ResultStorage struct {
	MaxChars int  // characters of one that are shown, 0: by preset and window
	KeepFull bool // the whole text can be had
}

func (n NamedPolicy) policyMaker() PolicyMaker {
	switch {
	case n.Maker != nil:
		return n.Maker
	case n.IsCommand:
		return n.withStorage(func(s PolicySetting) Policy { return newCommandPolicy(s, n.Rules) })
	}
	return n.withStorage(PlannerPolicy(n.Rules))
}

// withStorage is a maker whose policies store results as is said.
func (n NamedPolicy) withStorage(make PolicyMaker) PolicyMaker {
	if n.ResultStorage == nil || make == nil {
		return make
	}
	return func(s PolicySetting) Policy {
		p := make(s)
		p.StoreResult = CutOnArrival(compact.ArrivalCap(n.Rules.Preset, n.ResultStorage.MaxChars, s.Window), n.ResultStorage.KeepFull)
		if n.Rules.Preset.Design().HasAdditions {
			p.StoreResult = storeResults(p.StoreResult)
		}
		return p
	}
}

// What every policy is compared with: the log as it is, and one whose oldest units are dropped.
const (
	baselineRaw      = preset.Raw
	baselineTruncate = preset.Truncate
)

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
	runs, running := errgroup.WithContext(ctx)
	runs.SetLimit(p.Workers)
	var mu sync.Mutex
	done := 0
	told := func(parts int) {
		mu.Lock()
		defer mu.Unlock()
		if done += parts; o.Progress != nil {
			o.Progress(done, len(sources)*len(p.all))
		}
	}
	var files []*file
	for _, source := range sources {
		f, err := p.startConversation(running, runs, source, told)
		if err != nil {
			runs.Go(func() error { return err })
			break
		}
		if f != nil {
			files = append(files, f)
		}
	}
	err = runs.Wait()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return Report{}, err
	}
	return p.report(files), nil
}

// startConversation loads a conversation and replays it under all policies, beside others: it
// returns as soon as the last run has begun, and so no more conversations are in
// memory than are replayed, and one. It returns nil for one without requests.
func (p *replayer) startConversation(ctx context.Context, runs *errgroup.Group, source Source, told func(parts int)) (*file, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	c, err := source.Load()
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", source.Name, err)
	}
	if c.Requests() == 0 {
		told(len(p.all))
		return nil, nil
	}
	ix, err := newIndex(ctx, &c)
	if err != nil {
		return nil, err
	}
	f := &file{name: c.Name, needs: ix.corpus(&c), results: p.results(&c)}
	for _, result := range f.results {
		runs.Go(func() error {
			if err := p.replay(ctx, result, &c, ix); err != nil {
				return fmt.Errorf("replaying under %s: %w", result.entry.name, err)
			}
			if result.scored {
				told(1)
			}
			return nil
		})
	}
	return f, nil
}

// result is one run of a conversation, and what it came to.
type result struct {
	entry  entry
	set    PolicySetting
	scored bool // what is no cost is taken from it

	sums sums
	peak float64
}

// results lists the runs of a conversation: one for each policy, and of those that
// depend on prices one for each sheet.
func (p *replayer) results(c *Conversation) []*result {
	set := PolicySetting{Window: p.Window, Arguments: c.arguments(),
		Steps:  slices.ContainsFunc(p.Sheets, func(s PriceSheet) bool { return s.Step > 0 }),
		Marked: slices.ContainsFunc(p.Sheets, func(s PriceSheet) bool { return s.Marked })}
	var out []*result
	for _, e := range p.all {
		set.Sheet = p.plan
		out = append(out, &result{entry: e, set: set, scored: true})
		if !e.make(set).UsesPrices {
			continue
		}
		for _, set.Sheet = range p.Sheets {
			if set.Sheet.Name != p.plan.Name {
				out = append(out, &result{entry: e, set: set})
			}
		}
	}
	return out
}

// replay makes a run, and keeps what it came to.
func (p *replayer) replay(ctx context.Context, t *result, c *Conversation, ix *index) error {
	r := newRun(c, t.entry.make(t.set), t.set, t.entry.rules)
	r.clock = p.Clock
	if t.scored {
		r.score = newScore(ix)
	}
	if err := r.replayAll(ctx); err != nil {
		return err
	}
	t.sums, t.peak = r.sums(), r.peak
	for _, sheet := range p.Sheets {
		if !r.policy.UsesPrices || sheet.Name == t.set.Sheet.Name {
			t.sums.cost[sheet.Name] = sheet.bill(r.requests, r.calls)
		}
	}
	return nil
}

// replayer is options with nothing left open.
type replayer struct {
	Options
	all      []entry       // what is replayed: what was asked for, and what it is compared with
	reported []preset.Name // what was asked for
	plan     PriceSheet
}

// entry is one policy of a replay.
type entry struct {
	name  preset.Name
	rules preset.Rules
	make  PolicyMaker
}

func newReplayer(o Options) (*replayer, error) {
	p := &replayer{Options: o, reported: slices.Clone(o.Policies)}
	if p.reported == nil {
		p.reported = preset.All()
	}
	if len(p.Sheets) == 0 {
		p.Sheets = DefaultSheets()
	}
	if p.Workers <= 0 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	if p.PlanSheet == "" {
		p.PlanSheet = DefaultPlanSheet
	}
	p.plan = p.Sheets[0]
	for _, s := range p.Sheets {
		if s.Name == p.PlanSheet {
			p.plan = s
		}
	}
	for _, n := range o.ExtraPolicies {
		p.reported = append(p.reported, n.Name)
	}
	var told []preset.Name // each once
	for _, name := range slices.Concat(p.reported, []preset.Name{baselineRaw, baselineTruncate}) {
		if slices.ContainsFunc(p.all, func(e entry) bool { return e.name == name }) {
			continue
		}
		e, err := p.entry(name)
		if err != nil {
			return nil, err
		}
		p.all = append(p.all, e)
		if slices.Contains(p.reported, name) {
			told = append(told, name)
		}
	}
	p.reported = told
	return p, nil
}

// entry is the policy of a name: one's own before a preset.
func (p *replayer) entry(name preset.Name) (entry, error) {
	n := NamedPolicy{Rules: preset.RulesOf(name)}
	if i := slices.IndexFunc(p.ExtraPolicies, func(n NamedPolicy) bool { return n.Name == name }); i >= 0 {
		n = p.ExtraPolicies[i]
	}
	if m := n.policyMaker(); m != nil {
		return entry{name, n.Rules, m}, nil
	}
	return entry{}, fmt.Errorf("%w: %q", ErrNoPolicy, name)
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
func (p *replayer) report(files []*file) Report {
	r := Report{Window: p.Window, Plan: p.plan.Name, Files: []File{}, Totals: map[preset.Name]Figures{}}
	for _, s := range p.Sheets {
		r.Sheets = append(r.Sheets, s.Name)
	}
	for i, f := range files {
		f.pool(p.Window)
		r.Corpus.plus(f.needs)
		out := File{Name: f.name, Corpus: f.needs, Fits: f.fits, Policies: map[preset.Name]Figures{}}
		for _, name := range p.reported {
			out.Policies[name] = pool{sheets: p.Sheets, policy: name, files: files[i : i+1]}.figures()
		}
		r.Files = append(r.Files, out)
	}
	for _, name := range p.reported {
		r.Totals[name] = pool{sheets: p.Sheets, policy: name, files: files}.figures()
	}
	return r
}

// pool puts the runs of each policy together: costs from all, everything else from
// the one that is scored.
func (f *file) pool(window int) {
	f.sums = map[preset.Name]sums{}
	for _, t := range f.results {
		if t.scored { // it is the first one of its policy
			f.sums[t.entry.name] = t.sums
		}
		maps.Copy(f.sums[t.entry.name].cost, t.sums.cost)
		if t.entry.name == baselineRaw {
			f.fits = t.peak <= float64(window)
		}
	}
}
