//go:build !linux

package shell

// sessionMembers returns no processes: without /proc only the leader's process group is known.
func sessionMembers(int) []int { return nil }
