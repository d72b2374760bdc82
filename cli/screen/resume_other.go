//go:build !unix

package screen

// Continue does nothing: where there are no such signals the program does not suspend itself.
func Continue() {}
