package setup

import (
	"context"
	"fmt"
	"path/filepath"

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
