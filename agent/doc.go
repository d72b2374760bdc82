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
// between requests: its overlays are one transaction, and a summary that a model
// has to write is in the log when it is there and counts, or not at all.
//
// The package knows no wire, no file and no terminal: providers, storage and
// tools are ports declared here and implemented elsewhere.
package agent
