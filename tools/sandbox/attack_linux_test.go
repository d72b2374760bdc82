package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"plimsoll/tools/sandbox"
)

// An attempt is a piece of a shell's script, or a function of this test's binary, that must fail in the sandbox. Many run in one command. What
// they were to change is compared from outside, too.

// attempt gets through if its script ends with 0.
type attempt struct{ name, script string }

// fileAttempts are readings of secrets and writings outside, in many ways each.
func fileAttempts(f *fixture) (out []attempt) {
	add := func(kind, path string, ways ...string) {
		for _, way := range ways {
			dir, base := filepath.Split(path)
			rel, _ := filepath.Rel(f.ws, path)
			script := strings.NewReplacer("PATH_", path, "DIR_", strings.TrimSuffix(dir, "/"), "BASE_", base, "REL_", rel).Replace(way)
			out = append(out, attempt{kind + " " + path + ": " + way, script})
		}
	}
	for _, secret := range []string{".ssh/id", ".aws/credentials", ".cargo/credentials.toml", "notes", ".local/share/plimsoll/log", "src/other/b", "src/ws/.env"} {
		add("read", filepath.Join(f.home, secret), "cat PATH_ | grep -q SECRET", "read x <PATH_ && [ $x = SECRET ]", "dd if=PATH_ | grep -q SECRET", "cp PATH_ c1 && grep -q SECRET c1",
			"ln PATH_ l1 && grep -q SECRET l1", "ln -sfn PATH_ l2 && grep -q SECRET l2", "ln -sfn DIR_ l3 && grep -q SECRET l3/BASE_", "mv PATH_ m1 && grep -q SECRET m1",
			"tar cf - PATH_ | grep -q SECRET", "grep -q SECRET /proc/self/root/PATH_", "grep -q SECRET REL_", "grep -q SECRET /proc/self/cwd/REL_", "grep -q SECRET /proc/1/root/PATH_",
			"grep -q SECRET /proc/$VICTIM/root/PATH_", "exec 9<PATH_ && grep -q SECRET <&9", "git diff --no-index /dev/null PATH_ | grep -q SECRET", "sed -n p PATH_ | grep -q SECRET",
			"find DIR_ -maxdepth 1 -name BASE_ -exec cat {} + | grep -q SECRET", "sh -c '. PATH_' 2>&1 | grep -q SECRET", "git hash-object -w PATH_ >h && git cat-file -p $(cat h) | grep -q SECRET")
	}
	for _, file := range []string{"notes", ".ssh/id", ".local/share/plimsoll/log", "src/other/b", ".cargo/registry/x"} {
		add("change", filepath.Join(f.home, file), "echo x >>PATH_", ": >PATH_", "truncate -s0 PATH_", "rm -f PATH_ && [ -n \"$(ls DIR_)\" ]", "mv PATH_ x1", "chmod 777 PATH_", "chown 1:1 PATH_",
			"touch -d 2001-01-01 PATH_", "cp a PATH_", "ln -f a PATH_", "sed -i s/./x/ PATH_", "mv -f a2 PATH_", "dd if=a of=PATH_ conv=notrunc", "ln PATH_ hard && echo x >hard")
	}
	for _, dir := range []string{f.home, f.home + "/.ssh", f.home + "/src", f.home + "/src/other", f.home + "/.cargo", f.home + "/.config/systemd", "/etc", "/usr/local", "/var/lib", "/opt", "/sys/fs", "/root", "/dev"} {
		add("create", dir+"/plimsoll-attack", "echo x >PATH_", "mkdir PATH_", "ln -s /etc PATH_", "mkfifo PATH_", "cp a PATH_")
	}
	return out
}

