package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The namespaces of a run. The helper is this program once more, in new namespaces of users, mounts, processes, IPC and the
// network. It arranges them, sends their descriptors and those of a listener on its loopback device, and becomes a shell that
// reads from a socket whose other end only this program holds. That shell is process 1: when the program ends, however it does,
// all processes of the namespaces end. Users and groups have the same numbers as outside. A command has no capability there; one
// of root keeps those that its own files need.

const (
	helperName   = "plimsoll-sandbox"
	helperScript = "while read -r line <&3; do :; done" // the end of the plan's line may be left to read
	// enterScript leaves the descriptors of the namespaces behind, and goes to the folder of the command, which is quoted.
	enterScript = `exec 4<&- 5<&- 6<&- 7<&- 8<&-; cd -- %s || exit 126; `
	// rootKeeps are what root needs to write files of others in the workspace, and package managers to become another user.
	rootKeeps = "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid"
)

// covered are folders with sockets and files of others; what a command may use there is mounted into them again.
var covered = []string{"/home", "/root", "/run", "/tmp", "/var/tmp", "/mnt", "/media", "/srv"}

// spaceFlags are the flags of nsenter, in the order of the descriptors.
var spaceFlags = []string{"user", "mount", "pid", "ipc", "net"}

// spaces are the namespaces of this run, as seen from outside.
type spaces struct {
	helper    *exec.Cmd
	line      *os.File
	files     []*os.File // by spaceFlags
	proc, pts *os.File
	listener  net.Listener
	nsenter   []string // how commands enter, without the namespaces
}

// plan is what the helper is told.
type plan struct {
	UID, GID int // to be mapped by the helper; 0: they are
	Cover    []string
	Binds    []bind
	Hide     []string
}

type bind struct {
	Path, From string
	Write      bool
}

// planFor arranges the files of r.
func (c Config) planFor(r rules, temp string) plan {
	p := plan{Hide: r.hidden, Binds: []bind{{"/dev/shm", filepath.Join(temp, "shm"), true}}}
	for _, dir := range append(slices.Clone(covered), c.Home) {
		if real, err := filepath.EvalSymlinks(dir); err == nil && real == dir && !slices.ContainsFunc(p.Cover, func(o string) bool { return below(dir, o) }) {
			p.Cover = append(p.Cover, dir)
		}
	}
	inCover := func(path string) bool {
		return slices.ContainsFunc(p.Cover, func(o string) bool { return below(path, o) })
	}
	for _, path := range r.read {
		for _, part := range without(path, r.hidden) {
			if inCover(part) {
				p.Binds = append(p.Binds, bind{part, part, false})
			}
		}
	}
	for _, path := range r.write {
		p.Binds = append(p.Binds, bind{path, path, true})
		for _, fixed := range r.fixed {
			if _, err := os.Lstat(fixed); err != nil || !below(fixed, path) || fixed == path {
				continue
			}
			p.Binds = append(p.Binds, bind{fixed, fixed, false})
			for dir := filepath.Dir(fixed); dir != path; dir = filepath.Dir(dir) { // a mounted folder cannot be moved away
				p.Binds = append(p.Binds, bind{dir, dir, true})
			}
		}
	}
	if !slices.ContainsFunc(p.Binds, func(b bind) bool { return below(b.Path, "/tmp") && b.Path != temp }) {
		p.Binds = append(p.Binds, bind{"/tmp", temp, true}) // what it may write would hold for all that lies below
	}
	slices.SortStableFunc(p.Binds, func(a, b bind) int { return cmp.Or(len(a.Path)-len(b.Path), cmp.Compare(a.Path, b.Path)) })
	p.Binds = slices.CompactFunc(p.Binds, func(a, b bind) bool { return a.Path == b.Path })
	return p
}

