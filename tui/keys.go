package tui

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"

	"plimsoll/tui/breakdown"
	"plimsoll/tui/changes"
	"plimsoll/tui/composer"
	"plimsoll/tui/dialog"
	"plimsoll/tui/edit"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
	"plimsoll/tui/preview"
	"plimsoll/tui/review"
	"plimsoll/tui/search"
	"plimsoll/tui/settings"
)

// KeyMap holds all keys of the program. The help is generated from it; the configuration
// rebinds keys by action: a field's name in snake case, prefixed with "dialog_" in
// dialogs and with the view's name in views ("history_pin").
type KeyMap struct {
	Screen   ScreenKeys
	Composer composer.KeyMap
	Dialogs  dialog.KeyMap
	Context  breakdown.KeyMap
	History  history.KeyMap
	Preview  preview.KeyMap
	Review   review.KeyMap
	Search   search.KeyMap
	Settings settings.KeyMap
	Diff     changes.KeyMap
}

// ScreenKeys holds the keys of the main screen, apart from those of the composer.
type ScreenKeys struct {
	Cancel     key.Binding
	Interrupt  key.Binding
	Quit       key.Binding
	PageUp     key.Binding
	PageDown   key.Binding
	ScrollUp   key.Binding
	ScrollDown key.Binding
	Top        key.Binding
	End        key.Binding
	Expand     key.Binding
	Mode       key.Binding
	TakeBack   key.Binding
	PasteImage key.Binding
	Legend     key.Binding
	Panel      key.Binding
	CopyReply  key.Binding
	Background key.Binding // while a command of the model runs, or with an empty draft

	History key.Binding
	Palette key.Binding

	PreviewCompaction key.Binding // with an empty draft
	UndoCompaction    key.Binding

	Redraw  key.Binding
	Suspend key.Binding
}

// DefaultKeyMap returns the keys without configuration.
func DefaultKeyMap() KeyMap {
	bind := pane.Bind
	return KeyMap{
		Composer: composer.DefaultKeyMap(),
		Dialogs:  dialog.DefaultKeyMap(),
		Context:  breakdown.DefaultKeyMap(),
		History:  history.DefaultKeyMap(),
		Preview:  preview.DefaultKeyMap(),
		Review:   review.DefaultKeyMap(),
		Search:   search.DefaultKeyMap(),
		Settings: settings.DefaultKeyMap(),
		Diff:     changes.DefaultKeyMap(),
		Screen: ScreenKeys{
			Cancel:     bind("esc", "stop the turn or a compaction; twice: stash the draft, or go back to an earlier message", "esc"),
			Interrupt:  bind("ctrl+c", "interrupt, then clear, then quit", "ctrl+c"),
			Quit:       bind("ctrl+d", "quit, on an empty line", "ctrl+d"),
			PageUp:     bind("pgup", "scroll up a page", "pgup"),
			PageDown:   bind("pgdown", "scroll down a page", "pgdown"),
			ScrollUp:   bind("ctrl+↑", "scroll up a line (shift+↑ on an empty line)", "ctrl+up", "shift+up"),
			ScrollDown: bind("ctrl+↓", "scroll down a line (shift+↓ on an empty line)", "ctrl+down", "shift+down"),
			Top:        bind("home", "go to the beginning", "home", "ctrl+home"),
			End:        bind("end", "go to the end and follow it", "end", "ctrl+end"),
			Expand:     bind("ctrl+o", "expand or fold tools, reasoning, long messages", "ctrl+o"),
			Mode:       bind("shift+tab", "permission mode: plan, ask, edits, auto, yolo", "shift+tab"),
			TakeBack:   bind("alt+↑", "edit queued messages", "alt+up"),
			PasteImage: bind("ctrl+v", "attach the image in the clipboard", "ctrl+v"),
			Legend:     bind("alt+g", "name the colors of the gauge", "alt+g"),
			Panel:      bind("alt+p", "show or hide the panel", "alt+p"),
			CopyReply:  bind("alt+c", "copy the last reply", "alt+c"),
			Background: bind("ctrl+b", "move the running command to the background", "ctrl+b"),

			History: bind("ctrl+t", "the full conversation next to what the model is sent", "ctrl+t"),
			Palette: bind("ctrl+p", "find a command or view by name", "ctrl+p"),

			PreviewCompaction: bind("ctrl+k", "preview a compaction, on an empty line", "ctrl+k"),
			UndoCompaction:    bind("ctrl+x", "undo the latest compaction", "ctrl+x"),

			Redraw:  bind("ctrl+l", "redraw the screen", "ctrl+l"),
			Suspend: bind("ctrl+z", "suspend", "ctrl+z"),
		},
	}
}

