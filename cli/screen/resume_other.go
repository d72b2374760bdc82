//go:build !unix

package screen

// Continue does nothing: without these signals the program cannot suspend itself.
func Continue() {}
