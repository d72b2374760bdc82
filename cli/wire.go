package cli

import (
	"plimsoll/cli/console"
	"plimsoll/cli/keys"
	"plimsoll/cli/session"
	"plimsoll/cli/setup"
	"plimsoll/cli/transfer"
)

// app is one run of the program. Its commands embed it.
type app struct{ *session.Agents }

func newApp(env console.Env, f setup.Flags) *app {
	parts := setup.NewParts(env, f)
	return &app{&session.Agents{Parts: parts, Conversations: &session.Conversations{Parts: parts}, Servers: &session.Servers{}}}
}

// SystemKeyring is the keyring of the system, for [Env].
func SystemKeyring() keys.Keyring { return keys.SystemKeyring{} }

func (a *app) importer() *transfer.Importer { return &transfer.Importer{Parts: a.Parts} }
