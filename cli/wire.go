package cli

import (
	"plimsoll/cli/console"
	"plimsoll/cli/doctor"
	"plimsoll/cli/keys"
	"plimsoll/cli/screen"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/cli/transfer"
)

// app is one run of the program, with the parts that its commands use.
type app struct {
	console       *console.Console
	settings      *setup.Settings
	providers     *setup.Providers
	resources     *setup.Resources
	models        *setup.Models
	conversations *session.Conversations
	agents        *session.Agents
}

// newApp creates the parts of a run. They read and open files only when they are used.
func newApp(env console.Env, f setup.Flags) *app {
	a := &app{console: &console.Console{Env: env}}
	a.settings = &setup.Settings{Console: a.console, Flags: f}
	a.providers = &setup.Providers{Console: a.console, Settings: a.settings}
	a.resources = &setup.Resources{Settings: a.settings}
	a.models = &setup.Models{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources}
	a.conversations = &session.Conversations{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources, Models: a.models}
	a.agents = &session.Agents{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources,
		Models: a.models, Conversations: a.conversations, Servers: &session.Servers{}}
	return a
}

// SystemKeyring is the keyring of the system, for [Env].
func SystemKeyring() keys.Keyring { return keys.SystemKeyring{} }

func (a *app) newHost(options screen.ChatOptions) *screen.Host {
	return screen.NewHost(screen.Dependencies{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources, Models: a.models,
		Conversations: a.conversations, Agents: a.agents, Examiner: a.examiner(), Exporter: a.exporter()}, options)
}

func (a *app) examiner() *doctor.Examiner {
	return &doctor.Examiner{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources}
}

func (a *app) exporter() *transfer.Exporter { return &transfer.Exporter{Resources: a.resources} }

func (a *app) importer() *transfer.Importer {
	return &transfer.Importer{Console: a.console, Settings: a.settings, Providers: a.providers, Resources: a.resources}
}
