package replay

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"plimsoll/compact"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// Source is a conversation that can be loaded.
type Source struct {
	Name string
	Load func() (Conversation, error)
}

// Options configure a replay.
type Options struct {
	Window   int           // tokens
	Policies []preset.Name // nil: all presets
	Sheets   []PriceSheet  // nil: DefaultSheets
	// PlanSheet names the sheet under which everything but costs is measured. "" means DefaultPlanSheet. If it is not
	// among Sheets, the first of them is used.
	PlanSheet string
	// ExtraPolicies are added to the presets. One with the name of a preset replaces it.
	ExtraPolicies []NamedPolicy
	Workers       int              // replays at a time; 0: one for every processor
	Clock         func() time.Time // measures how long deciding and projecting takes; nil: not measured
	// Progress is called when a policy has finished a conversation, by one goroutine at a time. It may be nil.
	Progress func(done, total int)
}

// NamedPolicy is a policy that is no preset.
type NamedPolicy struct {
	Name      preset.Name
	Rules     preset.Rules
	IsCommand bool        // the rules' default profile, as a command at the start of every turn (JP's RFD 064)
	Maker     PolicyMaker // nil: automatic compaction by the rules
	// ResultStorage replaces the preset's way of storing new tool results; nil: the preset's.
	ResultStorage *ResultStorage
}

