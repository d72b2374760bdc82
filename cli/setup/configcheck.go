package setup

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"plimsoll/cli/console"
	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
	"plimsoll/tui"
)

// Names in the configuration that only the rest of the program knows: models,
// tools, keys of the screen, themes. What uses a name says so when it is wrong;
// `config check` and doctor look at all of them beforehand.

// CheckNames reports the names in a configuration that nothing answers to.
func (s *Settings) CheckNames(l config.Loaded) error {
	problems := s.screenProblems(l)
	problems = append(problems, s.modelProblems(l)...)
	if p := s.ruleProblem(l); p != nil {
		problems = append(problems, p)
	}
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(x, y *config.Problem) int { return cmp.Compare(x.Line, y.Line) })
	return problems
}

// modelProblems is the models that are not known.
func (s *Settings) modelProblems(l config.Loaded) config.Problems {
	named := map[string]string{"model": l.Config.Model, "compaction.summary.model": l.Config.Compaction.Summary.Model}
	for name, p := range l.Config.Compaction.Profiles {
		if p.Summary != nil {
			named[config.Path("compaction", "profiles", name, "summary", "model")] = p.Summary.Model
		}
	}
	var problems config.Problems
	one := &Settings{Console: s.Console}
	one.Loaded.Store(&l)
	for _, name := range l.Config.Fallback {
		if _, err := (&Providers{Console: s.Console, Settings: one}).Named(name); err != nil {
			problems = append(problems, l.Problem("fallback", err.Error(), HintOf(err)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(named)) {
		if name := named[key]; name != "" {
			if _, err := (&Providers{Console: s.Console, Settings: one}).Named(name); err != nil {
				problems = append(problems, l.Problem(key, err.Error(), HintOf(err)))
			}
		}
	}
	return problems
}

// screenProblems is what the screen cannot be made of.
func (s *Settings) screenProblems(l config.Loaded) config.Problems {
	var problems config.Problems
	ui := l.Config.UI
	for _, action := range slices.Sorted(maps.Keys(ui.Keys)) {
		if _, err := tui.DefaultKeyMap().Rebind(map[string][]string{action: ui.Keys[action]}); err != nil {
			problems = append(problems, l.Problem(config.Path("ui", "keys", action), strings.TrimPrefix(err.Error(), "ui.keys: "), ""))
		}
	}
	var wrong config.Problems
	if _, _, err := s.Theme(l); errors.As(err, &wrong) {
		problems = append(problems, wrong...)
	}
	return problems
}

// ruleProblem is what the tools cannot work with, nil if there is nothing.
func (s *Settings) ruleProblem(l config.Loaded) *config.Problem {
	workspace, err := config.Workspace(s.Console.Dir)
	if err != nil {
		return nil // said wherever the workspace is needed
	}
	rules := l.Config.Permissions
	box, err := tools.New(tools.Options{Workspace: workspace, PrivateAddresses: rules.PrivateAddresses, Environ: []string{},
		Permissions: permission.Config{Mode: conversation.Mode(rules.Mode), Allow: rules.Allow, Deny: rules.Deny, Approval: Approvals(l.Config)},
		Disabled:    Disabled(l.Config)})
	if err == nil {
		err = box.Close()
	}
	var p *config.Problem
	if errors.As(Placed(l, err), &p) {
		return p
	}
	return nil
}

// Placed is an error at the line of the key that its text begins with, or the
// error itself if it begins with none that was set.
func Placed(l config.Loaded, err error) error {
	if err == nil {
		return nil
	}
	key, message, ok := strings.Cut(err.Error(), ": ")
	if _, set := l.Origins[key]; !ok || !set {
		return err
	}
	p := l.Problem(key, message, "")
	p.Text = "" // the first line of a list, which need not be the wrong one
	return p
}

// HintOf is what an error says is to be done, "" if it says nothing.
func HintOf(err error) string {
	var h console.Hinted
	if errors.As(err, &h) {
		return h.Hint
	}
	return ""
}

// Approvals is what a configuration says of tools as a whole.
func Approvals(cfg config.Config) map[string]permission.Approval {
	out := map[string]permission.Approval{}
	for name, t := range cfg.Tools {
		if t.Approval != "" {
			out[name] = permission.Approval(t.Approval)
		}
	}
	return out
}

// Disabled are the tools that a configuration turns off, sorted.
func Disabled(cfg config.Config) []string {
	var out []string
	for name, t := range cfg.Tools {
		if t.Enabled != nil && !*t.Enabled {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
