package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"plimsoll/config"
	"plimsoll/storage"
	"plimsoll/tools/grants"
)

// app is one run of the program: what its commands share, made when it is
// first needed.
type app struct {
	env       Env
	flags     flags
	loaded    atomic.Pointer[config.Loaded] // nil before configure; a yes to the workspace's file replaces it
	paths     config.Paths
	workspace string

	mu      sync.Mutex // guards what follows: the screen's commands share it
	store   *storage.Store
	grants  *grants.Store
	logFile *os.File
	log     *slog.Logger
	closers []func(context.Context) error
}

// maxLog is the size at which the log file is put aside, in bytes.
const maxLog = 8 << 20

// configure loads the configuration, once.
func (a *app) configure() error {
	if a.loaded.Load() != nil {
		return nil
	}
	workspace, err := config.Workspace(a.env.Dir)
	if err != nil {
		return err
	}
	paths, err := config.FindPaths(a.env.Lookup, a.flags.data)
	if err != nil {
		return usageError{withHint(err, "set HOME, or name a folder with --data")}
	}
	loaded, err := a.loadConfig(workspace, a.flags.set)
	if err == nil {
		err = a.checkNames(loaded)
	}
	if err != nil {
		return usageError{err}
	}
	a.paths, a.workspace = paths, workspace
	a.loaded.Store(&loaded)
	return nil
}

// cfg is the configuration in force. configure comes first.
func (a *app) cfg() config.Config { return a.loaded.Load().Config }

// open opens the store, once.
func (a *app) open() (*storage.Store, error) {
	if err := a.configure(); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.store != nil {
		return a.store, nil
	}
	s, err := storage.Open(a.paths.Data, storage.Options{})
	if err != nil {
		return nil, err
	}
	a.store = s
	return s, nil
}

// logger writes to the log file, which is made when the first line is
// written. Nothing of a conversation's text and no key goes there.
func (a *app) logger() *slog.Logger {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.log == nil {
		level := slog.LevelInfo
		// The level was checked when the configuration was loaded.
		_ = level.UnmarshalText([]byte(a.cfg().Log.Level))
		a.log = slog.New(slog.NewTextHandler(lateFile{a}, &slog.HandlerOptions{Level: level}))
	}
	return a.log
}

// lateFile opens the log file at the first line.
type lateFile struct{ a *app }

func (l lateFile) Write(p []byte) (int, error) {
	l.a.mu.Lock()
	defer l.a.mu.Unlock()
	if l.a.logFile == nil {
		path := l.a.paths.Log()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return 0, err
		}
		if st, err := os.Stat(path); err == nil && st.Size() > maxLog {
			// A log that cannot be put aside just grows on.
			_ = os.Rename(path, path+".1")
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		l.a.logFile = f
	}
	return l.a.logFile.Write(p)
}

// atEnd remembers what has to be ended before the program is.
func (a *app) atEnd(f func(context.Context) error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closers = append(a.closers, f)
}

// close ends what the commands opened, newest first.
func (a *app) close() error {
	var errs []error
	a.mu.Lock()
	closers := a.closers
	a.closers = nil
	a.mu.Unlock()
	for _, f := range slices.Backward(closers) {
		errs = append(errs, f(context.Background()))
	}
	a.keepUses(context.Background())
	if a.store != nil {
		errs = append(errs, a.store.Close())
		a.store = nil
	}
	if a.logFile != nil {
		errs = append(errs, a.logFile.Close())
		a.logFile = nil
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing: %w", err)
	}
	return nil
}