// otherAttempts are at git, processes and privileges.
func otherAttempts() (out []attempt) {
	for _, script := range []string{
		"echo x >.git/hooks/pre-commit", "echo x >.git/hooks/new", "rm .git/hooks/pre-commit", "mv .git/hooks .git/h", "mv .git .g", "rm -rf .git/hooks", "ln -sfn $PWD/evil .git/hooks/post-commit",
		"ln -f a .git/hooks/pre-push", "cp a .git/hooks/x", "chmod +x .git/hooks/pre-commit", "echo x >>.git/config", "git config core.hooksPath evil", "git config alias.st '!x'", "git config core.fsmonitor evil",
		"mv a .git/config", "rm .git/config", "ln -sf $PWD/a .git/config", "cp a .git/config", "sed -i s/x/y/ .git/config", "git remote add evil ext::x", "mv .git/config .git/c", "truncate -s0 .git/config",
		"git config --file .git/config x.y z", "touch .git/hooks", "mkdir .git/hooks/d", "cd .git && mv hooks ../h", "mv ../ws ../ws2", "mv $PWD $HOME/w2", "rmdir .git/hooks",
		"echo x >.vscode/tasks.json", "rm -r .vscode", "mv .vscode v", "cp a .vscode/settings.json", "echo x >.git/hooks/../config", "git -c core.hooksPath= config core.pager evil",
		"kill -0 $VICTIM", "kill -9 $VICTIM", "pkill -f plimsoll-[v]ictim", "cat /proc/$VICTIM/environ", "cat /proc/$VICTIM/cmdline", "ls /proc/$VICTIM/fd", "ls /proc/$VICTIM/cwd", "cat /proc/$VICTIM/maps",
		"dd if=/proc/$VICTIM/mem bs=1 count=1", "grep -q plimsoll-[v]ictim /proc/[0-9]*/cmdline", "cat /proc/1/environ", "readlink /proc/1/fd/0", "readlink /proc/1/cwd", "kill -9 1 && ! kill -0 1",
		"renice 10 -p $VICTIM", "echo 1000 >/proc/$VICTIM/oom_score_adj", "echo 1000 >/proc/1/oom_score_adj", "prlimit -p $VICTIM -n1", "taskset -p 1 $VICTIM", "strace -p $VICTIM -o s & sleep .1; kill $! || false && false",
		"unshare -U true", "unshare -Ur true", "unshare -n true", "unshare -m true", "unshare -p true", "unshare -i true", "unshare -u true", "unshare -C true", "mount -t tmpfs x /tmp", "mount --bind / .",
		"mount -o remount,rw /", "mount -o remount,rw /etc", "umount .git/hooks", "umount -l /proc", "umount /tmp", "chroot . true", "nsenter -t 1 -m true", "nsenter -t 1 -U true", "nsenter -t 1 -a true", "pivot_root . .",
		"mknod disk b 8 0", "mknod mem c 1 1", "head -c1 /dev/mem", "head -c1 /dev/kmsg", "head -c1 /dev/vda", "head -c1 /dev/sda", "head -c1 /proc/kcore", "echo h >/proc/sysrq-trigger", "echo 1 >/proc/sys/kernel/sysrq",
		"echo x >/proc/sys/kernel/core_pattern", "echo 1 >/sys/kernel/mm/ksm/run", "sysctl -w kernel.hostname=x", "hostname x", "insmod a", "modprobe dummy", "sudo -n true", "su -c true nobody2", "swapon a", "ip link add d type dummy",
		"ip addr add 10.9.9.9/8 dev eth0", "tc qdisc add dev lo root netem", "iptables -L", "systemd-run --user true", "docker ps", "dbus-send --session --dest=x / a.b", "loginctl list-sessions", "at now </dev/null", "crontab -l",
		"echo x | crontab -", "keyctl show", "grep : /etc/shadow", "grep : /etc/gshadow", "grep . /etc/sudoers", "cat /etc/ssh/ssh_host_rsa_key", "ls /root/.ssh", "ls -d /home/*", "ls /run/docker.sock", "ls /run/user", "test -S /run/dbus/system_bus_socket",
		"test -n \"$SSH_AUTH_SOCK\"", "getent hosts example.org", "bash -c 'echo >/dev/tcp/127.0.0.1/'$PORT", "bash -c 'echo >/dev/tcp/'$HOST/$PORT", "curl -sm2 http://127.0.0.1:$PORT", "ping -c1 -W1 $HOST", "sh -c 'echo x >/dev/pts/1'",
	} {
		out = append(out, attempt{script, script})
	}
	return out
}

