// Package strings is a command that lists every text a user of plimsoll can see, with its file and line, so that all of
// them can be read at one sitting: make strings. Its tests keep British spelling and words of the inside out of that list.
package main

import (
	"fmt"
	"os"
)

func main() {
	found, err := Find(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "strings:", err)
		os.Exit(1)
	}
	for _, t := range found {
		fmt.Printf("%s:%d: %q\n", t.File, t.Line, t.Text)
	}
}
