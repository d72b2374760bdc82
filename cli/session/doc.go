// Package session works on stored conversations: it reads a snapshot of one, appends a compaction to one that no program
// has open, copies one, and opens one for writing with its tools, its model and the goroutine of its agent.
package session