// calls are attempts by system calls.
func calls() map[string]func() error {
	victim, _ := strconv.Atoi(os.Getenv("VICTIM"))
	host, port := os.Getenv("HOST"), os.Getenv("PORT")
	dial := func(network, address string) func() error {
		return func() error {
			c, err := net.DialTimeout(network, address, time.Second)
			if err == nil {
				_, err = c.Write([]byte("x"))
				_ = c.Close()
			}
			return err
		}
	}
	sock := func(domain, kind, proto int) func() error {
		return func() error { _, err := unix.Socket(domain, kind, proto); return err }
	}
	raw := func(number uintptr, args ...uintptr) func() error {
		return func() error {
			a := append(args, 0, 0, 0, 0, 0, 0)
			if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
				return errno
			}
			return nil
		}
	}
	// A call that checks its arguments first must be refused before that.
	refused := func(number uintptr, args ...uintptr) func() error {
		return func() error {
			if err := raw(number, args...)(); errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EACCES) {
				return err
			}
			return nil
		}
	}
	all := map[string]func() error{
		"tcp":       dial("tcp", "127.0.0.1:"+port),
		"tcp host":  dial("tcp", net.JoinHostPort(host, port)),
		"tcp6":      dial("tcp6", "[::1]:"+port),
		"tcp world": dial("tcp", "1.1.1.1:443"),
		"udp host":  dial("udp", net.JoinHostPort(host, port)),
		"udp world": dial("udp", "8.8.8.8:53"),
		"unix":      dial("unix", os.Getenv("UNIXSOCK")),
		"unix home": dial("unix", os.Getenv("HOME")+"/sock"),
		"abstract":  dial("unix", "@"+os.Getenv("ABSTRACT")),
		"dns":       func() error { _, err := net.LookupHost("example.org"); return err },
		"raw":       func() error { _, err := net.Dial("ip4:icmp", host); return err },
		"packet":    sock(unix.AF_PACKET, unix.SOCK_RAW, 0), "netlink audit": sock(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT),
		"netlink uevent": sock(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT), "netfilter": sock(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER),
		"vsock": sock(unix.AF_VSOCK, unix.SOCK_STREAM, 0), "alg": sock(unix.AF_ALG, unix.SOCK_SEQPACKET, 0), "bluetooth": sock(31, unix.SOCK_RAW, 0), "key": sock(15, unix.SOCK_RAW, 2),
		"xdp": sock(44, unix.SOCK_RAW, 0), "can": sock(29, unix.SOCK_RAW, 1), "tipc": sock(30, unix.SOCK_STREAM, 0),
		"ptrace attach": raw(unix.SYS_PTRACE, unix.PTRACE_ATTACH, uintptr(victim)), "ptrace seize": raw(unix.SYS_PTRACE, unix.PTRACE_SEIZE, 1), "traceme": raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME),
		"vm read": refused(unix.SYS_PROCESS_VM_READV, uintptr(victim)), "vm write": refused(unix.SYS_PROCESS_VM_WRITEV, uintptr(victim)), "kcmp": refused(unix.SYS_KCMP, 1, 1), "pidfd": raw(unix.SYS_PIDFD_OPEN, uintptr(victim)),
		"getfd": refused(unix.SYS_PIDFD_GETFD, 0, 0), "io_uring": refused(unix.SYS_IO_URING_SETUP, 1), "bpf": refused(unix.SYS_BPF), "perf": refused(unix.SYS_PERF_EVENT_OPEN), "userfaultfd": refused(unix.SYS_USERFAULTFD),
		"keyctl": refused(unix.SYS_KEYCTL), "add_key": refused(unix.SYS_ADD_KEY), "request_key": refused(unix.SYS_REQUEST_KEY), "clone3": refused(unix.SYS_CLONE3), "mount": refused(unix.SYS_MOUNT), "umount": refused(unix.SYS_UMOUNT2),
		"open_tree": refused(unix.SYS_OPEN_TREE), "fsopen": refused(unix.SYS_FSOPEN), "move_mount": refused(unix.SYS_MOVE_MOUNT), "mount_setattr": refused(unix.SYS_MOUNT_SETATTR), "chroot": refused(unix.SYS_CHROOT),
		"handle": refused(unix.SYS_OPEN_BY_HANDLE_AT), "fanotify": refused(unix.SYS_FANOTIFY_INIT), "module": refused(unix.SYS_INIT_MODULE), "syslog": refused(unix.SYS_SYSLOG, 3), "TIOCSTI": refused(unix.SYS_IOCTL, 0, unix.TIOCSTI),
		"TIOCLINUX": refused(unix.SYS_IOCTL, 0, 0x541C), "prlimit": refused(unix.SYS_PRLIMIT64, 1, 7), "kill": func() error { return unix.Kill(victim, 0) }, "tgkill": func() error { return unix.Tgkill(victim, victim, 0) },
		"process group": func() error { return unix.Kill(-victim, 0) }, "capabilities": func() error {
			head, data := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{{Effective: 1 << unix.CAP_SYS_ADMIN, Permitted: 1 << unix.CAP_SYS_ADMIN}}
			return unix.Capset(&head, &data[0])
		},
		"open mount": func() error { _, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE); return err },
		"x32":        refused(1<<30 | 101), "fd 3": func() error { var st unix.Stat_t; return unix.Fstat(60, &st) },
		"bypass by io": func() error {
			_, err := unix.Openat2(unix.AT_FDCWD, os.Getenv("HOME")+"/notes", &unix.OpenHow{})
			return err
		},
	}
	for name, flag := range map[string]uintptr{"user": unix.CLONE_NEWUSER, "net": unix.CLONE_NEWNET, "mnt": unix.CLONE_NEWNS, "pid": unix.CLONE_NEWPID, "ipc": unix.CLONE_NEWIPC, "uts": unix.CLONE_NEWUTS, "cgroup": unix.CLONE_NEWCGROUP, "time": 0x80} {
		all["unshare "+name] = raw(unix.SYS_UNSHARE, flag)
		if name != "time" {
			all["clone "+name] = func() error {
				return (&exec.Cmd{Path: "/bin/true", SysProcAttr: &syscall.SysProcAttr{Cloneflags: flag}}).Run()
			}
		}
		if name == "net" || name == "mnt" || name == "uts" || name == "cgroup" || name == "user" {
			all["setns "+name] = func() error {
				fd, err := unix.Open("/proc/self/ns/"+name, unix.O_RDONLY, 0)
				if err == nil {
					err = unix.Setns(fd, 0)
				}
				return err
			}
		}
	}
	return all
}

