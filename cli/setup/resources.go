package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"plimsoll/storage"
	"plimsoll/tools/checkpoint"
	"plimsoll/tools/grants"
	"plimsoll/tools/sandbox"
)

// Resources are opened when they are first needed, and closed at the end of the run: the store, the granted rules, the log
// file, and what was registered with OnClose.
type Resources struct {
	Settings *Settings

	mu      sync.Mutex // guards what follows: the screen's commands share it
	Store   *storage.Store
	grants  *grants.Store
	logFile *os.File
	log     *slog.Logger
	closers []func(context.Context) error

	checkpoints *checkpoint.Store
	sandboxes   map[string]*sandbox.Sandbox // by their settings
}

// maxLogSize is the size at which the log file is rotated, in bytes.
const maxLogSize = 8 << 20

// Open opens the store, once.
func (r *Resources) Open() (*storage.Store, error) {
	if err := r.Settings.Configure(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Store != nil {
		return r.Store, nil
	}
	s, err := storage.Open(r.Settings.Paths.Data, storage.Options{})
	if err != nil {
		return nil, err
	}
	r.Store = s
	return s, nil
}

// Logger returns the logger. The log file is created with its first line; it holds no text of a conversation and no key.
func (r *Resources) Logger() *slog.Logger {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil {
		level := slog.LevelInfo
		// The level was checked when the configuration was loaded.
		_ = level.UnmarshalText([]byte(r.Settings.Cfg().Log.Level))
		r.log = slog.New(slog.NewTextHandler(lazyLogFile{r}, &slog.HandlerOptions{Level: level}))
	}
	return r.log
}

// lazyLogFile opens the log file at the first line.
type lazyLogFile struct{ r *Resources }

func (l lazyLogFile) Write(p []byte) (int, error) {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	if l.r.logFile == nil {
		path := l.r.Settings.Paths.Log()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return 0, err
		}
		if st, err := os.Stat(path); err == nil && st.Size() > maxLogSize {
			// A log that cannot be renamed continues to grow.
			_ = os.Rename(path, path+".1")
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		l.r.logFile = f
	}
	return l.r.logFile.Write(p)
}

// OnClose registers a function that Close calls.
func (r *Resources) OnClose(f func(context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closers = append(r.closers, f)
}

// Grants returns the store of the user's grants, shared by all conversations of this run.
func (r *Resources) Grants() *grants.Store {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.grants == nil {
		r.grants = grants.New(r.Settings.Paths.Grants())
	}
	return r.grants
}

// Checkpoints returns the store of what files had before tools changed them. What is beyond its limits goes when the run ends.
func (r *Resources) Checkpoints() *checkpoint.Store {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.checkpoints == nil {
		r.checkpoints = checkpoint.NewStore(r.Settings.Paths.Checkpoints())
		r.closers = append(r.closers, func(context.Context) error {
			limits := r.Settings.Cfg().Checkpoints
			return r.checkpoints.Prune(limits.Keep, int64(limits.Budget))
		})
	}
	return r.checkpoints
}

// Close closes everything that was opened, newest first.
func (r *Resources) Close() error {
	r.mu.Lock()
	closers := r.closers
	r.closers = nil
	r.mu.Unlock()
	var errs []error
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
