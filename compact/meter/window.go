package meter

// Window is the context window of a model, and how its size is known.
type Window struct {
	Tokens int // 0: unknown
	Source WindowSource
}

// WindowSource is the source of a window's size.
type WindowSource string

// The sources of a window's size, strongest first.
const (
	WindowFlag      WindowSource = "flag"
	WindowConfig    WindowSource = "config"
	WindowLearned   WindowSource = "learned"
	WindowServer    WindowSource = "server"
	WindowCatalogue WindowSource = "catalogue"
	WindowUnknown   WindowSource = "unknown"
)

// IsKnown reports whether the size is known.
func (w Window) IsKnown() bool { return w.Tokens > 0 }
