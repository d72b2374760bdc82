package sandbox

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
)

// system has no state: each command is started by sandbox-exec with a profile of its own.
type system struct{}

const sandboxExec = "/usr/bin/sandbox-exec"

// supported returns why commands cannot be confined, nil if they can.
func supported() error {
	_, err := os.Stat(sandboxExec)
	return err
}

// start starts a command; the caller holds mu.
func (s *Sandbox) start(cmd *exec.Cmd) error {
	port := 0
	if _, text, err := net.SplitHostPort(s.proxy); err == nil {
		port, _ = strconv.Atoi(text)
	}
	profile := seatbelt(s.rulesFor(s.Mode, s.temp), s.Network == NetworkOn, port)
	cmd.Args = append([]string{sandboxExec, "-p", profile, "--", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sandboxExec
	return cmd.Start()
}

// whole reports that nothing is missing that namespaces do elsewhere.
func (s *Sandbox) whole() bool { return true }

func (s *Sandbox) end() {}

// listen returns a listener to which commands are let through; the caller holds mu.
func (s *Sandbox) listen(ctx context.Context) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
}

// RunHelper does nothing here.
func RunHelper() {}

// means says what is in force.
func (s *Sandbox) means() (has, lacks []string) {
	return []string{fmt.Sprintf("files, network, signals and services of the system: %s", sandboxExec)},
		[]string{"a command can leave daemons, and servers on this machine cannot be reached from the sandbox, nor started in it",
			"the profile was written without a Mac at hand: report what it breaks, and what it lets through"}
}
