//go:build !linux

package main

// protect does nothing: only Linux has this setting.
func protect() error { return nil }
