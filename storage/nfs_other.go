//go:build !linux

package storage

// networkFilesystem always returns "": only Linux reports the type of a file
// system reliably.
func networkFilesystem(string) (string, error) { return "", nil }
