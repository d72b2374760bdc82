package replay

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"plimsoll/compact"
	"plimsoll/compact/preset"
)

// Policies are replayed beside each other; what depends on prices once for every
// sheet, which it is then billed by.

// Source is a conversation that can be loaded.
type Source struct {
	Name string
	Load func() (Conversation, error)
}

// Options say what is replayed.
type Options struct {
	Window   int           // tokens
	Policies []preset.Name // nil: all presets
	Sheets   []Sheet       // nil: Sheets
	// PlanSheet names the sheet under which what is no cost is measured, "" for
	// PlanSheet, or the first one if it is not among Sheets.
	PlanSheet string
	// Own are policies besides the presets, or in the place of one.
	Own     []Named
	Workers int              // replays at a time; 0: one for every processor
	Clock   func() time.Time // measures how long deciding and projecting takes; nil: not measured
	// Progress is told how far the replay is, in parts of a thousand for every
	// source: as requests are replayed, and at the end of each source. It is called
	// from several goroutines, one call at a time, and done never falls; what it does
	// is waited for. May be nil.
	Progress func(done, total int)
}

// Named is a policy of one's own.
type Named struct {
	Name   preset.Name
	Rules  preset.Rules
	ByHand bool  // the rules' default profile, as a command at the start of every turn (S64)
	Maker  Maker // nil: as the rules say
	// Results is how results are stored as they arrive; nil: as the preset has it.
	Results *Results
}

// Results is how results are stored as they arrive.
type Results struct {
	MaxChars int  // characters of one that are shown, 0: by preset and window
	KeepFull bool // the whole text can be had
}

func (n Named) maker() Maker {
	switch {
	case n.Maker != nil:
		return n.Maker
	case n.ByHand:
		return n.storing(Commanded(n.Rules))
	}
	return n.storing(Planned(n.Rules))
}

// storing is a maker whose policies store results as is said.
func (n Named) storing(make Maker) Maker {
	if n.Results == nil || make == nil {
		return make
	}
	return func(s Setting) Policy {
		p := make(s)
		p.Arrive = CutOnArrival(compact.ArrivalCap(n.Rules.Preset, n.Results.MaxChars, s.Window), n.Results.KeepFull)
		if n.Rules.Preset.Design().Additions {
			p.Arrive = asStored(p.Arrive)
		}
		return p
	}
}

// What every policy is compared with: the log as it is, and one whose oldest units are dropped.
const (
	baseWhole = preset.Raw
	baseCut   = preset.Truncate
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
	files, err := p.conversations(ctx, sources)
	if err != nil {
		return Report{}, err
	}
	return p.report(files), nil
}

// replayer is options with nothing left open.
type replayer struct {
	Options
	all   []entry       // what is replayed: what was asked for, and what it is compared with
	told  []preset.Name // what was asked for
	plan  Sheet
	slots chan struct{} // one for each worker, taken by whoever works
}

// entry is one policy of a replay.
type entry struct {
	name  preset.Name
	rules preset.Rules
	make  Maker
}

func newReplayer(o Options) (*replayer, error) {
	p := &replayer{Options: o, told: slices.Clone(o.Policies)}
	if p.told == nil {
		p.told = preset.All()
	}
	if len(p.Sheets) == 0 {
		p.Sheets = Sheets()
	}
	if p.Workers <= 0 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	p.slots = make(chan struct{}, p.Workers)
	if p.PlanSheet == "" {
		p.PlanSheet = PlanSheet
	}
	p.plan = p.Sheets[0]
	for _, s := range p.Sheets {
		if s.Name == p.PlanSheet {
			p.plan = s
		}
	}
	for _, n := range o.Own {
		p.told = append(p.told, n.Name)
	}
	for _, name := range slices.Concat(p.told, []preset.Name{baseWhole, baseCut}) {
		if slices.ContainsFunc(p.all, func(e entry) bool { return e.name == name }) {
			continue
		}
		e, err := p.entry(name)
		if err != nil {
			return nil, err
		}
		p.all = append(p.all, e)
	}
	p.told = slices.DeleteFunc(entryNames(p.all), func(name preset.Name) bool { return !slices.Contains(p.told, name) })
	return p, nil
}

// entry is the policy of a name: one's own before a preset.
func (p *replayer) entry(name preset.Name) (entry, error) {
	for _, n := range p.Own {
		if m := n.maker(); n.Name == name && m != nil {
			return entry{name, n.Rules, m}, nil
		}
	}
	rules := preset.RulesOf(name)
	m := Planned(rules)
	if m == nil {
		return entry{}, fmt.Errorf("%w: %q", ErrNoPolicy, name)
	}
	return entry{name, rules, m}, nil
}

func entryNames(all []entry) []preset.Name {
	names := make([]preset.Name, len(all))
	for i, e := range all {
		names[i] = e.name
	}
	return names
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
	r := Report{Window: p.Window, Plan: p.plan.Name, Files: []File{}, Totals: map[preset.Name]Figures{}}
	for _, s := range p.Sheets {
		r.Sheets = append(r.Sheets, s.Name)
	}
	for i := range files {
		f := &files[i]
		r.Corpus.plus(f.needs)
		out := File{Name: f.name, Corpus: f.needs, Fits: f.fits, Policies: map[preset.Name]Figures{}}
		for _, name := range p.told {
			out.Policies[name] = pool{sheets: p.Sheets, policy: name, files: files[i : i+1]}.figures()
		}
		r.Files = append(r.Files, out)
	}
	for _, name := range p.told {
		r.Totals[name] = pool{sheets: p.Sheets, policy: name, files: files}.figures()
	}
	return r
}
