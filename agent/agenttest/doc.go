// Package agenttest has stand-ins for what an agent talks to: a provider that
// follows a script, a server with a window, a toolbox of functions, a log in
// memory that can be told to fail, and a watcher that collects updates.
//
// Everything here waits on channels and on the clock of the time package only,
// so that it can be used inside a testing/synctest bubble. Nothing starts a
// goroutine but [Watch].
package agenttest
