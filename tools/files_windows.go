//go:build windows

package tools

// openNonblock: named pipes have no place in the file system on Windows.
const openNonblock = 0
