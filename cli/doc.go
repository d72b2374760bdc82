// Package cli is the command line: its commands, flags, output and exit codes, and the wiring of the packages for each
// command.
//
// What scripts may rely on: replies and results go to standard output, progress
// and errors to standard error; --json where a script would want it; exit codes
// 0 done, 1 failed, 2 wrong use, 130 interrupted.
//
// A conversation that another window has open has no agent here. A follower checks its file once a second, reads new events,
// and puts them into a mailbox as an agent does, with the meter and the model of the log. When the user leaves the
// conversation, the host stops the follower and waits for it.
package cli
