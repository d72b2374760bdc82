package tui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
)

// KeyMap is every key of the main screen that is not the composer's. The help
// is made from it; configuration rebinds it by the names in the tags.
type KeyMap struct {
	Cancel     key.Binding `bind:"cancel"`
	Interrupt  key.Binding `bind:"interrupt"`
	Quit       key.Binding `bind:"quit"`
	PageUp     key.Binding `bind:"page_up"`
	PageDown   key.Binding `bind:"page_down"`
	Top        key.Binding `bind:"top"`
	End        key.Binding `bind:"end"`
	Expand     key.Binding `bind:"expand"`
	Editor     key.Binding `bind:"editor"`
	Redraw     key.Binding `bind:"redraw"`
	Mode       key.Binding `bind:"mode"`
	TakeBack   key.Binding `bind:"take_back"`
	Suspend    key.Binding `bind:"suspend"`
	ScrollUp   key.Binding `bind:"scroll_up"`
	ScrollDown key.Binding `bind:"scroll_down"`
}

// DefaultKeyMap is the keys as they are without configuration.
func DefaultKeyMap() KeyMap {
	bind := func(help, text string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, text))
	}
	return KeyMap{
		Cancel:     bind("esc", "stop the turn; queued messages come back", "esc"),
		Interrupt:  bind("ctrl+c", "interrupt, then clear, then quit", "ctrl+c"),
		Quit:       bind("ctrl+d", "quit when nothing is typed", "ctrl+d"),
		PageUp:     bind("pgup", "scroll up a page", "pgup"),
		PageDown:   bind("pgdown", "scroll down a page", "pgdown"),
		Top:        bind("home", "go to the beginning", "home", "ctrl+home"),
		End:        bind("end", "go to the end and follow it", "end", "ctrl+end"),
		Expand:     bind("ctrl+o", "expand or fold tools, reasoning, long messages", "ctrl+o"),
		Editor:     bind("ctrl+g", "write in $EDITOR", "ctrl+g"),
		Redraw:     bind("ctrl+l", "draw the screen anew", "ctrl+l"),
		Mode:       bind("shift+tab", "permission mode: plan, ask, auto-edit, yolo", "shift+tab"),
		TakeBack:   bind("alt+up", "take queued messages back", "alt+up"),
		Suspend:    bind("ctrl+z", "suspend", "ctrl+z"),
		ScrollUp:   bind("shift+up", "scroll up a line", "shift+up"),
		ScrollDown: bind("shift+down", "scroll down a line", "shift+down"),
	}
}

// Bindings lists the keys in the order of the help.
func (k KeyMap) Bindings() []key.Binding {
	v := reflect.ValueOf(k)
	out := make([]key.Binding, v.NumField())
	for i := range out {
		out[i] = v.Field(i).Interface().(key.Binding)
	}
	return out
}

// Actions lists the names that configuration can bind, sorted.
func Actions() []string {
	t := reflect.TypeFor[KeyMap]()
	var names []string
	for i := range t.NumField() {
		names = append(names, t.Field(i).Tag.Get("bind"))
	}
	slices.Sort(names)
	return names
}

// Rebind returns the keys with other ones for some actions; an empty list
// unbinds. An unknown action is an error that names those there are.
func (k KeyMap) Rebind(keys map[string][]string) (KeyMap, error) {
	v := reflect.ValueOf(&k).Elem()
	t := v.Type()
	for action, with := range keys {
		found := false
		for i := range t.NumField() {
			if t.Field(i).Tag.Get("bind") != action {
				continue
			}
			found = true
			b := v.Field(i).Addr().Interface().(*key.Binding)
			b.SetKeys(with...)
			b.SetHelp(strings.Join(with, "/"), b.Help().Desc)
			b.SetEnabled(len(with) > 0)
		}
		if !found {
			return k, fmt.Errorf("ui.keys: there is no action %q; the actions are %s", action, strings.Join(Actions(), ", "))
		}
	}
	return k, nil
}
