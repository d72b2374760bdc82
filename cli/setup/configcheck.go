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

// Names in the configuration that the package config cannot check: models, tools, keys and themes. The packages that use
// them refuse unknown names too, but `config check` and doctor check all of them in advance.

// CheckNames returns a problem for each name in a configuration that does not exist.
func (s *Settings) CheckNames(loaded config.Loaded) error {
	problems := s.screenProblems(loaded)
	problems = append(problems, s.modelProblems(loaded)...)
	if p := s.ruleProblem(loaded); p != nil {
		problems = append(problems, p)
	}
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(x, y *config.Problem) int { return cmp.Compare(x.Line, y.Line) })
	return problems
}

func (s *Settings) modelProblems(loaded config.Loaded) config.Problems {
	modelNames := map[string][]string{"fallback": loaded.Config.Fallback, "model": {loaded.Config.Model}, "compaction.summary.model": {loaded.Config.Compaction.Summary.Model}}
	for name, p := range loaded.Config.Compaction.Profiles {
		if p.Summary != nil {
			modelNames[config.Path("compaction", "profiles", name, "summary", "model")] = []string{p.Summary.Model}
		}
	}
	var problems config.Problems
	checked := &Settings{Console: s.Console}
	checked.Loaded.Store(&loaded)
	providers := &Providers{Console: s.Console, Settings: checked}
	for _, key := range slices.Sorted(maps.Keys(modelNames)) {
		for _, name := range modelNames[key] {
			if _, err := providers.ChoiceByName(name); name != "" && err != nil {
				var h console.Hinted
				errors.As(err, &h)
				problems = append(problems, loaded.ProblemAt(key, err.Error(), h.Hint))
			}
		}
	}
	return problems
}

// screenProblems lists wrong key bindings and themes.
func (s *Settings) screenProblems(loaded config.Loaded) config.Problems {
	var problems config.Problems
	ui := loaded.Config.UI
	for _, action := range slices.Sorted(maps.Keys(ui.Keys)) {
		if _, err := tui.DefaultKeyMap().Rebind(map[string][]string{action: ui.Keys[action]}); err != nil {
			problems = append(problems, loaded.ProblemAt(config.Path("ui", "keys", action), strings.TrimPrefix(err.Error(), "ui.keys: "), ""))
		}
	}
	var themeProblems config.Problems
	if _, _, err := s.Theme(loaded); errors.As(err, &themeProblems) {
		problems = append(problems, themeProblems...)
	}
	return problems
}

// ruleProblem is the first setting that the tools refuse, nil if all settings are valid.
func (s *Settings) ruleProblem(loaded config.Loaded) *config.Problem {
	workspace, err := config.FindWorkspace(s.Console.Dir)
	if err != nil {
		return nil // reported where the workspace is needed
	}
	o := ToolOptions(workspace, loaded.Config)
	o.Environ = []string{}
	box, err := tools.New(o)
	if err == nil {
		err = box.Close()
	}
	var p *config.Problem
	if errors.As(LocateError(loaded, err), &p) {
		return p
	}
	return nil
}

// LocateError adds file and line to an error whose text begins with a key that is set. Other errors are returned unchanged.
func LocateError(loaded config.Loaded, err error) error {
	if err == nil {
		return nil
	}
	key, message, ok := strings.Cut(err.Error(), ": ")
	if _, set := loaded.Origins[key]; !ok || !set {
		return err
	}
	p := loaded.ProblemAt(key, message, "")
	p.Text = "" // the first line of a list, which need not be the wrong one
	return p
}

// ToolOptions converts the tool settings of a configuration.
func ToolOptions(workspace string, cfg config.Config) tools.Options {
	rules := cfg.Permissions
	o := tools.Options{Workspace: workspace, PrivateAddresses: rules.PrivateAddresses, Ceiling: int(cfg.ToolResults.Ceiling),
		Permissions: permission.Config{Mode: conversation.ParseMode(rules.Mode), Allow: rules.Allow, Hosts: rules.Hosts, Deny: rules.Deny, Approval: map[string]permission.Approval{}}}
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
	o.JobLimit, o.JobTimeout = cfg.Jobs.Limit, cfg.Jobs.Timeout
	o.Defer, o.DeferRatio = tools.Defer(cfg.OnDemand.Defer), cfg.OnDemand.DeferRatio
	for name, server := range cfg.MCP {
		if server.Approval != "" {
			o.Permissions.Approval[conversation.ServerPrefix+name] = permission.Approval(server.Approval)
		}
	}
	o.SecretNames = serverVariables(cfg.MCP)
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
