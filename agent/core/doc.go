// Package core has what the turn loop (package agent) and the compactor (agent/compactor) share.
//
// A [Journal] is one conversation: log, view, meter, settings and rules. One goroutine owns it. It stores events in
// these ways:
//
//   - Append stores now, or fails and changes nothing
//   - AppendOrPostpone stores now or, if that fails, with the next append
//   - Record is AppendOrPostpone, and publishes a failure
//   - AppendWhenIdle stores now while idle, and with the next append in a turn
//   - Flush stores the events that wait for the next append
//
// Other goroutines put functions into the owner's [Inbox]. [Options] configure a conversation; storage and tools
// are ports declared here and implemented elsewhere.
package core