// viewKeys is the keymap of a full-screen view, or of the dialogs.
type viewKeys struct {
	name  string // in configuration, before the action
	title string // in the help
	keys  any    // a pointer to it; keys shared with other views are in embedded structs
}

// viewKeymaps lists the keymaps of the full-screen views in the order of the help.
func (k *KeyMap) viewKeymaps() []viewKeys {
	return []viewKeys{
		{"context", "Context view", &k.Context}, {"history", "History", &k.History},
		{"preview", "Compact preview", &k.Preview}, {"review", "Review of a summary", &k.Review}, {"search", "Search", &k.Search},
		{"settings", "Settings", &k.Settings}, {"diff", "Diff", &k.Diff},
	}
}

// bindingsByAction returns the bindings by their name in the configuration. Bindings that edit text have the same name in all
// inputs: the composer's.
func (k *KeyMap) bindingsByAction() map[string][]*key.Binding {
	found, editing := map[string][]*key.Binding{}, map[string]bool{}
	add := func(name string, b *key.Binding) { found[name] = append(found[name], b) }
	eachBinding(&k.Composer, func(name string, edits bool, b *key.Binding) {
		editing[name] = edits
		add(name, b)
	})
	parts := append(k.viewKeymaps(), viewKeys{name: "dialog", keys: &k.Dialogs})
	for _, p := range parts {
		eachBinding(p.keys, func(name string, edits bool, b *key.Binding) {
			if edits && editing[name] {
				add(name, b)
			}
		})
	}
	eachBinding(&k.Screen, func(name string, _ bool, b *key.Binding) { add(name, b) })
	for _, p := range parts {
		eachBinding(p.keys, func(name string, edits bool, b *key.Binding) {
			if !edits {
				add(p.name+"_"+name, b)
			}
		})
	}
	return found
}

// eachBinding calls do for the bindings with keys in a keymap, which is a pointer to a struct of bindings or of such structs.
// edits reports whether a binding is one of [edit.Keys].
func eachBinding(keymap any, do func(name string, edits bool, b *key.Binding)) {
	v := reflect.ValueOf(keymap).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i).Addr().Interface().(type) {
		case *key.Binding:
			if len(f.Keys()) > 0 {
				do(snakeCase(v.Type().Field(i).Name), v.Type() == reflect.TypeFor[edit.Keys](), f)
			}
		default:
			eachBinding(f, do)
		}
	}
}

// snakeCase writes PageUp as page_up.
func snakeCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Actions lists the names that configuration can bind, sorted.
func Actions() []string {
	k := DefaultKeyMap()
	return slices.Sorted(maps.Keys(k.bindingsByAction()))
}

// Rebind returns the keymap with other keys for some actions; an empty list
// unbinds an action. For an unknown action the error names the nearest one.
func (k KeyMap) Rebind(keys map[string][]string) (KeyMap, error) {
	known := k.bindingsByAction()
	for action, with := range keys {
		bound := known[action]
		if bound == nil {
			if near := composer.Nearest(action, Actions()); near != "" {
				return k, fmt.Errorf("ui.keys: there is no action %q; did you mean %s?", action, near)
			}
			return k, fmt.Errorf("ui.keys: there is no action %q; docs/keys.md lists the actions", action)
		}
		for _, b := range bound {
			b.SetKeys(with...)
			b.SetHelp(strings.Join(with, "/"), b.Help().Desc)
			b.SetEnabled(len(with) > 0)
		}
	}
	return k, nil
}

// keyOr returns the name of a key, or the command if the key is unbound.
func keyOr(b key.Binding, command string) string {
	if b.Enabled() {
		return b.Help().Key
	}
	return command
}

// helpKeys names keys, except unbound ones.
func helpKeys(bindings ...key.Binding) string {
	var names []string
	for _, b := range bindings {
		if b.Enabled() {
			names = append(names, b.Help().Key)
		}
	}
	return strings.Join(names, " or ")
}