// ResultStorage sets how new tool results are stored.
type ResultStorage struct {
	MaxChars int  // most characters of a result in the view, 0: by preset and window
	KeepFull bool // the full text is stored, for recall
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

// withStorage returns a maker whose policies store results as n.ResultStorage sets.
func (n NamedPolicy) withStorage(maker PolicyMaker) PolicyMaker {
	if n.ResultStorage == nil || maker == nil {
		return maker
	}
	return func(s PolicySetting) Policy {
		p := maker(s)
		p.StoreResult = CutOnArrival(compact.ArrivalCap(n.Rules.Preset, n.ResultStorage.MaxChars, s.Window), n.ResultStorage.KeepFull)
		if n.Rules.Preset.Design().OwnFeatures {
			p.StoreResult = storeResults(p.StoreResult)
		}
		return p
	}
}

// The baselines of all policies: the unchanged log, and a log whose oldest units are dropped.
const (
	baselineRaw      = preset.Raw
	baselineTruncate = preset.Truncate
)

// Run replays conversations. Except for measured times, the report does not depend on the number of workers. It fails
// if ctx is cancelled, or if a conversation cannot be loaded, or if a policy fails; the error names the
// conversation.
func Run(ctx context.Context, sources []Source, o Options) (Report, error) {
	rp, err := newReplayer(o)
	if err != nil {
		return Report{}, err
	}
	runs, running := errgroup.WithContext(ctx)
	runs.SetLimit(rp.Workers)
	var mu sync.Mutex
	completed := 0
	progress := func(parts int) {
		mu.Lock()
		defer mu.Unlock()
		if completed += parts; o.Progress != nil {
			o.Progress(completed, len(sources)*len(rp.all))
		}
	}
	var files []*file
	for _, source := range sources {
		f, err := rp.startConversation(running, runs, source, progress)
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
	return rp.report(files), nil
}

// startConversation loads a conversation and starts its run under every policy. It returns when the last of these runs has
// started. So memory holds only the conversations that are being replayed, and one more. For a conversation
// without requests it returns nil.
func (rp *replayer) startConversation(ctx context.Context, runs *errgroup.Group, source Source, progress func(parts int)) (*file, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	c, err := source.Load()
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", source.Name, err)
	}
	if c.Requests() == 0 {
		progress(len(rp.all))
		return nil, nil
	}
	ix, err := newIndex(ctx, &c)
	if err != nil {
		return nil, err
	}
	f := &file{name: c.Name, joined: c.joined, corpus: ix.countCorpus(&c), results: rp.results(&c)}
	for _, result := range f.results {
		runs.Go(func() error {
			if err := rp.replay(ctx, result, &c, ix); err != nil {
				return fmt.Errorf("replaying under %s: %w", result.entry.name, err)
			}
			if result.scored {
				progress(1)
			}
			return nil
		})
	}
	return f, nil
}

// result is one run of a conversation and its sums.
type result struct {
	entry  entry
	set    PolicySetting
	scored bool // all figures but costs are taken from this run

	sums sums
	peak float64
}

// results lists the runs of a conversation: one for each policy, and for policies that depend on prices one for each sheet.
func (rp *replayer) results(c *Conversation) []*result {
	set := PolicySetting{Window: rp.Window, Arguments: c.arguments(),
		Steps:         slices.ContainsFunc(rp.Sheets, func(s PriceSheet) bool { return s.Step > 0 }),
		ByBreakpoints: slices.ContainsFunc(rp.Sheets, func(s PriceSheet) bool { return s.ByBreakpoints })}
	var out []*result
	for _, e := range rp.all {
		set.Sheet = rp.plan
		out = append(out, &result{entry: e, set: set, scored: true})
		if !e.maker(set).UsesPrices {
			continue
		}
		for _, set.Sheet = range rp.Sheets {
			if set.Sheet.Name != rp.plan.Name {
				out = append(out, &result{entry: e, set: set})
			}
		}
	}
	return out
}

// replay executes a run and stores its sums.
func (rp *replayer) replay(ctx context.Context, t *result, c *Conversation, ix *index) error {
	m := meter.New(meter.Options{
		Images: imageRule,
		Window: meter.Window{Tokens: t.set.Window, Source: meter.WindowFlag}, PriceStep: t.set.Sheet.Step, CharsOnly: true,
	}.WithRules(t.entry.rules))
	r := &run{c: c, policy: t.entry.maker(t.set), set: t.set, clock: rp.Clock, view: projection.Project(nil),
		seqs: make([]uint64, len(c.messages)), meter: m.WithPrompt(c.prompt, conversation.Size{ASCII: Overhead * meter.CharsPerToken})}
	evictions := planner.EvictionSizes(t.entry.rules, r.meter)
	r.biller = newBiller(t.set.Sheet, evictions)
	if t.scored {
		r.score = newScore(ix)
	}
	if err := r.replayAll(ctx); err != nil {
		return err
	}
	t.sums, t.peak = r.sums(), r.peak
	for _, sheet := range rp.Sheets {
		if !r.policy.UsesPrices || sheet.Name == t.set.Sheet.Name {
			t.sums.Cost[sheet.Name] = sheet.bill(r.requests, r.calls, evictions)
		}
	}
	return nil
}

// replayer has the options with all defaults filled in.
type replayer struct {
	Options
	all      []entry       // the policies to replay: the reported ones and the baselines
	reported []preset.Name // the policies in the report
	plan     PriceSheet    // the sheet of Options.PlanSheet
}

// entry is one policy of a replay.
type entry struct {
	name  preset.Name
	rules preset.Rules
	maker PolicyMaker
}

func newReplayer(o Options) (*replayer, error) {
	rp := &replayer{Options: o, reported: slices.Clone(o.Policies)}
	if rp.reported == nil {
		rp.reported = preset.All()
	}
	if len(rp.Sheets) == 0 {
		rp.Sheets = DefaultSheets()
	}
	if rp.Workers <= 0 {
		rp.Workers = runtime.GOMAXPROCS(0)
	}
	if rp.Clock == nil {
		rp.Clock = func() time.Time { return time.Time{} }
	}
	rp.PlanSheet = cmp.Or(rp.PlanSheet, DefaultPlanSheet)
	rp.plan = rp.Sheets[0]
	for _, s := range rp.Sheets {
		if s.Name == rp.PlanSheet {
			rp.plan = s
		}
	}
	for _, n := range o.ExtraPolicies {
		rp.reported = append(rp.reported, n.Name)
	}
	var reported []preset.Name // without duplicates
	for _, name := range slices.Concat(rp.reported, []preset.Name{baselineRaw, baselineTruncate}) {
		if slices.ContainsFunc(rp.all, func(e entry) bool { return e.name == name }) {
			continue
		}
		e, err := rp.entry(name)
		if err != nil {
			return nil, err
		}
		rp.all = append(rp.all, e)
		if slices.Contains(rp.reported, name) {
			reported = append(reported, name)
		}
	}
	rp.reported = reported
	return rp, nil
}

// entry returns the policy with a name: an extra policy, or else a preset.
func (rp *replayer) entry(name preset.Name) (entry, error) {
	n := NamedPolicy{Rules: preset.RulesOf(name)}
	if i := slices.IndexFunc(rp.ExtraPolicies, func(n NamedPolicy) bool { return n.Name == name }); i >= 0 {
		n = rp.ExtraPolicies[i]
	}
	if m := n.policyMaker(); m != nil {
		return entry{name, n.Rules, m}, nil
	}
	return entry{}, fmt.Errorf("there is no policy for a preset: %q", name)
}

// countCorpus counts the requests of a conversation and the needs of their replies.
func (ix *index) countCorpus(c *Conversation) Corpus {
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

func (rp *replayer) report(files []*file) Report {
	r := Report{Window: rp.Window, Plan: rp.plan.Name, Files: []File{}, Totals: map[preset.Name]Figures{}}
	for _, s := range rp.Sheets {
		r.Sheets = append(r.Sheets, s.Name)
	}
	for i, f := range files {
		f.pool(rp.Window)
		r.Corpus.plus(f.corpus)
		out := File{Name: f.name, Corpus: f.corpus, Fits: f.fits, Policies: map[preset.Name]Figures{}}
		for _, name := range rp.reported {
			out.Policies[name] = pool{sheets: rp.Sheets, policy: name, files: files[i : i+1]}.figures()
		}
		r.Files = append(r.Files, out)
	}
	whole := slices.DeleteFunc(slices.Clone(files), func(f *file) bool { return f.joined })
	for _, name := range rp.reported {
		r.Totals[name] = pool{sheets: rp.Sheets, policy: name, files: files}.figures()
		if len(whole) < len(files) {
			if r.Unstitched == nil {
				r.Unstitched = map[preset.Name]Figures{}
			}
			r.Unstitched[name] = pool{sheets: rp.Sheets, policy: name, files: whole}.figures()
		}
	}
	return r
}

// pool merges the runs of each policy: costs from all runs, everything else from the scored run.
func (f *file) pool(window int) {
	f.sums = map[preset.Name]sums{}
	for _, t := range f.results {
		if t.scored { // the first run of its policy
			f.sums[t.entry.name] = t.sums
		}
		maps.Copy(f.sums[t.entry.name].Cost, t.sums.Cost)
		if t.entry.name == baselineRaw {
			f.fits = t.peak <= float64(window)
		}
	}
}