// identity is the map of users or groups of this process onto themselves.
func identity(file string) (out []syscall.SysProcIDMap) {
	data, _ := os.ReadFile(file) // without it there is no map, and the helper fails
	for line := range strings.Lines(string(data)) {
		var inside, outside, size int
		if n, _ := fmt.Sscan(line, &inside, &outside, &size); n == 3 {
			out = append(out, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
		}
	}
	return out
}

// program returns the path of one of the system's programs.
func program(name string) (string, error) {
	for _, dir := range []string{"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no %s", name)
}

// openSpaces starts the helper.
func (c Config) openSpaces(temp string) (sp *spaces, err error) {
	if c.Helper == "" {
		return nil, errors.New("this program has no helper for them")
	}
	sp = &spaces{}
	defer func() {
		if err != nil {
			sp.close()
		}
	}()
	nsenter, err := program("nsenter")
	if err != nil {
		return sp, err
	}
	sp.nsenter = []string{nsenter, "--preserve-credentials"}
	if err := os.MkdirAll(filepath.Join(temp, "shm"), 0o700); err != nil {
		return sp, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return sp, err
	}
	sp.line = os.NewFile(uintptr(pair[0]), "helper")
	theirs := os.NewFile(uintptr(pair[1]), "program")
	defer theirs.Close() // our copy
	p := c.planFor(c.rulesFor(c.Mode, temp), temp)
	h := &exec.Cmd{Path: c.Helper, Args: []string{helperName}, Dir: "/", Env: []string{"GOMAXPROCS=1"}, ExtraFiles: []*os.File{theirs},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Cloneflags: newSpaces &^ (unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP)}}
	if os.Geteuid() == 0 {
		setpriv, err := program("setpriv")
		if err != nil {
			return sp, err
		}
		sp.nsenter = append(sp.nsenter, "--", setpriv, "--bounding-set="+rootKeeps, "--inh-caps=-all")
		h.SysProcAttr.UidMappings, h.SysProcAttr.GidMappings = identity("/proc/self/uid_map"), identity("/proc/self/gid_map")
		h.SysProcAttr.GidMappingsEnableSetgroups = true
	} else {
		p.UID, p.GID = os.Geteuid(), os.Getegid()
		h.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN}
	}
	if err := h.Start(); err != nil {
		return sp, err
	}
	sp.helper = h
	_ = theirs.Close() // so that its end is seen
	return sp, sp.talk(p)
}

// talk tells the helper the plan and takes what it answers.
func (sp *spaces) talk(p plan) error {
	c, err := net.FileConn(sp.line)
	if err != nil {
		return err
	}
	defer c.Close() // a copy of line
	if err := json.NewEncoder(c).Encode(p); err != nil {
		return err
	}
	text, oob := make([]byte, 1000), make([]byte, 1000)
	n, oobn, _, _, err := c.(*net.UnixConn).ReadMsgUnix(text, oob)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("the helper ended")
	}
	if oobn == 0 {
		return errors.New(string(text[:n]))
	}
	var files []*os.File
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	for _, fd := range fds {
		unix.CloseOnExec(fd)
		files = append(files, os.NewFile(uintptr(fd), "namespace"))
	}
	if err != nil || len(files) != len(spaceFlags)+3 {
		return errors.Join(errors.New("the helper sent something else"), err)
	}
	n = len(spaceFlags)
	sp.files, sp.proc, sp.pts = files[:n], files[n], files[n+1]
	sp.listener, err = net.FileListener(files[n+2])
	_ = files[n+2].Close() // the listener has a copy
	return err
}

