package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"plimsoll/config"
	"plimsoll/tools/grants"
)

// Granted holds what the user granted, for all conversations of this run.
func (r *Resources) Granted() *grants.Store {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.grants == nil {
		r.grants = grants.New(r.Settings.Paths.Grants())
	}
	return r.grants
}

// OwnFiles are the files by which the program itself is steered, and its data.
func (s *Settings) OwnFiles() []string {
	own := []string{s.Paths.Data, s.Paths.State, s.Paths.Grants()}
	if path, _, err := config.File(s.Console.Lookup, s.Flags.Config); err == nil {
		if full, err := filepath.Abs(path); err == nil {
			own = append(own, full)
		}
	}
	return own
}

// RuleAt is the file and line where the list stands that has a rule, "" if the configuration has none.
func (s *Settings) RuleAt(list, _ string) string {
	origin, set := s.Loaded.Load().Origins["permissions."+list]
	if !set || origin.File == "" {
		return ""
	}
	return s.Console.Home(origin.File) + ":" + strconv.Itoa(origin.Line)
}

// Close ends what the commands opened, newest first.
func (r *Resources) Close() error {
	var errs []error
	r.mu.Lock()
	closers := r.closers
	r.closers = nil
	r.mu.Unlock()
	for _, f := range slices.Backward(closers) {
		errs = append(errs, f(context.Background()))
	}
	if r.Store != nil {
		errs = append(errs, r.Store.Close())
		r.Store = nil
	}
	if r.logFile != nil {
		errs = append(errs, r.logFile.Close())
		r.logFile = nil
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return nil
}
