package shell

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// A command ends with the program, even if the program is killed. Each command has a guard: a small shell that
// reads from a pipe whose other end only the program holds. If the pipe is closed before the guard is dismissed,
// the program has died, and the guard kills all processes of the command. A command starts only after its guard
// has its process id, so that a kill at any moment leaves no process running. A process that a command moves to
// another session (setsid, a daemon) is not killed.
//
// The parent-death signal of Linux is not enough: it comes when the thread that started
// a process ends, and does not reach the children of that process.

// guardScript reads the id of a session, then waits for a line that dismisses it. A session
// can have more process groups than that of its leader; only Linux lists them, in /proc.
const guardScript = `trap '' HUP INT QUIT TERM
read -r pid || exit 0
read -r dismissed && exit 0
kill -KILL -- "-$pid"
for round in 1 2 3; do
	for stat in /proc/[0-9]*/stat; do
		read -r line <"$stat" || continue
		set -- ${line##*) }
		[ "$4" = "$pid" ] && [ "$1" != Z ] || continue
		stat=${stat#/proc/}
		kill -KILL "${stat%/stat}"
	done
done`

// gateScript waits for a line from the program, and then executes the command.
const gateScript = `read -r go <&3 || exit 1
exec 3<&-
exec "$0" "$@"`

// Starter starts a command, confined or not; nil is [exec.Cmd.Start].
type Starter func(*exec.Cmd) error

type guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser // to the guard; only the program holds this end
}

// startGuarded starts a command as the leader of a session, under a guard.
func startGuarded(cmd *exec.Cmd, start Starter) (*guard, error) {
	gate, opener, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer gate.Close()   // the command has a copy and reads from it
	defer opener.Close() // a written line stays in the pipe
	g, err := newGuard()
	if err != nil {
		return nil, err
	}
	cmd.Args = append([]string{"sh", "-c", gateScript, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.ExtraFiles = []*os.File{gate} // 3
	cmd.SysProcAttr = isolated()
	if start == nil {
		start = (*exec.Cmd).Start
	}
	if err := start(cmd); err != nil {
		g.dismiss()
		return nil, err
	}
	_, err = io.WriteString(g.pipe, strconv.Itoa(cmd.Process.Pid)+"\n")
	if err == nil {
		_, err = io.WriteString(opener, "go\n")
	}
	if err != nil { // the guard was killed: the command has not begun, and will not
		_ = opener.Close() // ends gateScript
		_ = cmd.Wait()     // returns when gateScript has ended
		g.dismiss()
		return nil, fmt.Errorf("its guard ended: %w", err)
	}
	return g, nil
}

func newGuard() (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", guardScript)
	cmd.Dir, cmd.Env = "/", []string{} // it keeps no folder in use and sees no API keys
	cmd.SysProcAttr = isolated()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &guard{cmd: cmd, pipe: pipe}, nil
}

// dismiss ends the guard without killing any process.
func (g *guard) dismiss() {
	// The first line is the id if the guard has not read one. An error means that it was killed and has already ended.
	_, _ = io.WriteString(g.pipe, "0\n0\n")
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}

// isolated gives a process its own session, which can be killed as a whole and has
// no terminal on which a process could ask for a password.
func isolated() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
