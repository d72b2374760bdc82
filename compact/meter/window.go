package meter

// Window is how many tokens a request may have, and how that is known.
type Window struct {
	Tokens int // 0: unknown
	Source WindowSource
}

// WindowSource says where a window's size came from.
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
