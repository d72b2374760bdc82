package main

import "golang.org/x/sys/unix"

// protect keeps other programs of the same user, the commands of a model among
// them, from reading this one's environment, which holds the API keys.
func protect() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
