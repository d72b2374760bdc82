package e2e_test

import "testing"

// With the keys of vi a draft is written, changed in normal mode, and sent.
func TestVimKeys(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	term := p.start(defaultSize, "--cfg", "ui.vim=true")
	term.awaitText("This is the demo model: not an AI.", " insert ")
	term.typeText("hello big world")
	term.awaitText("│ hello big world")
	term.press("esc")
	term.awaitText(" normal ")
	term.typeText("bbcwsmall")
	term.awaitText("│ hello small world", " insert ")
	term.press("esc")
	term.awaitText(" normal ")
	term.typeText("0d2wihi ")
	term.awaitText("│ hi world", " insert ")
	term.press("enter")
	term.awaitText("▌ hi world", " insert ")
	term.awaitIdle("small scripted bot")
	p.quit(term)
}
