package pane_test

import tea "charm.land/bubbletea/v2"

// stroke is the press of a key that moves by its name.
func stroke(name string) tea.KeyPressMsg {
	named := map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "x": 'x'}
	return tea.KeyPressMsg{Code: named[name]}
}
