package cli

import "plimsoll/cli/console"

// app is one run of the program: the parts that its commands are made of.
type app struct {
	console       *console.Console
	settings      *settings
	providers     *providers
	resources     *resources
	models        *models
	conversations *conversations
	agents        *agents
}

// newApp makes the parts of a run. Nothing is read or opened before a part is
// asked for it.
func newApp(env console.Env, f flags) *app {
	c := &console.Console{Env: env}
	s := &settings{console: c, flags: f}
	p := &providers{console: c, settings: s}
	r := &resources{settings: s}
	d := &models{console: c, settings: s, providers: p, resources: r}
	v := &conversations{console: c, settings: s, providers: p, resources: r, models: d}
	return &app{console: c, settings: s, providers: p, resources: r, models: d, conversations: v,
		agents: &agents{console: c, settings: s, providers: p, resources: r, models: d, conversations: v}}
}
