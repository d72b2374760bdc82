package config

import (
	"strings"
)

// Layer is a source of values: a file, the preset, or a kind of override.
type Layer string

// The layers; a later one wins.
const (
	LayerDefault      Layer = "default"
	LayerPreset       Layer = "preset"
	LayerUser         Layer = "user"
	LayerSettings     Layer = "settings" // the file that the program writes
	LayerWorkspace    Layer = "workspace"
	LayerConversation Layer = "conversation"
	LayerOverride     Layer = "--cfg"
)

// Origin is where a value was set.
type Origin struct {
	Layer Layer
	File  string
	Line  int // 1-based; has no meaning for an override

	source *source
}

// Source is one file or override that a load has read.
type Source struct {
	Layer Layer
	Path  string // path of the file, or text of the override; "" for the defaults, and for an override with a problem
	Found bool   // false for a file that does not exist
}

// loader collects the result of a load.
type loader struct {
	Loaded
	problems Problems
}

// Loaded is a loaded configuration, with the origins of its values.
type Loaded struct {
	Config  Config
	Sources []Source        // the files and overrides read, weakest first
	Refused []RestrictedKey // values of the workspace file that were not applied, because the user does not trust it
	Trusted []RestrictedKey // values that were applied only because the user trusts the file
	Unknown Problems        // ignored keys of the workspace file: unknown ones, and those that no workspace may set
	Hash    string          // SHA-256 of the workspace file, "" without one
	Origins Origins

	unsetConfig Config // the values of keys that are not set: the defaults, and those of the preset
}

// Origins map each key that was set explicitly, dotted ([Path]), to where it was set last.
type Origins map[string]Origin

// Explicit reports whether any layer has set a key or, for a section, a key in it. The preset does not change such
// keys.
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

// ProblemAt returns a problem that the caller has found in a value, such as an unknown name. It points to the line where
// the key was set last or, if it was not set, its nearest section.
func (l Loaded) ProblemAt(key, message, hint string) *Problem {
	return l.Origins.problemAt("configuration", key, message, hint)
}

// problemAt returns a problem of the value of key, or of the whole file if neither the key nor a section of it was set.
func (origins Origins) problemAt(file, key, message, hint string) *Problem {
	for at := key; at != ""; {
		if o, ok := origins[at]; ok {
			return o.source.problem(o.Line, key, message, hint)
		}
		at = at[:max(0, strings.LastIndexByte(at, '.'))]
	}
	return &Problem{File: file, Key: key, Message: message, Hint: hint}
}

// LoadOptions are the sources of a load. With only Env set, Load reads the user's file and the settings file.
type LoadOptions struct {
	Env       Env    // the environment; nil counts as empty
	File      string // --config; "" = PLIMSOLL_CONFIG or the default path
	Workspace string // top folder of the workspace whose .plimsoll.yaml is read; "" = none
	// Trust reports whether the user trusts the workspace file with this SHA-256 of its content; nil: never. A trusted file
	// may set any key but key_command.
	Trust func(hash string) bool
	// KEY=VALUE settings: recorded in the conversation when it is opened, given by --cfg, and changed in the conversation
	// since. A later list wins over an earlier one.
	Recorded, Overrides, Changed []string

	settingsData []byte // replaces the content of the settings file; nil: read the file
}
