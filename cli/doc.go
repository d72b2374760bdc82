// Package cli is the program from outside: its commands, flags, output and exit
// codes, and the wiring of the house for each of them.
//
// What scripts may rely on: replies and results go to standard output, progress
// and errors to standard error; --json where a script would want it; exit codes
// 0 done, 1 failed, 2 wrong use, 130 interrupted.
//
// A conversation that is open in another window has no agent here. A follower looks
// at its file once a second, reads the events behind the newest one it knows, and
// puts them into a mailbox as an agent does, with the meter and the model that the
// log gives. It ends, and the host waits for it, when the conversation is left.
package cli
