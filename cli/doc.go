// Package cli is the program from outside: its commands, flags, output and exit
// codes, and the wiring of the house for each of them.
//
// What scripts may rely on: replies and results go to standard output, progress
// and errors to standard error; --json where a script would want it; exit codes
// 0 done, 1 failed, 2 wrong use, 130 interrupted.
package cli
