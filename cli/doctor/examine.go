package doctor

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"

	"plimsoll/agent/openai"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/config"
	"plimsoll/storage"
)

// Examiner looks at what the program depends on.
type Examiner struct {
	Console   *console.Console
	Settings  *setup.Settings
	Providers *setup.Providers
	Resources *setup.Resources
}

// Text is what doctor found, for reading inside the chat. Nothing is
// repaired.
func (x *Examiner) Text(ctx context.Context) (string, error) {
	d, err := x.Diagnose(ctx, false, nil)
	if err != nil {
		return "", err
	}
	return d.Text(), nil
}

// Diagnose looks at everything; progress may be nil. The error is that of
// finding the folders, or of ctx.
func (x *Examiner) Diagnose(ctx context.Context, repair bool, progress func(done, total int)) (diagnosis, error) {
	d := diagnosis{Version: x.Console.Version, Platform: runtime.GOOS + "/" + runtime.GOARCH + " " + runtime.Version(),
		Keys: []keyState{}, repair: repair, Terminal: x.terminalState()}
	if err := x.config(&d.Config); err != nil {
		return d, err
	}
	d.Data.Dir = x.Settings.Paths.Data
	if err := x.data(ctx, &d.Data, repair, progress); err != nil {
		return d, err
	}
	x.keys(&d)
	x.servers(ctx, &d)
	d.Log = logState{Path: x.Settings.Paths.Log()}
	if st, err := os.Stat(d.Log.Path); err == nil {
		d.Log.Bytes = st.Size()
	}
	return d, nil
}

// config loads the configuration anew. One that is wrong is reported,
// and the defaults take its place. The error is that of finding the folders.
func (x *Examiner) config(s *configState) error {
	// Without a home there is no place for a file, and nothing wrong with that.
	s.Path, _ = x.Settings.ConfigFile()
	loaded, err := x.Settings.Load()
	if err != nil {
		if loaded.Sources == nil {
			return err
		}
		s.Err = err
		loaded.Config, loaded.Refused = config.Default(), nil
	}
	s.note(loaded)
	_, _, s.faint = x.Settings.OwnThemes(loaded)
	if x.Settings.Loaded.Load() != nil {
		return nil // the program runs already, with what it has
	}
	if x.Settings.Paths, err = config.FindPaths(x.Console.Lookup, x.Settings.Flags.Data); err != nil {
		return console.AsUsage(console.WithHint(err, "set HOME, or name a folder with --data"))
	}
	if x.Settings.Workspace, err = config.Workspace(x.Console.Dir); err != nil {
		return err
	}
	x.Settings.Loaded.Store(&loaded)
	return nil
}

// data checks every stored file, and repairs if that is wanted. The
// error is that of ctx.
func (x *Examiner) data(ctx context.Context, s *dataState, repair bool, progress func(done, total int)) error {
	s.Findings = []findingState{}
	findings, err := x.check(ctx, s, repair, progress)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.Error = console.Or(err.Error())
	}
	for _, f := range findings {
		s.Findings = append(s.Findings, findingState{f.File, f.ID, f.What, f.Repairable, f.Repaired, f.Note})
	}
	return nil
}

func (x *Examiner) check(ctx context.Context, s *dataState, repair bool, progress func(done, total int)) ([]storage.Finding, error) {
	store, err := x.Resources.Open()
	if err != nil {
		return nil, err
	}
	findings, err := store.Check(ctx, progress)
	if err != nil {
		return findings, err
	}
	if repair {
		if findings, err = store.Repair(ctx, findings); err != nil {
			return findings, err
		}
	}
	entries, err := store.List(ctx, storage.Filter{})
	s.Conversations = len(entries)
	return findings, err
}

// keys notes where keys come from.
func (x *Examiner) keys(d *diagnosis) {
	for _, name := range x.Providers.Names() {
		if source := x.Providers.KeySource(name); source != "" {
			d.Keys = append(d.Keys, keyState{name, source})
		}
	}
}

// servers looks for servers on this machine, if that is allowed.
func (x *Examiner) servers(ctx context.Context, d *diagnosis) {
	switch {
	case !x.Settings.Cfg().Discovery.Local:
		d.probed = "discovery.local is false"
	case !x.Providers.Probing():
		d.probed = "PLIMSOLL_NO_PROBE is set"
	default:
		found := []server{}
		for _, s := range openai.Answering(ctx, openai.LocalBases(x.Console.Getenv), nil) {
			note := ""
			if s.Model == "" {
				what, hint := s.NoModels()
				note = what + "; " + hint
			}
			found = append(found, server{s.Provider, setup.ShownURL(s), s.Model, note})
		}
		d.Servers = &found
	}
}

// note keeps what a load told.
func (s *configState) note(loaded config.Loaded) {
	s.Sources, s.Problems, s.Refused = []configSource{}, []configProblem{}, []configRefused{}
	for _, src := range loaded.Sources {
		s.Sources = append(s.Sources, configSource{string(src.Layer), src.Path, src.Found})
		s.Found = s.Found || src.Layer == config.LayerUser && src.Found
	}
	var problems config.Problems
	if errors.As(s.Err, &problems) {
		for _, p := range problems {
			s.Problems = append(s.Problems, configProblem{p.File, console.Or(p.Line), p.Key, p.Message, p.Hint})
		}
	}
	for _, r := range loaded.Refused {
		s.Refused = append(s.Refused, configRefused{r.File, r.Line, r.Key, r.Why})
	}
}

// Damaged reports whether something is wrong that was not repaired.
func (s dataState) Damaged() bool {
	return s.Error != nil || slices.ContainsFunc(s.Findings, func(f findingState) bool { return !f.Repaired })
}
