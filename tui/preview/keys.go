package preview

import (
	"charm.land/bubbles/v2/key"

	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// KeyMap is every key of the view.
type KeyMap struct {
	Accept key.Binding
	Close  key.Binding
	Help   key.Binding

	PreviousProfile, NextProfile key.Binding
	EndEarlier, EndLater         key.Binding
	StartEarlier, StartLater     key.Binding
	Default                      key.Binding // the range as it is without bounds
	Focus                        key.Binding
	Review                       key.Binding

	Up, Down, PageUp, PageDown key.Binding // scroll

	// While the focus is written: taken, or left as it was.
	TakeFocus, LeaveFocus key.Binding
	Edit                  edit.Keys
}

// DefaultKeyMap is the keys as they are without configuration.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	writing := edit.DefaultKeys()
	writing.Newline.SetEnabled(false)
	return KeyMap{
		Accept: bind("enter", "compact as it is shown", "enter"),
		Close:  bind("esc", "close and change nothing", "esc", "q"),
		Help:   bind("?", "these keys", "?"),

		PreviousProfile: bind("←", "the profile before (also h, shift+tab)", "left", "h", "shift+tab"),
		NextProfile:     bind("→", "the next profile (also l, tab)", "right", "l", "tab"),
		EndEarlier:      bind("[", "end the range a turn earlier (also -)", "[", "-"),
		EndLater:        bind("]", "end the range a turn later (also +)", "]", "+", "="),
		StartEarlier:    bind("{", "begin the range a turn earlier", "{"),
		StartLater:      bind("}", "begin the range a turn later", "}"),
		Default:         bind("0", "the default range", "0"),
		Focus:           bind("f", "say what a summary should preserve (also /)", "f", "/"),
		Review:          bind("v", "read a summary before it takes effect", "v"),

		Up:       bind("↑", "scroll up (also k)", "up", "k"),
		Down:     bind("↓", "scroll down (also j)", "down", "j"),
		PageUp:   bind("pgup", "scroll up a page", "pgup", "ctrl+b", "ctrl+u"),
		PageDown: bind("pgdn", "scroll down a page", "pgdown", "ctrl+f", "ctrl+d", "space"),

		TakeFocus:  bind("enter", "take the focus", "enter"),
		LeaveFocus: bind("esc", "leave the focus as it was", "esc"),
		Edit:       writing,
	}
}

// Bindings lists the keys in the order of the help, without those for writing.
func (k KeyMap) Bindings() []key.Binding {
	return []key.Binding{
		k.Accept, k.Close, k.PreviousProfile, k.NextProfile, k.EndEarlier, k.EndLater, k.StartEarlier, k.StartLater,
		k.Default, k.Focus, k.Review, k.Up, k.Down, k.PageUp, k.PageDown, k.Help,
	}
}
