package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"plimsoll/tools/sandbox/proxy"
)

// Mode says how commands are confined.
type Mode string

// The modes. Auto is Workspace as far as the system can.
const (
	Auto      Mode = "auto"
	Workspace Mode = "workspace"
	ReadOnly  Mode = "read-only" // nothing is written but a temporary folder
	Off       Mode = "off"
)

// Network says what commands reach.
type Network string

// The networks. With NetworkAsk and NetworkOff a command reaches only servers that run in the sandbox, and the proxy of Reach.
const (
	NetworkOff Network = "off"
	NetworkAsk Network = "ask"
	NetworkOn  Network = "on"
)

// Config configures a Sandbox. Paths may begin with ~/; others that are not absolute are below the workspace.
type Config struct {
	Mode      Mode
	Network   Network
	Workspace string   // absolute
	Home      string   // the user's home folder, "" for none
	Path      []string // folders of programs, as in PATH
	Read      []string // files and folders that commands may read besides
	Write     []string // files and folders that commands may write besides; those that end in a slash are made
	Secrets   []string // files and folders that they may not read, besides the known ones
	Own       []string // the program's own files and folders
	Helper    string   // a program whose main calls RunHelper first; "": no namespaces
}

// ErrUnavailable is that of a mode that the system cannot give.
var ErrUnavailable = errors.New("commands cannot be confined here")

// Sandbox starts confined commands. A nil Sandbox confines nothing. Several goroutines may use it.
type Sandbox struct {
	Config

	reachMu sync.Mutex   // guards reach
	reach   *proxy.Proxy // nil until a command needs it

	mu     sync.Mutex // guards what follows
	temp   string     // "" until a command was started
	proxy  string     // where Listen listens, "" for nowhere
	closed bool
	system // the means of this system
}

// New returns a Sandbox, and starts nothing.
func New(c Config) *Sandbox {
	c.Mode, c.Network = cmp.Or(c.Mode, Auto), cmp.Or(c.Network, NetworkAsk)
	return &Sandbox{Config: c}
}

// Active reports whether commands are confined.
func (s *Sandbox) Active() bool { return s != nil && s.Mode != Off && supported() == nil }

// Whole reports whether the system keeps commands from all that this package promises, .git/hooks included. The first call may
// take a tenth of a second.
func (s *Sandbox) Whole() bool {
	if !s.Active() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed && s.makeTemp() == nil && s.whole()
}

// Start starts a command like cmd.Start, confined. It may change cmd's path, arguments, environment and files. Errors: those of
// cmd.Start; ErrUnavailable where the mode demands what the system has not.
func (s *Sandbox) Start(cmd *exec.Cmd) error {
	if s == nil || s.Mode == Off {
		return cmd.Start()
	}
	if err := supported(); err != nil {
		if s.Mode == Auto {
			return cmd.Start()
		}
		return fmt.Errorf("%w: %w (permissions.sandbox: %s)", ErrUnavailable, err, s.Mode)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the sandbox is closed")
	}
	if err := s.makeTemp(); err != nil {
		return err
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = s.environment(cmd.Env)
	s.settle()
	return s.start(cmd)
}

// Settle moves away what a command made that git would obey, and that no mount can keep from being made. Call it when a command
// has ended.
func (s *Sandbox) Settle() {
	if s.Active() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settle()
	}
}

// settle is Settle; the caller holds mu. Only a worktree's folder has a file commondir, which names the folder of configuration.
func (s *Sandbox) settle() {
	git := filepath.Join(s.Workspace, ".git")
	for _, dir := range append(gitFolders(s.Workspace), git) {
		_ = os.Rename(filepath.Join(dir, "commondir"), filepath.Join(dir, "commondir.from-sandbox")) // hardly ever there
	}
}

// makeTemp makes the temporary folder and caches that are missing, once; the caller holds mu.
func (s *Sandbox) makeTemp() (err error) {
	if s.temp == "" {
		if s.Mode != ReadOnly {
			s.makeCaches()
		}
		s.temp, err = os.MkdirTemp("", "plimsoll-")
	}
	return err
}

// Listen returns a listener to which commands connect on 127.0.0.1, for a proxy: inside the namespaces, else outside. Only
// commands that start later are let through. The caller closes it before Close.
func (s *Sandbox) Listen(ctx context.Context) (net.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.makeTemp(); err != nil {
		return nil, err
	}
	l, err := s.listen(ctx)
	if err == nil {
		s.proxy = l.Addr().String()
	}
	return l, err
}

// agentVariables name sockets and displays by which a command would have others act for it.
var agentVariables = []string{"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GPG_AGENT_INFO", "GNUPGHOME", "DBUS_SESSION_BUS_ADDRESS",
	"DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XAUTHORITY", "PULSE_SERVER", "ICEAUTHORITY",
	"SESSION_MANAGER", "GNOME_KEYRING_CONTROL", "DOCKER_HOST", "CONTAINER_HOST", "BUILDKIT_HOST", "KUBECONFIG", "TMUX", "STY",
	"VSCODE_IPC_HOOK", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "GIT_ASKPASS", "NOTIFY_SOCKET", "LISTEN_FDS", "INVOCATION_ID", "TMPDIR", "TMP", "TEMP"}

// quiet keeps programs from reaching hosts that nobody named, to look for a later version of themselves or to tell what they do.
var quiet = []string{"npm_config_update_notifier=false", "NO_UPDATE_NOTIFIER=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "CHECKPOINT_DISABLE=1", "DO_NOT_TRACK=1"}

// environment returns environ without the sockets of agents, with the temporary folder; the caller holds mu.
func (s *Sandbox) environment(environ []string) []string {
	out := slices.Clone(quiet) // what environ says wins
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(agentVariables, strings.ToUpper(name)) {
			out = append(out, kv)
		}
	}
	return append(out, "TMPDIR="+s.temp)
}

// Close ends the sandbox and, where there are namespaces, all that still runs in it.
func (s *Sandbox) Close() error {
	if s == nil {
		return nil
	}
	s.endReach()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.end()
	if s.Mode != Off {
		s.settle()
	}
	if s.temp == "" {
		return nil
	}
	return os.RemoveAll(s.temp)
}

// State says what is in force.
type State struct {
	Active  bool
	Mode    Mode
	Network Network
	Has     []string // sentences on what keeps commands
	Lacks   []string // sentences on what this system cannot keep them from
}

// State returns what is in force, after finding out what the system can; the first call may take a tenth of a second.
func (s *Sandbox) State() State {
	if s == nil || s.Mode == Off {
		return State{Mode: Off, Network: NetworkOn, Lacks: []string{"commands run with all your rights"}}
	}
	st := State{Active: s.Active(), Mode: s.Mode, Network: s.Network}
	if err := supported(); err != nil {
		st.Lacks = []string{"commands run with all your rights: " + err.Error()}
		return st
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.makeTemp(); err != nil {
		st.Lacks = []string{err.Error()}
		return st
	}
	st.Has, st.Lacks = s.means()
	return st
}

// String writes the state as lines for people.
func (st State) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "sandbox: %s, network: %s\n", st.Mode, st.Network)
	if !st.Active {
		b.Reset()
		fmt.Fprintf(&b, "sandbox: none (%s)\n", st.Mode)
	}
	for _, line := range st.Has {
		fmt.Fprintf(&b, "  ok    %s\n", line)
	}
	for _, line := range st.Lacks {
		fmt.Fprintf(&b, "  note  %s\n", line)
	}
	return b.String()
}
