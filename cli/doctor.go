package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"plimsoll/agent/openai"
	"plimsoll/config"
	"plimsoll/storage"
)

// Doctor looks at everything the program depends on and goes on whatever it
// finds: a bad configuration is reported and the defaults are used for the
// rest. It names variables that hold keys, never a key. Damage that is not
// repaired ends it with 1, a bad configuration with 2; a missing key is
// neither.

func (a *app) doctorCommand() *cobra.Command {
	asJSON, repair := false, false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check configuration, stored conversations, keys, servers and terminal",
		Long: `Doctor looks at the configuration, reads every stored conversation, and says which
keys it found in the environment (their names only), which servers answer on this
machine, what the terminal can do and where the log is.

It ends with 1 if stored files are damaged. With --repair what can be read of a
damaged file is copied into a new one; the damaged one is kept beside it.`,
		Example: `  plimsoll doctor
  plimsoll doctor --repair
  plimsoll doctor --json | jq .data.findings`,
		Args: positional(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return a.doctor(c.Context(), repair, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	c.Flags().BoolVar(&repair, "repair", false, "repair what can be repaired")
	return c
}

func (a *app) doctor(ctx context.Context, repair, asJSON bool) error {
	bar := newProgress(a.env.Stderr, "reading the stored conversations")
	d, err := a.diagnose(ctx, repair, bar.show)
	bar.clear()
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(a.env.Stdout, d)
	} else {
		_, err = io.WriteString(a.env.Stdout, d.text())
	}
	switch {
	case err != nil:
		return err
	case d.Data.damaged():
		return errSaid
	case d.Config.err != nil:
		return usageError{errSaid}
	}
	return nil
}

// examination is what doctor found, for reading inside the chat. Nothing is
// repaired.
func (a *app) examination(ctx context.Context) (string, error) {
	d, err := a.diagnose(ctx, false, nil)
	if err != nil {
		return "", err
	}
	return d.text(), nil
}

// diagnose looks at everything; progress may be nil. The error is that of
// finding the folders, or of ctx.
func (a *app) diagnose(ctx context.Context, repair bool, progress func(done, total int)) (diagnosis, error) {
	d := diagnosis{Version: a.env.Version, Platform: runtime.GOOS + "/" + runtime.GOARCH + " " + runtime.Version(),
		Keys: []keyState{}, repair: repair, Terminal: a.terminalState()}
	if err := a.examineConfig(&d.Config); err != nil {
		return d, err
	}
	d.Data.Dir = a.paths.Data
	if err := a.examineData(ctx, &d.Data, repair, progress); err != nil {
		return d, err
	}
	a.examineKeys(&d)
	a.examineServers(ctx, &d)
	d.Log = logState{Path: a.paths.Log()}
	if st, err := os.Stat(d.Log.Path); err == nil {
		d.Log.Bytes = st.Size()
	}
	return d, nil
}

// examineConfig loads the configuration anew. One that is wrong is reported,
// and the defaults take its place. The error is that of finding the folders.
func (a *app) examineConfig(s *configState) error {
	// Without a home there is no place for a file, and nothing wrong with that.
	s.Path, _ = a.configFile()
	loaded, err := a.load()
	if err != nil {
		if loaded.Sources == nil {
			return err
		}
		s.err = err
		loaded.Config, loaded.Refused = config.Default(), nil
	}
	s.note(loaded)
	if a.loaded.Load() != nil {
		return nil // the program runs already, with what it has
	}
	if a.paths, err = config.FindPaths(a.env.Lookup, a.flags.data); err != nil {
		return usageError{withHint(err, "set HOME, or name a folder with --data")}
	}
	if a.workspace, err = config.Workspace(a.env.Dir); err != nil {
		return err
	}
	a.loaded.Store(&loaded)
	return nil
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
			s.Problems = append(s.Problems, configProblem{p.File, or(p.Line), p.Key, p.Message, p.Hint})
		}
	}
	for _, r := range loaded.Refused {
		s.Refused = append(s.Refused, configRefused{r.File, r.Line, r.Key, r.Why})
	}
}

// examineData checks every stored file, and repairs if that is wanted. The
// error is that of ctx.
func (a *app) examineData(ctx context.Context, s *dataState, repair bool, progress func(done, total int)) error {
	s.Findings = []findingState{}
	findings, err := a.check(ctx, s, repair, progress)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		s.Error = or(err.Error())
	}
	for _, f := range findings {
		s.Findings = append(s.Findings, findingState{f.File, f.ID, f.What, f.Repairable, f.Repaired, f.Note})
	}
	return nil
}

func (a *app) check(ctx context.Context, s *dataState, repair bool, progress func(done, total int)) ([]storage.Finding, error) {
	store, err := a.open()
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

// damaged reports whether something is wrong that was not repaired.
func (s dataState) damaged() bool {
	return s.Error != nil || slices.ContainsFunc(s.Findings, func(f findingState) bool { return !f.Repaired })
}

// examineKeys notes which variables hold keys.
func (a *app) examineKeys(d *diagnosis) {
	for _, name := range a.providers() {
		if key, variable := a.key(name); key != "" {
			d.Keys = append(d.Keys, keyState{name, variable})
		}
	}
}

// examineServers looks for servers on this machine, if that is allowed.
func (a *app) examineServers(ctx context.Context, d *diagnosis) {
	switch {
	case !a.cfg().Discovery.Local:
		d.probed = "discovery.local is false"
	case !a.probing():
		d.probed = "PLIMSOLL_NO_PROBE is set"
	default:
		found := []server{}
		for _, s := range openai.Answering(ctx, openai.LocalBases(a.env.Getenv), nil) {
			note := ""
			if s.Model == "" {
				what, hint := s.NoModels()
				note = what + "; " + hint
			}
			found = append(found, server{s.Provider, shownURL(s), s.Model, note})
		}
		d.Servers = &found
	}
}

// shownURL is a server's address without a password.
func shownURL(s openai.Server) string {
	return openai.New(openai.Options{Provider: s.Provider, BaseURL: s.BaseURL}).BaseURL()
}
