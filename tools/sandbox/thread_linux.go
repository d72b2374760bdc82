package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// thread is a confined thread of this process. It starts commands, which inherit what it cannot do, until its requests are
// closed; then it ends, because its goroutine is never unlocked from it.
type thread struct {
	rules    ruleset
	requests chan request
	ended    chan struct{}
}

type request struct {
	cmd  *exec.Cmd
	done chan error
}

// newThread starts a thread with the limits of r and f.
func newThread(r ruleset, f filter) (*thread, error) {
	_ = unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) // what this process inherited is nothing for commands
	t := &thread{rules: r, requests: make(chan request), ended: make(chan struct{})}
	ready := make(chan error)
	go t.run(f, ready)
	return t, <-ready
}

func (t *thread) run(f filter, ready chan<- error) {
	runtime.LockOSThread()
	if unix.Gettid() == unix.Getpid() { // the process's first thread must stay as it is; while it waits, the other is another thread
		defer runtime.UnlockOSThread()
		again := make(chan struct{})
		go func() { defer close(again); t.run(f, ready) }()
		<-again
		return
	}
	defer close(t.ended)
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = t.rules.restrict()
	}
	if err == nil {
		err = f.install()
	}
	ready <- err
	if err != nil {
		return
	}
	for r := range t.requests {
		r.done <- r.cmd.Start()
	}
}

// start starts a command from the thread.
func (t *thread) start(cmd *exec.Cmd) error {
	r := request{cmd: cmd, done: make(chan error)}
	t.requests <- r
	return <-r.done
}

// end ends the thread.
func (t *thread) end() {
	close(t.requests)
	<-t.ended
}

// system are the means of Linux.
type system struct {
	running *thread // nil before the first command
	tried   bool
	spaces  *spaces // nil before tried, and where there are none
	refused error   // why there are none
}

// supported returns why commands cannot be confined, nil if they can.
func supported() error {
	switch {
	case landlockABI() == 0:
		return errors.New("this kernel has no Landlock, or it is turned off")
	case architectures[runtime.GOARCH] == 0:
		return fmt.Errorf("the system calls of %s are not known", runtime.GOARCH)
	}
	return nil
}

// start starts a command; the caller holds mu.
func (s *Sandbox) start(cmd *exec.Cmd) error {
	s.open()
	t, err := s.thread()
	if err != nil {
		return err
	}
	if s.spaces != nil {
		s.spaces.enter(cmd, s.Network == NetworkOn)
	}
	return t.start(cmd)
}

// open makes the namespaces, once; the caller holds mu.
func (s *Sandbox) open() {
	if s.tried {
		return
	}
	s.tried = true
	if sp, err := s.openSpaces(s.temp); err != nil {
		s.refused = err
	} else {
		s.spaces = sp
	}
}

// whole reports whether there are namespaces; the caller holds mu.
func (s *Sandbox) whole() bool {
	s.open()
	return s.spaces != nil
}

// listen returns the listener inside the namespaces, else one outside that commands are let through to; the caller holds mu.
func (s *Sandbox) listen(ctx context.Context) (net.Listener, error) {
	if s.open(); s.spaces != nil {
		return s.spaces.listener, nil
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
}

// thread returns the thread that runs, a new one if files have come or gone that the rules name; the caller holds mu.
func (s *Sandbox) thread() (*thread, error) {
	r := s.rulesFor(s.Mode, s.temp)
	set := ruleset{devices: devices, network: s.Network == NetworkOn, inside: s.spaces}
	closed := slices.Clone(r.hidden)
	if s.Workspace == s.Home {
		closed = append(closed, r.fixed...)
	}
	shm := "/dev/shm"
	if s.spaces != nil { // mounts keep what lies below
		closed, shm = nil, filepath.Join(s.temp, "shm")
	}
	if _, port, err := net.SplitHostPort(s.proxy); err == nil {
		set.port, _ = strconv.Atoi(port)
	}
	for _, path := range r.read {
		set.read = append(set.read, without(path, r.hidden)...)
	}
	for _, path := range append(r.write, shm) {
		set.write = append(set.write, without(path, closed)...)
	}
	old := s.running
	if old != nil && slices.Equal(old.rules.read, set.read) && slices.Equal(old.rules.write, set.write) && old.rules.port == set.port {
		return old, nil
	}
	t, err := newThread(set, filterFor(architectures[runtime.GOARCH], set.inside != nil, set.network))
	if err != nil {
		return nil, err
	}
	if old != nil {
		old.end()
	}
	s.running = t
	return t, nil
}

// end ends the thread; the caller holds mu.
func (s *Sandbox) end() {
	if s.running != nil {
		s.running.end()
		s.running = nil
	}
	if s.spaces != nil {
		s.spaces.close()
	}
}

// means says what is in force; the caller holds mu.
func (s *Sandbox) means() (has, lacks []string) {
	abi := landlockABI()
	has = append(has, fmt.Sprintf("files: Landlock (ABI %d); system calls: seccomp, no new privileges", abi))
	if s.open(); s.spaces != nil {
		return append(has, "mounts, processes and the network: namespaces of their own, entered by nsenter"), abiLacks(abi)
	}
	lacks = append(lacks, "no namespaces ("+s.refused.Error()+"): a command can write .git/hooks, .git/config and the starters of the workspace, change modes and times of files elsewhere, "+
		"see which processes run, and leave daemons; servers on this machine cannot be reached from the sandbox, nor started in it")
	if s.Network != NetworkOn {
		lacks = append(lacks, "without namespaces the port of the proxy is open to commands, at any address, unless the network is off and permissions.hosts is empty")
	}
	return has, append(lacks, abiLacks(abi)...)
}

// abiLacks says what a version of Landlock does not keep.
func abiLacks(abi int) (out []string) {
	for _, l := range []struct {
		since int
		text  string
	}{
		{2, "Landlock 1: files cannot be moved between folders"},
		{3, "Landlock before 3: files elsewhere can be cut to length 0"},
		{4, "Landlock before 4: without namespaces TCP is open"},
		{5, "Landlock before 5: devices that can be opened can be configured"},
		{6, "Landlock before 6: without namespaces signals to other processes of yours, and abstract sockets, are open"},
	} {
		if abi < l.since {
			out = append(out, l.text)
		}
	}
	return out
}
