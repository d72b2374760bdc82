package shell

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// A command ends with the program, also when the program is killed and can end
// nothing any more. Next to each command waits a guard: a small shell that reads
// from a pipe whose other end the program alone holds. If the pipe ends before the
// guard was dismissed, the program is gone, and the guard kills what the command
// runs. A command starts only once its guard knows of it, so there is no moment
// at which a kill leaves something behind. What a command moves to its own
// session (setsid, a daemon) is meant to stay, and does.
//
// The parent-death signal of Linux does not serve: it follows the thread that
// started a process, and reaches no child of that process.

// guardScript reads the id of a session, then waits to be dismissed. A session
// may hold more groups than the one of its leader; only Linux tells of them.
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

// gateScript waits for the word of the program, and then becomes the command.
const gateScript = `read -r go <&3 || exit 1
exec 3<&-
exec "$0" "$@"`

type guard struct {
	cmd  *exec.Cmd
	line io.WriteCloser // held by the program alone
}

// startGuarded starts a command as the leader of a session, under a guard.
func startGuarded(cmd *exec.Cmd) (*guard, error) {
	gate, open, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer gate.Close() // only read from, and by the command
	defer open.Close() // what was written is in the pipe
	g, err := newGuard()
	if err != nil {
		return nil, err
	}
	cmd.Args = append([]string{"sh", "-c", gateScript, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.ExtraFiles = []*os.File{gate} // 3
	cmd.SysProcAttr = isolated()
	if err := cmd.Start(); err != nil {
		g.dismiss()
		return nil, err
	}
	_, err = io.WriteString(g.line, strconv.Itoa(cmd.Process.Pid)+"\n")
	if err == nil {
		_, err = io.WriteString(open, "go\n")
	}
	if err != nil { // the guard was killed: the command has not begun, and will not
		_ = open.Close() // ends the gate
		_ = cmd.Wait()   // with the gate
		g.dismiss()
		return nil, fmt.Errorf("its guard ended: %w", err)
	}
	return g, nil
}

func newGuard() (*guard, error) {
	cmd := exec.Command("/bin/sh", "-c", guardScript)
	cmd.Dir, cmd.Env = "/", []string{} // it keeps no folder busy and knows no keys
	cmd.SysProcAttr = isolated()
	line, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &guard{cmd: cmd, line: line}, nil
}

// dismiss ends the guard; what the command left is then left alone.
func (g *guard) dismiss() {
	// An error says that the guard was killed, and then there is nothing to end.
	_, _ = io.WriteString(g.line, "0\n0\n")
	_ = g.line.Close()
	_ = g.cmd.Wait()
}

// isolated gives a process its own session: something to kill as a whole,
// and no terminal it could ask for a password on.
func isolated() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
