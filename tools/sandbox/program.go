package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"plimsoll/tools/sandbox/proxy"
)

// Program is the place of one program that is configured, such as an MCP server or a hook: a sandbox, with a way to the network
// of its own. A nil Program confines nothing.
type Program struct {
	box      *Sandbox
	way      *proxy.Command // nil: its network is open
	settings string         // how messages name its settings: "mcp.files."
	closing  func() error
}

// Program opens a place in the sandbox. What it reaches is as o says, unless the network is open. If it owns the sandbox, Close
// closes that.
func (s *Sandbox) Program(settings string, o proxy.Options, owns bool) (*Program, error) {
	p := &Program{box: s, settings: settings}
	p.closing = sync.OnceValue(func() error {
		if p.way != nil {
			p.way.Close()
		}
		if owns {
			return s.Close()
		}
		return nil
	})
	var err error
	if s.Proxied() {
		if p.way, err = s.Reach(o); err != nil {
			_ = p.Close() // the error is that of Reach
			return nil, err
		}
	}
	return p, nil
}

// Start starts the program; see [Sandbox.Start].
func (p *Program) Start(cmd *exec.Cmd) error {
	if p == nil {
		return cmd.Start()
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	if p.way != nil {
		cmd.Env = append(slices.Clone(cmd.Env), p.way.Environment...)
	}
	return p.box.Start(cmd)
}

// KeptFrom says what the sandbox kept the program from since the last call, as far as the proxy knows or its output tells, and
// what to set; "" for nothing.
func (p *Program) KeptFrom(output string) string {
	if p == nil || !p.box.Active() {
		return ""
	}
	what, set := p.box.Denial(output), "sandbox: off lets it"
	if p.way != nil {
		if _, refused := p.way.Report(); len(refused) > 0 {
			host, _, _ := strings.Cut(refused[0], " ")
			what = "reaching " + host
		}
	}
	switch {
	case what == "":
		return ""
	case strings.HasPrefix(what, "reaching "):
		set = "network: on lets it, or permissions.hosts"
	case strings.HasPrefix(what, "writing "):
		set = "write lets it, or " + p.settings + "sandbox: off"
	}
	return "it runs in a sandbox, which kept it from " + what + "; " + p.settings + set
}

// Doubt says that the sandbox may be why the program did not work, and what to set; "" where nothing confines it.
func (p *Program) Doubt() string {
	if p == nil || !p.box.Active() {
		return ""
	}
	return "it runs in a sandbox; if that is why, set " + p.settings + "sandbox: off"
}

// Close ends what the program's way to the network still does, and its sandbox if it owns that.
func (p *Program) Close() error {
	if p == nil {
		return nil
	}
	return p.closing()
}
