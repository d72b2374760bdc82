// Package agenttest has fakes of what an agent talks to: a provider that follows a script or has a context window,
// a toolbox of functions, a log in memory whose writes can fail, and a watcher that collects updates.
//
// Everything here waits only on channels and on the clock of package time, so that it works inside a
// testing/synctest bubble. Only [Watch] starts a goroutine.
package agenttest
