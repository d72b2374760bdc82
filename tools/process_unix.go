//go:build unix

package tools

import (
	"os/exec"
	"syscall"
)

// isolate gives the command a session of its own: a process group to kill as a
// whole, and no terminal it could ask for a password on.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Signals to a group may fail only because nothing of it is left, which is what
// they are for.

func terminateGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// groupAlive reports whether a process of the group is left.
func groupAlive(pid int) bool { return syscall.Kill(-pid, 0) == nil }

// shellCommand is the shell that runs commands and the flag before the command.
func shellCommand() []string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return []string{bash, "-c"}
	}
	return []string{"/bin/sh", "-c"}
}
