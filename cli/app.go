package cli

import (
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
)

// app is one run of the program: the parts that its commands are made of.
type app struct {
	console       *console.Console
	settings      *setup.Settings
	providers     *setup.Providers
	resources     *setup.Resources
	models        *setup.Models
	conversations *session.Conversations
	agents        *session.Agents
}

// newApp makes the parts of a run. Nothing is read or opened before a part is
// asked for it.
func newApp(env console.Env, f setup.Flags) *app {
	c := &console.Console{Env: env}
	s := &setup.Settings{Console: c, Flags: f}
	p := &setup.Providers{Console: c, Settings: s}
	r := &setup.Resources{Settings: s}
	d := &setup.Models{Console: c, Settings: s, Providers: p, Resources: r}
	v := &session.Conversations{Console: c, Settings: s, Providers: p, Resources: r, Models: d}
	return &app{console: c, settings: s, providers: p, resources: r, models: d, conversations: v,
		agents: &session.Agents{Console: c, Settings: s, Providers: p, Resources: r, Models: d, Conversations: v}}
}
