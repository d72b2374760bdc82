//go:build unix

package screen

import "syscall"

// Continue has the program go on that suspended itself. Where no shell is above it the system does not stop it, and nobody
// else would tell it to go on; where it was stopped it runs again when it gets here, and this changes nothing.
func Continue() {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGCONT) // a program may always continue itself
}
