// Package core is what the two halves of the agent stand on, the turn loop (package agent)
// and the compactor (agent/compactor).
//
// A [Journal] is the conversation: log, view, meter, settings and rules. One goroutine owns
// it. It has these ways to store events:
//
//   - Append stores now, or fails and changes nothing
//   - Keep stores now, or with the next append where that fails
//   - KeepForLater stores while idle, and with the turn's next append otherwise
//   - Flush stores what still waits for an append
//
// Others put functions into the owner's [Inbox]. [Options] say what a conversation is made
// of; storage and tools are ports declared here and implemented elsewhere.
package core
