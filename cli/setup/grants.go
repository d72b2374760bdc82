package setup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"plimsoll/config"
	"plimsoll/tools/grants"
)

// Granted holds what the user granted, for all conversations of this run. When
// grants were last used is written when the program ends.
func (r *Resources) Granted() *grants.Store {
	r.mu.Lock()
	store := r.grants
	if store == nil {
		store = grants.New(r.Settings.Paths.Grants(), nil)
		r.grants = store
	}
	r.mu.Unlock()
	return store
}

// flushWait is how long another program that writes grants is waited for.
const flushWait = 100 * time.Millisecond

// keepUses writes when grants were last used. A failure costs that note only.
func (r *Resources) keepUses(ctx context.Context) {
	r.mu.Lock()
	store := r.grants
	r.mu.Unlock()
	if store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushWait)
	defer cancel()
	if err := store.Flush(ctx); err != nil {
		r.Logger().Warn("noting when grants were last used", "error", err)
	}
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
	r.keepUses(context.Background())
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
