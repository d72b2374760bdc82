package setup

import (
	"plimsoll/cli/console"
)

// Models finds the model of a conversation and connects to it.
type Models struct {
	Console   *console.Console
	Settings  *Settings
	Providers *Providers
	Resources *Resources
}
