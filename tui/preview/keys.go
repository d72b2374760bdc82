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
	writing.Newline = key.Binding{}
	return KeyMap{
		Accept: bind("enter", "compact as shown", "enter"),
		Close:  bind("esc", "close without changes", "esc", "q"),
		Help:   bind("?", "these keys", "?"),

		PreviousProfile: bind("←", "previous profile (also h, shift+tab)", "left", "h", "shift+tab"),
		NextProfile:     bind("→", "next profile (also l, tab)", "right", "l", "tab"),
		EndEarlier:      bind("[", "end one turn earlier (also -)", "[", "-"),
		EndLater:        bind("]", "end one turn later (also +)", "]", "+", "="),
		StartEarlier:    bind("{", "start one turn earlier", "{"),
		StartLater:      bind("}", "start one turn later", "}"),
		Default:         bind("0", "the default range", "0"),
		Focus:           bind("f", "set what the summary should preserve (also /)", "f", "/"),
		Review:          bind("v", "review the summary before it is applied", "v"),

		Up:       bind("↑", "scroll up (also k)", "up", "k"),
		Down:     bind("↓", "scroll down (also j)", "down", "j"),
		PageUp:   bind("pgup", "scroll up a page", "pgup", "ctrl+b", "ctrl+u"),
		PageDown: bind("pgdn", "scroll down a page", "pgdown", "ctrl+f", "ctrl+d", "space"),

		TakeFocus:  bind("enter", "keep this focus", "enter"),
		LeaveFocus: bind("esc", "cancel", "esc"),
		Edit:       writing,
	}
}
