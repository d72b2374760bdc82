// Package setup prepares a run of the program: it loads settings from flags and configuration, keeps the trust in a
// workspace's file, opens the store and the log, and resolves a model's name to an address, a key and a connection. It
// decides where a conversation may be sent, and itself only requests information about models.
package setup

import "plimsoll/cli/console"

// Parts are what the commands of one run share.
type Parts struct {
	Console   *console.Console
	Settings  *Settings
	Providers *Providers
	Resources *Resources
	Models    *Models
}

// NewParts creates the parts of a run. They read and open files only when they are used.
func NewParts(env console.Env, f Flags) Parts {
	p := Parts{Console: &console.Console{Env: env}}
	p.Settings = &Settings{Console: p.Console, Flags: f}
	p.Providers = &Providers{Console: p.Console, Settings: p.Settings}
	p.Resources = &Resources{Settings: p.Settings}
	p.Models = &Models{Console: p.Console, Settings: p.Settings, Providers: p.Providers, Resources: p.Resources}
	return p
}
