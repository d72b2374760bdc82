// Package a is read by the test of strings: it has texts of every form that a user can see, and names that no user sees.
package a

import "errors"

type item struct{ Title, ID string }

// Options has a text in its tag.
type Options struct {
	Keep bool `doc:"Keep this."`
}

// Open fails with a text.
func Open(name string) error { return errors.New("not found: " + name) }

func lookup(s string) string { return s }

// What a user sees, and what not.
var (
	Key   = "one"
	Label = item{Title: "Save", ID: "save"}
	Both  = lookup("two " + "words")
)
