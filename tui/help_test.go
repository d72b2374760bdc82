package tui_test

import (
	"strings"
	"testing"

	"plimsoll/tui"
)

func TestTheHelpListsEveryKey(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.resize(80, 900) // in one column
		r.press("?")
		page := strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(r.tabs(), "\n"), "│", "")), " ")
		for _, b := range allBindings(tui.DefaultKeyMap()) {
			h := b.Help()
			if b.Enabled() && !strings.Contains(page, strings.Join(strings.Fields(h.Key+" "+h.Desc), " ")) {
				t.Errorf("the help does not say that %s is: %s", h.Key, h.Desc)
			}
		}
	})
}
