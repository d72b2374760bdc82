//go:build windows

package tools

import (
	"os/exec"
	"strconv"
	"syscall"
)

// isolate gives the command a process group and no console of its own.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// terminateGroup: there is no polite signal to a tree without a console.
func terminateGroup(pid int) { killGroup(pid) }

// killGroup ends the process and its children; it fails only if they are gone.
func killGroup(pid int) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run()
}

// groupAlive: a tree cannot be asked for once its root is gone.
func groupAlive(int) bool { return false }

// shellCommand is the shell that runs commands and the flag before the command.
func shellCommand() []string {
	if bash, err := exec.LookPath("bash"); err == nil {
		return []string{bash, "-c"}
	}
	return []string{"cmd", "/C"}
}
