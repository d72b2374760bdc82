package shell

import (
	"os/exec"
	"syscall"
)

// Errors of signals are ignored: a signal fails only if the session has no processes
// left. A session is the process group of its leader, and on Linux also all other
// groups that a shell with job control made in it.

func signalSession(pid int, signal syscall.Signal) {
	_ = syscall.Kill(-pid, signal)
	for _, member := range sessionMembers(pid) {
		_ = syscall.Kill(member, signal)
	}
}

func sessionAlive(pid int) bool {
	return syscall.Kill(-pid, 0) == nil || len(sessionMembers(pid)) > 0
}

// Command returns the shell that runs commands, and the flag that precedes the command.
func Command() []string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return []string{bash, "-c"}
	}
	return []string{"/bin/sh", "-c"}
}
