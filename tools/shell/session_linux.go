package shell

import (
	"bytes"
	"os"
	"strconv"
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
	want := strconv.Itoa(session)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// pid (name) state parent group session ...; the name may hold anything. Of a process that has ended there is nothing.
		stat, _ := os.ReadFile("/proc/" + name + "/stat")
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 3 && string(fields[3]) == want && string(fields[0]) != "Z" {
			members = append(members, pid)
		}
	}
	return members
}