// enter changes a command to one that enters the namespaces, but for that of the network if it is open.
func (sp *spaces) enter(cmd *exec.Cmd, networkOpen bool) {
	for len(cmd.ExtraFiles) < 1 {
		cmd.ExtraFiles = append(cmd.ExtraFiles, nil)
	}
	argv := []string{sp.nsenter[0]}
	for i, f := range sp.files {
		if spaceFlags[i] == "net" && networkOpen {
			continue
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		argv = append(argv, fmt.Sprintf("--%s=/proc/self/fd/%d", spaceFlags[i], 2+len(cmd.ExtraFiles)))
	}
	script := fmt.Sprintf(enterScript, "'"+strings.ReplaceAll(cmp.Or(cmd.Dir, "/"), "'", `'\''`)+"'")
	args := append([]string{"/bin/sh", "-c", script + `exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	if cmd.Path == "/bin/sh" && len(cmd.Args) > 2 && cmd.Args[1] == "-c" { // one shell less to start
		args = slices.Concat(args[:2], []string{script + cmd.Args[2]}, cmd.Args[3:])
	}
	cmd.Path, cmd.Args, cmd.Dir = sp.nsenter[0], slices.Concat(argv, sp.nsenter[1:], args), "/"
}

// close ends the helper, and all processes of the namespaces.
func (sp *spaces) close() {
	for _, f := range append(sp.files, sp.line, sp.proc, sp.pts) {
		if f != nil {
			_ = f.Close() // only the kernel's copy counts
		}
	}
	if sp.listener != nil {
		_ = sp.listener.Close() // its user may have closed it
	}
	if sp.helper != nil {
		_ = sp.helper.Process.Kill() // it ends by the line, too
		_ = sp.helper.Wait()         // it was killed
	}
}

// RunHelper arranges the namespaces if this process was started for that, and does not return then. main and the TestMain of
// tests call it first.
func RunHelper() {
	if os.Args[0] != helperName {
		return
	}
	runtime.LockOSThread() // what follows is about this thread
	program := os.NewFile(3, "program")
	c, err := net.FileConn(program)
	if err != nil {
		os.Exit(1)
	}
	conn := c.(*net.UnixConn)
	fds, err := arrange(conn)
	if err != nil {
		_, _ = conn.Write([]byte(err.Error())) // the program may be gone
		os.Exit(1)
	}
	if _, _, err := conn.WriteMsgUnix([]byte("ok"), unix.UnixRights(fds...), nil); err != nil {
		os.Exit(1)
	}
	signal.Ignore(unix.SIGCHLD, unix.SIGHUP, unix.SIGINT, unix.SIGTERM) // daemons that end leave no zombies
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	_ = unix.SetNonblock(3, false)
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", helperScript}, []string{})
	runtime.KeepAlive(program) // closed by the collector, it would end the shell
	os.Exit(1)
}

// arrange reads the plan, makes it so, and returns the descriptors to send.
func arrange(conn *net.UnixConn) (fds []int, err error) {
	var p plan
	if err := json.NewDecoder(conn).Decode(&p); err != nil {
		return nil, err
	}
	if p.UID != 0 {
		for file, text := range map[string]string{"setgroups": "deny", "uid_map": fmt.Sprintf("%d %[1]d 1", p.UID)} {
			if err := os.WriteFile("/proc/self/"+file, []byte(text), 0); err != nil {
				return nil, err
			}
		}
		if err := os.WriteFile("/proc/self/gid_map", fmt.Appendf(nil, "%d %[1]d 1", p.GID), 0); err != nil {
			return nil, err
		}
	}
	for _, name := range spaceFlags {
		fd, err := unix.Open("/proc/self/ns/"+strings.Replace(name, "mount", "mnt", 1), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		fds = append(fds, fd)
	}
	if err := p.mount(); err != nil {
		return nil, err
	}
	for _, path := range []string{"/proc", "/dev/pts"} {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		fds = append(fds, fd)
	}
	fd, err := listenInside()
	return append(fds, fd), err
}

// listenInside brings up the loopback device and listens on it.
func listenInside() (int, error) {
	control, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return 0, err
	}
	request.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(control, unix.SIOCSIFFLAGS, request); err != nil {
		return 0, fmt.Errorf("loopback: %w", err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		return 0, err
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0) // which the collector does not close
	return fd, errors.Join(err, f.Close(), l.Close())
}

// mount makes the files of the plan what commands see.
func (p plan) mount() error {
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts: %w", err)
	}
	trees := make([]int, len(p.Binds))
	for i, b := range p.Binds {
		fd, err := unix.OpenTree(unix.AT_FDCWD, b.From, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
		if err == nil && !b.Write {
			err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, readOnly)
		}
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("%s: %w", b.From, err)
		}
		trees[i] = fd
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, readOnly); err != nil {
		return fmt.Errorf("read-only mounts: %w", err)
	}
	for _, dir := range p.Cover {
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m"); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	for i, b := range p.Binds {
		if trees[i] < 0 {
			continue
		}
		if err := place(trees[i], b.Path); err != nil {
			return fmt.Errorf("%s: %w", b.Path, err)
		}
	}
	for _, dir := range p.Cover {
		if slices.ContainsFunc(p.Binds, func(b bind) bool { return b.Path == dir }) {
			continue // that lies over it
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, dir, 0, readOnly); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		return fmt.Errorf("/dev/pts: %w", err)
	}
	return p.hide()
}

// hide covers what lies within something visible.
func (p plan) hide() error {
	for _, path := range p.Hide {
		st, err := os.Lstat(path)
		switch {
		case err != nil:
			continue
		case st.IsDir():
			err = unix.Mount("tmpfs", path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "mode=000,size=4k")
		default:
			err = unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// place mounts a tree at a path, which is made where it is missing.
func place(tree int, path string) error {
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err != nil {
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			err = os.MkdirAll(path, 0o755)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, nil, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return unix.MoveMount(tree, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
