package config

import (
	"reflect"
)

// decoder lays one document over a configuration.
type decoder struct {
	src      *source
	layer    Layer
	origins  Origins
	own      bool // a file of its own kind, not a configuration
	passes   bool // over keys that nobody knows, which then are in unknown
	unknown  Problems
	problems Problems
	steps    int
}

// fail notes a problem at a place.
func (d *decoder) fail(line, col int, path []string, message, hint string) {
	d.src.add(&d.problems, line, col, Path(path...), message, hint)
}

// field is a struct field with its key and the rules in its tags.
type field struct {
	key string
	tag reflect.StructTag
}
