package shell

import (
	"os/exec"
	"syscall"
)

// Signals to a session may fail only because nothing of it is left, which is what
// they are for. A session is its leader's group, and on Linux all other groups
// that a shell with job control made in it.

func terminateSession(pid int) { signalSession(pid, syscall.SIGTERM) }

func killSession(pid int) { signalSession(pid, syscall.SIGKILL) }

func signalSession(pid int, signal syscall.Signal) {
	_ = syscall.Kill(-pid, signal)
	for _, member := range sessionMembers(pid) {
		_ = syscall.Kill(member, signal)
	}
}

func sessionAlive(pid int) bool {
	return syscall.Kill(-pid, 0) == nil || len(sessionMembers(pid)) > 0
}

// Command is the shell that runs commands and the flag before the command.
func Command() []string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return []string{bash, "-c"}
	}
	return []string{"/bin/sh", "-c"}
}
