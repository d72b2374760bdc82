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

	"plimsoll/storage"
	"plimsoll/tools/grants"
)

// resources are what a run opens when it is first needed, and closes at its end:
// the store, the granted rules, the log, and whatever else has to end.
type resources struct {
	settings *settings

	mu      sync.Mutex // guards what follows: the screen's commands share it
	store   *storage.Store
	grants  *grants.Store
	logFile *os.File
	log     *slog.Logger
	closers []func(context.Context) error
}

// maxLog is the size at which the log file is put aside, in bytes.
const maxLog = 8 << 20

// open opens the store, once.
func (r *resources) open() (*storage.Store, error) {
	if err := r.settings.configure(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.store != nil {
		return r.store, nil
	}
	s, err := storage.Open(r.settings.paths.Data, storage.Options{})
	if err != nil {
		return nil, err
	}
	r.store = s
	return s, nil
}

// logger writes to the log file, which is made when the first line is
// written. Nothing of a conversation's text and no key goes there.
func (r *resources) logger() *slog.Logger {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil {
		level := slog.LevelInfo
		// The level was checked when the configuration was loaded.
		_ = level.UnmarshalText([]byte(r.settings.cfg().Log.Level))
		r.log = slog.New(slog.NewTextHandler(lateFile{r}, &slog.HandlerOptions{Level: level}))
	}
	return r.log
}

// lateFile opens the log file at the first line.
type lateFile struct{ r *resources }

func (l lateFile) Write(p []byte) (int, error) {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	if l.r.logFile == nil {
		path := l.r.settings.paths.Log()
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
		l.r.logFile = f
	}
	return l.r.logFile.Write(p)
}

// atEnd remembers what has to be ended before the program is.
func (r *resources) atEnd(f func(context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closers = append(r.closers, f)
}

// close ends what the commands opened, newest first.
func (r *resources) close() error {
	var errs []error
	r.mu.Lock()
	closers := r.closers
	r.closers = nil
	r.mu.Unlock()
	for _, f := range slices.Backward(closers) {
		errs = append(errs, f(context.Background()))
	}
	r.keepUses(context.Background())
	if r.store != nil {
		errs = append(errs, r.store.Close())
		r.store = nil
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
