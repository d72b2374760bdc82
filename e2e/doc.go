// Package e2e holds the tests and benchmarks of the whole program: plimsoll in
// a real pseudo-terminal, against a scripted server on loopback or the demo
// model, with real files, real locks and real kills. Nothing of it is part of
// the program.
//
// The tests run the test binary itself as plimsoll (main_test.go), so that the
// race detector watches the program, too. The benchmarks build the program as
// users get it. Both see only what a user sees: the cells of the screen, the
// bytes that were written to the terminal, and files.
package e2e
