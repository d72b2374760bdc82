package shell

import (
	"bytes"
	"os"
	"strconv"
)

// sessionMembers lists the process ids of a session, without zombies (ended processes
// whose parent has not waited for them). Reading the process table takes one or two
// milliseconds.
func sessionMembers(session int) []int {
	table, err := os.Open("/proc")
	if err != nil {
		return nil // without the process table only the leader's group is known
	}
	defer table.Close()
	names, err := table.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var members []int
	want := strconv.Itoa(session)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// pid (name) state parent group session ...; the name may contain blanks. The file of an ended process is missing.
		stat, _ := os.ReadFile("/proc/" + name + "/stat")
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 3 && string(fields[3]) == want && string(fields[0]) != "Z" {
			members = append(members, pid)
		}
	}
	return members
}
