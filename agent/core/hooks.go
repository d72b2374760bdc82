package core

import (
	"context"

	"plimsoll/conversation"
)

// Hooks are the user's commands that run at moments of a conversation.
type Hooks interface {
	// Run runs the hooks of a moment, in order, until one refuses or ctx ends. A hook that fails is in Ran and changes nothing.
	// Several goroutines call it at once.
	Run(ctx context.Context, in conversation.HookInput) conversation.HookOutput
}
