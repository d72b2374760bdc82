// Package session leads from a stored conversation to a running agent: it reads a
// conversation as it stands, appends a compaction to one that nobody has open, copies
// one, and opens one for writing with its tools, its model and the goroutine of its
// agent.
package session
