package cli

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

// examiner looks at what the program depends on.
type examiner struct {
	console   *console.Console
	settings  *setup.Settings
	providers *setup.Providers
	resources *setup.Resources
}

// text is what doctor found, for reading inside the chat. Nothing is
// repaired.
func (x *examiner) text(ctx context.Context) (string, error) {
	d, err := x.diagnose(ctx, false, nil)
	if err != nil {
		return "", err
	}
	return d.text(), nil
}

// diagnose looks at everything; progress may be nil. The error is that of
// finding the folders, or of ctx.
func (x *examiner) diagnose(ctx context.Context, repair bool, progress func(done, total int)) (diagnosis, error) {
	d := diagnosis{Version: x.console.Version, Platform: runtime.GOOS + "/" + runtime.GOARCH + " " + runtime.Version(),
		Keys: []keyState{}, repair: repair, Terminal: x.terminalState()}
	if err := x.config(&d.Config); err != nil {
		return d, err
	}
	d.Data.Dir = x.settings.Paths.Data
	if err := x.data(ctx, &d.Data, repair, progress); err != nil {
		return d, err
	}
	x.keys(&d)
	x.servers(ctx, &d)
	d.Log = logState{Path: x.settings.Paths.Log()}
	if st, err := os.Stat(d.Log.Path); err == nil {
		d.Log.Bytes = st.Size()
	}
	return d, nil
}

// config loads the configuration anew. One that is wrong is reported,
// and the defaults take its place. The error is that of finding the folders.
func (x *examiner) config(s *configState) error {
	// Without a home there is no place for a file, and nothing wrong with that.
	s.Path, _ = x.settings.ConfigFile()
	loaded, err := x.settings.Load()
	if err != nil {
		if loaded.Sources == nil {
			return err
		}
		s.err = err
		loaded.Config, loaded.Refused = config.Default(), nil
	}
	s.note(loaded)
	if x.settings.Loaded.Load() != nil {
		return nil // the program runs already, with what it has
	}
	if x.settings.Paths, err = config.FindPaths(x.console.Lookup, x.settings.Flags.Data); err != nil {
		return console.AsUsage(console.WithHint(err, "set HOME, or name a folder with --data"))
	}
	if x.settings.Workspace, err = config.Workspace(x.console.Dir); err != nil {
		return err
	}
	x.settings.Loaded.Store(&loaded)
	return nil
}

// data checks every stored file, and repairs if that is wanted. The
// error is that of ctx.
func (x *examiner) data(ctx context.Context, s *dataState, repair bool, progress func(done, total int)) error {
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

func (x *examiner) check(ctx context.Context, s *dataState, repair bool, progress func(done, total int)) ([]storage.Finding, error) {
	store, err := x.resources.Open()
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

// keys notes which variables hold keys.
func (x *examiner) keys(d *diagnosis) {
	for _, name := range x.providers.Names() {
		if key, variable := x.providers.Key(name); key != "" {
			d.Keys = append(d.Keys, keyState{name, variable})
		}
	}
}

// servers looks for servers on this machine, if that is allowed.
func (x *examiner) servers(ctx context.Context, d *diagnosis) {
	switch {
	case !x.settings.Cfg().Discovery.Local:
		d.probed = "discovery.local is false"
	case !x.providers.Probing():
		d.probed = "PLIMSOLL_NO_PROBE is set"
	default:
		found := []server{}
		for _, s := range openai.Answering(ctx, openai.LocalBases(x.console.Getenv), nil) {
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
	if errors.As(s.err, &problems) {
		for _, p := range problems {
			s.Problems = append(s.Problems, configProblem{p.File, console.Or(p.Line), p.Key, p.Message, p.Hint})
		}
	}
	for _, r := range loaded.Refused {
		s.Refused = append(s.Refused, configRefused{r.File, r.Line, r.Key, r.Why})
	}
}

// damaged reports whether something is wrong that was not repaired.
func (s dataState) damaged() bool {
	return s.Error != nil || slices.ContainsFunc(s.Findings, func(f findingState) bool { return !f.Repaired })
}
