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

// Names in the configuration that the package config cannot check: models, tools, keys and themes. Their users would also
// refuse unknown names, but `config check` and doctor check all of them in advance.

// CheckNames returns a problem for each name in a configuration that does not exist.
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

// modelProblems lists the unknown models.
func (s *Settings) modelProblems(l config.Loaded) config.Problems {
	named := map[string][]string{"fallback": l.Config.Fallback, "model": {l.Config.Model}, "compaction.summary.model": {l.Config.Compaction.Summary.Model}}
	for name, p := range l.Config.Compaction.Profiles {
		if p.Summary != nil {
			named[config.Path("compaction", "profiles", name, "summary", "model")] = []string{p.Summary.Model}
		}
	}
	var problems config.Problems
	one := &Settings{Console: s.Console}
	one.Loaded.Store(&l)
	known := &Providers{Console: s.Console, Settings: one}
	for _, key := range slices.Sorted(maps.Keys(named)) {
		for _, name := range named[key] {
			if _, err := known.ChoiceByName(name); name != "" && err != nil {
				var h console.Hinted
				errors.As(err, &h)
				problems = append(problems, l.ProblemAt(key, err.Error(), h.Hint))
			}
		}
	}
	return problems
}

// screenProblems lists wrong key bindings and themes.
func (s *Settings) screenProblems(l config.Loaded) config.Problems {
	var problems config.Problems
	ui := l.Config.UI
	for _, action := range slices.Sorted(maps.Keys(ui.Keys)) {
		if _, err := tui.DefaultKeyMap().Rebind(map[string][]string{action: ui.Keys[action]}); err != nil {
			problems = append(problems, l.ProblemAt(config.Path("ui", "keys", action), strings.TrimPrefix(err.Error(), "ui.keys: "), ""))
		}
	}
	var wrong config.Problems
	if _, _, err := s.Theme(l); errors.As(err, &wrong) {
		problems = append(problems, wrong...)
	}
	return problems
}

// ruleProblem is the first setting that the tools refuse, nil if there is none.
func (s *Settings) ruleProblem(l config.Loaded) *config.Problem {
	workspace, err := config.FindWorkspace(s.Console.Dir)
	if err != nil {
		return nil // reported where the workspace is needed
	}
	o := ToolOptions(workspace, l.Config)
	o.Environ = []string{}
	box, err := tools.New(o)
	if err == nil {
		err = box.Close()
	}
	var p *config.Problem
	if errors.As(LocateError(l, err), &p) {
		return p
	}
	return nil
}

// LocateError adds file and line to an error whose text begins with a key that is set. Other errors are returned unchanged.
func LocateError(l config.Loaded, err error) error {
	if err == nil {
		return nil
	}
	key, message, ok := strings.Cut(err.Error(), ": ")
	if _, set := l.Origins[key]; !ok || !set {
		return err
	}
	p := l.ProblemAt(key, message, "")
	p.Text = "" // the first line of a list, which need not be the wrong one
	return p
}

// ToolOptions converts the tool settings of a configuration.
func ToolOptions(workspace string, cfg config.Config) tools.Options {
	rules := cfg.Permissions
	o := tools.Options{Workspace: workspace, PrivateAddresses: rules.PrivateAddresses, Ceiling: int(cfg.ToolResults.Ceiling),
		Permissions: permission.Config{Mode: conversation.Mode(rules.Mode), Allow: rules.Allow, Deny: rules.Deny, Approval: map[string]permission.Approval{}}}
	for _, name := range slices.Sorted(maps.Keys(cfg.Tools)) {
		t := cfg.Tools[name]
		if t.Approval != "" {
			o.Permissions.Approval[name] = permission.Approval(t.Approval)
		}
		if t.Enabled != nil && !*t.Enabled {
			o.Disabled = append(o.Disabled, name)
		}
		if t.Command != "" {
			o.Commands = append(o.Commands, commandTool(name, t))
		}
	}
	for _, p := range cfg.Providers {
		if p.APIKeyEnv != "" {
			o.SecretNames = append(o.SecretNames, p.APIKeyEnv)
		}
	}
	return o
}

// commandTool is a tool of the user's own, with its parameters in the order of their names.
func commandTool(name string, t config.Tool) tools.CommandTool {
	c := tools.CommandTool{Name: name, Command: t.Command, About: t.Description, Timeout: t.Timeout}
	for _, parameter := range slices.Sorted(maps.Keys(t.Parameters)) {
		p := t.Parameters[parameter]
		c.Parameters = append(c.Parameters, tools.CommandParameter{
			Name: parameter, Type: p.Type, About: p.Description, Required: p.Required, Choices: p.Enum, Flag: p.Flag,
		})
	}
	return c
}
