package cli

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"plimsoll/config"
	"plimsoll/tools/grants"
)

// granted holds what the user granted, for all conversations of this run. When
// grants were last used is written when the program ends.
func (r *resources) granted() *grants.Store {
	r.mu.Lock()
	store := r.grants
	if store == nil {
		store = grants.New(r.settings.paths.Grants(), nil)
		r.grants = store
	}
	r.mu.Unlock()
	return store
}

// flushWait is how long another program that writes grants is waited for.
const flushWait = 100 * time.Millisecond

// keepUses writes when grants were last used. A failure costs that note only.
func (r *resources) keepUses(ctx context.Context) {
	r.mu.Lock()
	store := r.grants
	r.mu.Unlock()
	if store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushWait)
	defer cancel()
	if err := store.Flush(ctx); err != nil {
		r.logger().Warn("noting when grants were last used", "error", err)
	}
}

// ownFiles are the files by which the program itself is steered, and its data.
func (s *settings) ownFiles() []string {
	own := []string{s.paths.Data, s.paths.State, s.paths.Grants()}
	if path, _, err := config.File(s.console.Lookup, s.flags.config); err == nil {
		if full, err := filepath.Abs(path); err == nil {
			own = append(own, full)
		}
	}
	return own
}

// ruleAt is the file and line where a rule of a list stands: the line that holds
// its text, else that of the list.
func (s *settings) ruleAt(list, rule string) string {
	at := ""
	origin, set := s.loaded.Load().Origins["permissions."+list]
	if set && origin.File != "" {
		at = s.console.Home(origin.File) + ":" + strconv.Itoa(origin.Line)
	}
	for _, source := range s.loaded.Load().Sources {
		if !source.Found || source.Path == "" {
			continue
		}
		if line := lineWith(source.Path, rule); line > 0 {
			at = s.console.Home(source.Path) + ":" + strconv.Itoa(line)
		}
	}
	return at
}

// lineWith is the first line of a file, counted from 1, that holds a text and is
// no comment; 0 if there is none or the file cannot be read.
func lineWith(path, text string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // opened for reading
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if line := lines.Text(); strings.Contains(line, text) && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			return n
		}
	}
	return 0
}
