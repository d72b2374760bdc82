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

// Every command is offered with its help under each of its names, however they are written.
func TestEveryNameOfACommandIsOffered(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.resize(140, 24)
		for _, c := range tui.Commands() {
			for _, name := range append([]string{c.Name}, c.Aliases...) {
				r.typeText("/" + strings.ToUpper(name))
				r.wantText("/"+c.Name, c.Help[:min(len(c.Help), 30)])
				r.press("esc", "ctrl+u")
			}
		}
	})
}
