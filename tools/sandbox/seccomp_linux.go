package sandbox

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The filter of system calls keeps commands from what Landlock does not cover: other processes, namespaces and mounts, keyrings,
// io_uring, and sockets that are neither local nor of the Internet. It compares numbers only, since it cannot read memory.

// architectures are those whose calls are known, by the name that the kernel gives them.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64}

// forbidden are calls that no command needs that does its work in a sandbox.
var forbidden = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_ACCT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_SYSLOG, unix.SYS_VHANGUP, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
}

const (
	newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

	returnAllow = unix.SECCOMP_RET_ALLOW
	load        = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	ifEqual     = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	ifAtLeast   = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ifBits      = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	and         = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	ret         = unix.BPF_RET | unix.BPF_K
)

// filter is a program of the kernel's packet filter over struct seccomp_data.
type filter []unix.SockFilter

func refusal(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// low is the offset of the lower half of an argument on the architectures above, which are little-endian.
func low(argument uint32) uint32 { return 16 + 8*argument }

// when adds a body for one call. The body ends with a return on each path; it begins with the number loaded.
func (f *filter) when(call uint32, body ...unix.SockFilter) {
	*f = append(append(*f, unix.SockFilter{Code: ifEqual, Jf: uint8(len(body)), K: call}), body...)
}

// unless adds a call that is refused if its argument, after the mask, has none of the values.
func (f *filter) unless(call, argument, mask uint32, e unix.Errno, values ...uint32) {
	body := []unix.SockFilter{{Code: load, K: low(argument)}, {Code: and, K: mask}}
	for i, v := range values {
		body = append(body, unix.SockFilter{Code: ifEqual, Jt: uint8(len(values) - i), K: v})
	}
	f.when(call, append(body, unix.SockFilter{Code: ret, K: refusal(e)}, unix.SockFilter{Code: ret, K: returnAllow})...)
}

// withBits adds a call that is refused if its argument has one of the bits.
func (f *filter) withBits(call, argument, bits uint32) {
	f.when(call, unix.SockFilter{Code: load, K: low(argument)}, unix.SockFilter{Code: ifBits, Jf: 1, K: bits},
		unix.SockFilter{Code: ret, K: refusal(unix.EPERM)}, unix.SockFilter{Code: ret, K: returnAllow})
}

// filterFor returns the filter of a command. Inside namespaces it can enter those, which is of no use without privileges, and
// reaches sockets of the Internet and local ones; outside it has these only where the network is open.
func filterFor(arch uint32, inside, network bool) filter {
	f := filter{
		{Code: load, K: 4}, {Code: ifEqual, Jt: 1, K: arch}, {Code: ret, K: refusal(unix.ENOSYS)}, // calls of 32-bit programs
		{Code: load, K: 0},
	}
	if arch == unix.AUDIT_ARCH_X86_64 {
		f = append(f, unix.SockFilter{Code: ifAtLeast, Jf: 1, K: 1 << 30}, unix.SockFilter{Code: ret, K: refusal(unix.ENOSYS)}) // x32
	}
	for _, call := range forbidden {
		f.when(call, unix.SockFilter{Code: ret, K: refusal(unix.EPERM)})
	}
	f.when(unix.SYS_CLONE3, unix.SockFilter{Code: ret, K: refusal(unix.ENOSYS)}) // its flags are in memory; libraries then use clone
	f.withBits(unix.SYS_CLONE, 0, newSpaces)
	f.withBits(unix.SYS_UNSHARE, 0, newSpaces|0x80 /* CLONE_NEWTIME */)
	if !inside {
		f.when(unix.SYS_SETNS, unix.SockFilter{Code: ret, K: refusal(unix.EPERM)})
	}
	f.unless(unix.SYS_PRLIMIT64, 0, ^uint32(0), unix.EPERM, 0) // of other processes
	f.when(unix.SYS_IOCTL, unix.SockFilter{Code: load, K: low(1)},
		unix.SockFilter{Code: ifEqual, Jt: 1, K: unix.TIOCSTI}, unix.SockFilter{Code: ifEqual, Jf: 1, K: 0x541C /* TIOCLINUX */},
		unix.SockFilter{Code: ret, K: refusal(unix.EPERM)}, unix.SockFilter{Code: ret, K: returnAllow})
	f.sockets(inside, network)
	return append(f, unix.SockFilter{Code: ret, K: returnAllow})
}

// sockets adds what commands may open.
func (f *filter) sockets(inside, network bool) {
	refuse, allow := unix.SockFilter{Code: ret, K: refusal(unix.EACCES)}, unix.SockFilter{Code: ret, K: returnAllow}
	const netlinkRoute = 0
	netlink := []unix.SockFilter{{Code: load, K: low(2)}, {Code: ifEqual, Jf: 1, K: netlinkRoute}, allow, refuse}
	body := []unix.SockFilter{{Code: load, K: low(0)}, {Code: ifEqual, Jf: uint8(len(netlink)), K: unix.AF_NETLINK}}
	body = append(body, netlink...)
	if inside {
		body = append(body, unix.SockFilter{Code: ifEqual, Jt: 3, K: unix.AF_UNIX})
	}
	body = append(body, unix.SockFilter{Code: ifEqual, Jt: 2, K: unix.AF_INET}, unix.SockFilter{Code: ifEqual, Jt: 1, K: unix.AF_INET6}, refuse)
	if !inside && !network { // only TCP, which Landlock limits; MPTCP would pass it by
		body = append(body, unix.SockFilter{Code: load, K: low(1)}, unix.SockFilter{Code: and, K: 0xf},
			unix.SockFilter{Code: ifEqual, Jt: 1, K: unix.SOCK_STREAM}, refuse,
			unix.SockFilter{Code: load, K: low(2)}, unix.SockFilter{Code: ifEqual, Jt: 2, K: 0}, unix.SockFilter{Code: ifEqual, Jt: 1, K: unix.IPPROTO_TCP}, refuse)
	}
	f.when(unix.SYS_SOCKET, append(body, allow)...)
	f.unless(unix.SYS_SOCKETPAIR, 0, ^uint32(0), unix.EACCES, unix.AF_UNIX)
	if !inside && !network { // connects without the call that Landlock sees
		f.withBits(unix.SYS_SENDTO, 3, unix.MSG_FASTOPEN)
		f.withBits(unix.SYS_SENDMSG, 2, unix.MSG_FASTOPEN)
		f.withBits(unix.SYS_SENDMMSG, 3, unix.MSG_FASTOPEN)
	}
}

// install limits the calling thread, which must have no new privileges.
func (f filter) install() error {
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(f)
	if errno != 0 {
		return errors.Join(errors.New("seccomp"), errno)
	}
	return nil
}
