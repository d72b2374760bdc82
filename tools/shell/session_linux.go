package shell

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// sessionMembers lists the processes of a session, those left out that have ended
// and that nobody has waited for. Reading the table of processes takes a
// millisecond or two.
func sessionMembers(session int) []int {
	table, err := os.Open("/proc")
	if err != nil {
		return nil // without a table there is the group alone
	}
	defer table.Close()
	names, err := table.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var members []int
	want, buf := strconv.Itoa(session), make([]byte, 1024)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// pid (name) state parent group session ...; the name may hold anything.
		stat := readStat(name, buf)
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 3 && string(fields[3]) == want && string(fields[0]) != "Z" {
			members = append(members, pid)
		}
	}
	return members
}

// readStat reads the line of a process, nothing if it has ended meanwhile. It
// spares what package os does around a read, for there may be thousands.
func readStat(pid string, buf []byte) []byte {
	fd, err := syscall.Open("/proc/"+pid+"/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	n, err := syscall.Read(fd, buf)
	_ = syscall.Close(fd) // only read from
	if err != nil {
		return nil
	}
	return buf[:n]
}
