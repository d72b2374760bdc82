package config

// Layer is where a value comes from.
type Layer string

// The layers, weakest first.
const (
	LayerDefault      Layer = "default"
	LayerPreset       Layer = "preset"
	LayerUser         Layer = "user"
	LayerSettings     Layer = "settings" // the program's own file
	LayerWorkspace    Layer = "workspace"
	LayerConversation Layer = "conversation"
	LayerOverride     Layer = "--cfg"
)

// Origin is the place of an explicitly set value.
type Origin struct {
	Layer Layer
	File  string
	Line  int // 1-based; meaningless for an override

	text *source
}

// Source is one layer of a load.
type Source struct {
	Layer Layer
	Path  string // file, or the override; "" for the defaults
	Found bool   // false for a file that does not exist
}