// attack makes the attempts of calls, in this process.
func attack() {
	for name, f := range calls() {
		if f() == nil {
			fmt.Println("BREACH", name)
		}
		fmt.Println("TRIED")
	}
}

// hostile is what the attempts are aimed at.
type hostile struct {
	env     []string
	reached chan string
}

// targets starts a process, and servers outside the sandbox.
func targets(t *testing.T, f *fixture) hostile {
	t.Helper()
	h := hostile{reached: make(chan string, 100)}
	victim := exec.Command("sh", "-c", "exec sleep 1000 # plimsoll-victim")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- victim.Wait() }()
	t.Cleanup(func() {
		select {
		case err := <-ended:
			t.Error("the process outside was ended:", err)
		default:
			_ = victim.Process.Kill()
			<-ended
		}
	})
	serve := func(network, address string) string {
		l, err := (&net.ListenConfig{}).Listen(context.Background(), network, address)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				h.reached <- network + " " + address
				_ = c.Close()
			}
		}()
		t.Cleanup(func() { _ = l.Close(); <-done })
		return l.Addr().String()
	}
	_, port, _ := net.SplitHostPort(serve("tcp", ":0"))
	unixPath := filepath.Join(realDir(t), "s")
	serve("unix", unixPath)
	serve("unix", filepath.Join(f.home, "sock"))
	abstract := "plimsoll-" + strconv.Itoa(os.Getpid())
	serve("unix", "@"+abstract)
	h.env = []string{"VICTIM=" + strconv.Itoa(victim.Process.Pid), "PORT=" + port, "HOST=" + ownAddress(), "UNIXSOCK=" + unixPath, "ABSTRACT=" + abstract}
	return h
}

