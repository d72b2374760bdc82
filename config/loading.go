package config

import (
	"strings"
)

// loading is a load under way.
type loading struct {
	Loaded
	problems Problems
}

// Loaded is a configuration with where it came from.
type Loaded struct {
	Config  Config
	Sources []Source  // the layers looked at, weakest first
	Refused []Refused // keys of the workspace file that were not applied
	Trusted []Refused // those that were applied because the user trusts the file
	Unknown Problems  // keys of the workspace file that are passed over: this version has none such, or no workspace may set them
	Hash    string    // of the workspace file's content, "" without one
	Origins Origins

	unset Config // the values where nobody sets any: the defaults, and what the preset fills
}

// Origins tell by dotted key ([Path]) where each explicitly set value was set last.
type Origins map[string]Origin

// Explicit tells whether a key was set by the user, or, for a section, anything below it. A preset leaves such keys
// alone.
func (l Loaded) Explicit(key string) bool {
	if _, ok := l.Origins[key]; ok {
		return true
	}
	for set := range l.Origins {
		if strings.HasPrefix(set, key+".") {
			return true
		}
	}
	return false
}

// Problem is what somebody who knows more than this package found wrong with a value, such as a name that does not exist.
// It points at the place where the key, or else the nearest section above it, was set last.
func (l Loaded) Problem(key, message, hint string) *Problem {
	return l.Origins.problem("configuration", key, message, hint)
}

// problem is one of a value, or of a file if the value was not set.
func (origins Origins) problem(file, key, message, hint string) *Problem {
	for at := key; at != ""; {
		if o, ok := origins[at]; ok {
			return o.text.problem(o.Line, 0, key, message, hint)
		}
		at = at[:max(0, strings.LastIndexByte(at, '.'))]
	}
	return &Problem{File: file, Key: key, Message: message, Hint: hint}
}

// LoadOptions say what to load. The zero value, with an Env, loads the user's file over the defaults.
type LoadOptions struct {
	Env       Env    // the environment; nil counts as empty
	File      string // --config; "" = PLIMSOLL_CONFIG or the default place
	Workspace string // top of the workspace whose .plimsoll.yaml counts; "" = none
	// Trust says whether the user has allowed a workspace's file, by the hash of its content, to decide what it may not
	// decide without that; nil: never.
	Trust func(hash string) bool
	// KEY=VALUE settings, each later list over the one before: what a conversation records, --cfg, and what was changed in
	// the conversation since it was opened.
	Recorded, Set, Changed []string

	own []byte // what the program's own file would be; nil: as it is
}
