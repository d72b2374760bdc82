package tui_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"plimsoll/tui"
)

// Keys by the names that keymaps and configuration have for them.

// codes are the keys that print nothing.
var codes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"home": tea.KeyHome, "end": tea.KeyEnd, "space": tea.KeySpace, "f9": tea.KeyF9,
}

// stroke is a key by its name; false if there is none.
func stroke(name string) (k tea.KeyPressMsg, ok bool) {
	rest := name
	for {
		mod, after, found := strings.Cut(rest, "+")
		bit := map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		if !found || bit == 0 || after == "" {
			break
		}
		k.Mod |= bit
		rest = after
	}
	k.Code, ok = codes[rest]
	switch {
	case rest == "space" && k.Mod == 0:
		k.Text = " "
	case ok:
	case utf8.RuneCountInString(rest) == 1:
		k.Code, _ = utf8.DecodeRuneInString(rest)
		if k.Mod == 0 {
			k.Text = rest
		}
		ok = true
	}
	return k, ok
}

func mustStroke(name string) tea.KeyPressMsg {
	k, ok := stroke(name)
	if !ok {
		panic("no key " + name)
	}
	return k
}

// What stroke makes of the name of a key has that name, as far as keymaps go.
func TestKeysHaveTheirNames(t *testing.T) {
	t.Parallel()
	for _, b := range all(tui.DefaultKeyMap()) {
		for _, name := range b.Keys() {
			if k, ok := stroke(name); !ok || k.String() != name {
				t.Errorf("%q is the key %q", name, k.String())
			}
		}
	}
}
