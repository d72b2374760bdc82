package config

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
	Path  string // path of the file, or text of the override; "" for the defaults
	Found bool   // false for a file that does not exist
}
