// Package compactor reduces the view between two requests of the turn loop.
//
// The turn loop calls [Compactor.RunDueOperations] and [Compactor.CompactBeforeRequest] before a request, and
// [Compactor.CompactAfterTurn] when a turn has ended. [Loop] is all that the compactor knows of the turn loop.
//
// A compaction happens between requests, and its overlays are one transaction. The user, the model or the planner
// causes it.
//
// A summary is a job with its own goroutine, at most one at a time for a conversation. The goroutine works on a
// copy: a snapshot of the log, model, provider, prompt and tools. The owner applies the result between two
// requests, and only if the view is still the one that the summary was written from and the window is no smaller.
// Otherwise the log gets a [plimsoll/conversation.Attempt] with the reason. Until it is applied, nothing of a
// summary is in the log, so that Esc, quitting and a crash leave the view as it was. Failures in a row are counted
// from the log, nowhere else.
//
// state.go has all states of a summary and all transitions between them in one table: idle, preparing, in review,
// ready, then applied, failed, cancelled or stale.
//
// A summary in review is a job like any other until the user decides. A prepared summary waits in memory for the
// eviction of the messages that it covers.
package compactor