// ownAddress is an address of this machine that is not loopback, or a loopback one.
func ownAddress() string {
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return "127.0.0.1"
}

// state describes all files outside the workspace and the cache.
func (f *fixture) state() string {
	var b strings.Builder
	_ = filepath.WalkDir(f.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == filepath.Join(f.home, ".cache") {
			return filepath.SkipDir
		}
		inWorkspace := strings.HasPrefix(path, f.ws+"/")
		if inWorkspace && !strings.Contains(path, "/.git/hooks") && !strings.HasSuffix(path, ".git/config") && !strings.Contains(path, ".vscode") && path != filepath.Join(f.ws, ".git") {
			return nil
		}
		st, err := d.Info()
		if err == nil && d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			fmt.Fprintln(&b, path, st.Mode(), st.ModTime(), string(text))
		} else if err == nil {
			fmt.Fprintln(&b, path, st.Mode())
		}
		return nil
	})
	return b.String()
}

func TestNoAttemptGetsThrough(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	h := targets(t, f)
	binary, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	f.write(filepath.Join(f.ws, "attack"), string(binary))
	if err := os.Chmod(filepath.Join(f.ws, "attack"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{".local/share/plimsoll/x": "x", ".ssh/config": "x", "src/other/c": "c", ".config/systemd/user": "x"} {
		f.write(filepath.Join(f.home, path), text)
	}
	attempts := append(fileAttempts(f), otherAttempts()...)
	var script strings.Builder
	for i, a := range attempts {
		fmt.Fprintf(&script, "cp a a2; if ( %s ) >/dev/null 2>&1 </dev/null; then echo BREACH '%d'; fi; echo TRIED\n", a.script, i)
	}
	script.WriteString("./attack\nexec >/dev/null 2>&1\nsetsid sleep 4321 & (setsid sh -c 'sleep 4321 & exec sleep 4321' &) ; nohup sleep 4321 & exit 0\n")
	before := f.state()
	out, err := f.run(script.String(), h.env...)
	tried := strings.Count(out, "TRIED")
	if t.Logf("%d attempts", tried); err != nil || tried != len(attempts)+len(calls()) || tried < 300 {
		t.Errorf("%d attempts of %d ran: %v", tried, len(attempts)+len(calls()), err)
	}
	state := f.box.State()
	report := t.Errorf
	if len(state.Lacks) > 0 { // doctor says the same
		t.Logf("this system cannot keep commands from all: %v", state.Lacks)
		report = t.Logf
	}
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "BREACH "); ok {
			if i, err := strconv.Atoi(name); err == nil {
				name = attempts[i].name
			}
			report("got through: %s", name)
		}
	}
	if diff := cmp.Diff(before, f.state()); diff != "" {
		report("files outside have changed: %s", diff)
	}
	if err := f.box.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := exec.Command("pgrep", "-f", "sleep 4321").Output(); len(left) > 0 {
		report("processes outlived the sandbox: %s", left)
	}
	select {
	case what := <-h.reached:
		report("a command reached %s", what)
	default:
	}
}

// BenchmarkStart compares the start of a confined command with that of another, interleaved.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	box := sandbox.New(sandbox.Config{Workspace: dir, Home: dir, Helper: "/proc/self/exe"})
	b.Cleanup(func() { _ = box.Close() })
	run := func(start func(*exec.Cmd) error) time.Duration {
		began := time.Now()
		cmd := exec.Command("/bin/sh", "-c", "exec /bin/true") // all commands begin with a shell
		cmd.Dir = dir
		if err := start(cmd); err != nil {
			b.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	confined := box.Start
	run(confined) // starts the helper
	var inside, outside time.Duration
	for b.Loop() {
		outside += run((*exec.Cmd).Start)
		inside += run(confined)
	}
	b.ReportMetric(float64((inside-outside).Microseconds())/1000/float64(b.N), "ms-more/op")
	b.ReportMetric(float64(outside.Microseconds())/1000/float64(b.N), "ms-free/op")
}
