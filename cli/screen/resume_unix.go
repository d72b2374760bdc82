//go:build unix

package screen

import "syscall"

// Continue sends the program the signal to continue after it suspended itself. Without a job-control shell the system does
// not stop the program, and nothing else would send the signal. If the program was stopped, it runs again by now, and the
// signal changes nothing.
func Continue() {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGCONT) // a program may always continue itself
}
