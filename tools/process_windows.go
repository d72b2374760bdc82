//go:build windows

package tools

import (
	"os/exec"
	"strconv"
	"syscall"
)

// guard: the program does not run on Windows yet (storage wants flock); a command
// of it would need a job object here.
type guard struct{}

// startGuarded starts a command in a process group and without a console.
func startGuarded(cmd *exec.Cmd) (*guard, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	return &guard{}, cmd.Start()
}

func (*guard) dismiss() {}

// terminateSession: there is no polite signal to a tree without a console.
func terminateSession(pid int) { killSession(pid) }

// killSession ends the process and its children; it fails only if they are gone.
func killSession(pid int) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run()
}

// sessionAlive: a tree cannot be asked for once its root is gone.
func sessionAlive(int) bool { return false }

// shellCommand is the shell that runs commands and the flag before the command.
func shellCommand() []string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return []string{bash, "-c"}
	}
	return []string{"cmd", "/C"}
}
