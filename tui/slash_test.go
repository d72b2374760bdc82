package tui_test

import (
	"testing"
)

func TestCommandsAreFoundWhateverTheirCase(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.write("/COMP")
		r.has("/compact")
		r.press("ctrl+c")
		r.calls = nil
		r.enter("/New")
		r.did("new")
		r.enter("/CLEAR") // another name of it
		r.did("new")
	})
}
