package cli

import (
	"plimsoll/cli/console"
	"plimsoll/cli/keys"
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
	a := &app{console: &console.Console{Env: env}}
	a.settings = &setup.Settings{Console: a.console, Flags: f}
	a.providers = &setup.Providers{Console: a.console, Settings: a.settings}
	a.resources = &setup.Resources{Settings: a.settings}
	a.models = &setup.Models{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources}
	a.conversations = &session.Conversations{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources, Models: a.models}
	a.agents = &session.Agents{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources,
		Models: a.models, Conversations: a.conversations}
	return a
}

// SystemKeyring is the keyring of the system, for [Env].
func SystemKeyring() keys.Ring { return keys.System{} }
