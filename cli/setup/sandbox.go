package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"plimsoll/config"
	"plimsoll/tools/sandbox"
)

// Sandbox returns the sandbox in which commands run by a configuration, the same one for the same settings. It is closed at the
// end of the run.
func (r *Resources) Sandbox(cfg config.Config) *sandbox.Sandbox {
	rules, settings := cfg.Permissions, r.Settings
	c := sandbox.Config{Mode: sandbox.Mode(rules.Sandbox), Network: sandbox.Network(rules.Network), Workspace: settings.Workspace,
		Path: filepath.SplitList(settings.Console.Getenv("PATH")), Write: rules.Write, Secrets: rules.Secrets, Own: settings.OwnFiles(),
		Helper: settings.Console.Self}
	if home := settings.Console.Getenv("HOME"); filepath.IsAbs(home) {
		c.Home = filepath.Clean(home)
	}
	c.Write = named(c.Write, c.Home, settings.Console.Getenv)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sandboxes == nil {
		r.sandboxes = map[string]*sandbox.Sandbox{}
	}
	key := fmt.Sprintf("%+v", c)
	s := r.sandboxes[key]
	if s == nil {
		s = sandbox.New(c)
		r.sandboxes[key] = s
		r.closers = append(r.closers, func(context.Context) error { return s.Close() })
	}
	return s
}

// named replaces a variable at the beginning of a path, as in $GOCACHE, by the first folder that it names. A path is left out if that
// is none, or if it would hold the home folder. A folder that a variable names alone is made, as its program would make it.
func named(paths []string, home string, getenv func(string) string) (out []string) {
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "$"); ok {
			name, below, _ := strings.Cut(rest, "/")
			value, _, _ := strings.Cut(getenv(name), string(filepath.ListSeparator))
			path = filepath.Join(value, below)
			if !filepath.IsAbs(value) || path == "/" || strings.HasPrefix(home+"/", path+"/") {
				continue
			}
			if below == "" {
				path += "/"
			}
		}
		out = append(out, path)
	}
	return out
}
