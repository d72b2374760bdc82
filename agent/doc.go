// Package agent runs conversations: one goroutine owns a conversation, appends
// its events, asks the model, runs the tools it calls, and tells whoever
// watches.
//
// Two streams leave it and are never mixed: events, which are durable and typed
// and go to the log first (storage, then memory, then the watcher), and
// updates, which are for the eye. A streamed token is an update; the finished
// reply is an event.
//
// A compaction, like everything that changes what the model is sent, happens
// between requests: its overlays are one transaction. It is made when the user or
// the model asks, or when the planner of package compact says so, which is asked
// before every request and after every turn. A summary is written beside the
// conversation, on a goroutine of its own, and is in the log when it is there
// and counts, or not at all.
//
// The package knows no wire, no file and no terminal: providers, storage and
// tools are ports declared here and implemented elsewhere.
package agent
