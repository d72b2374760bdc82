package storage

import "golang.org/x/sys/unix"

// networkFilesystem names the network file system that contains dir, "" if it is
// local or not known to be unsafe. On NFS, flock may be local to one machine, and
// shared memory maps are not coherent.
func networkFilesystem(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", err
	}
	if st.Type == unix.NFS_SUPER_MAGIC {
		return "NFS", nil
	}
	return "", nil
}
