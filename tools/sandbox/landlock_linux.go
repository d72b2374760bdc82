package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock keeps a thread, and all that it starts, from files, TCP, signals and abstract sockets. What the kernel's version (its
// ABI) does not know is left out; lacks says what that is.

const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	firstRights = unix.LANDLOCK_ACCESS_FS_REFER - 1 // those of ABI 1
	writeRights = (firstRights | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE) &^
		(unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK)
	deviceRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV |
		unix.LANDLOCK_ACCESS_FS_READ_DIR
)

// devices may be read and written.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx"}

// landlockABI returns the kernel's version of Landlock, 0 for none.
func landlockABI() int {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// ruleset is one domain of Landlock.
type ruleset struct {
	read, write, devices []string
	inside               *spaces // its own /proc and /dev/pts, and no limits of TCP and signals; nil: none
	network              bool    // TCP is open
	port                 int     // of 127.0.0.1 that is open all the same, 0 for none
}

// restrict limits the calling thread to a ruleset.
func (r ruleset) restrict() error {
	abi := landlockABI()
	attr := unix.LandlockRulesetAttr{Handled_access_fs: firstRights}
	for _, more := range []struct {
		abi   int
		right uint64
	}{{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}} {
		if abi >= more.abi {
			attr.Handled_access_fs |= more.right
		}
	}
	if abi >= 4 && !r.network && r.inside == nil {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		if r.inside == nil {
			attr.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
	}
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	set := int(n)
	defer func() { _ = unix.Close(set) }()
	for _, part := range []struct {
		paths  []string
		rights uint64
	}{{r.read, readRights}, {r.write, writeRights}, {r.devices, deviceRights}} {
		for _, path := range part.paths {
			fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
			if err != nil {
				continue // it is gone, and so closed
			}
			err = addRule(set, fd, part.rights&attr.Handled_access_fs)
			_ = unix.Close(fd)
			if err != nil {
				return fmt.Errorf("landlock: %s: %w", path, err)
			}
		}
	}
	var err error
	if sp := r.inside; sp != nil {
		err = errors.Join(addRule(set, int(sp.proc.Fd()), readRights), addRule(set, int(sp.pts.Fd()), deviceRights&attr.Handled_access_fs))
	} else if r.port != 0 && attr.Handled_access_net != 0 {
		rule := [2]uint64{unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(r.port)} // struct landlock_net_port_attr
		err = add(set, 2 /* LANDLOCK_RULE_NET_PORT */, unsafe.Pointer(&rule))
	}
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set), 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", os.NewSyscallError("restrict_self", errno))
	}
	return nil
}

// addRule permits rights below an open file or folder.
func addRule(set, fd int, rights uint64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFLNK:
		return nil
	default:
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	return add(set, unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&rule))
}

func add(set int, kind uintptr, rule unsafe.Pointer) error {
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), kind, uintptr(rule), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
