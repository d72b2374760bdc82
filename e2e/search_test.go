package e2e_test

import "testing"

// A search finds a message of another conversation, also one that its model does not see, and opens it there.

func TestSearchOpensAMessageOfAnotherConversation(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	other := p.importRecording(recording(t))
	p.output("compact", other, "--keep-last", "20")
	compacted := p.nextMessages(other)
	if containText(compacted, sighting(masked)) || containText(compacted, sighting(turnCut)) {
		t.Fatal("the model of the other conversation sees the text that is searched for")
	}
	term := p.start(defaultSize, s.flags(roomy...)...)
	term.awaitIdle("Talking to")
	term.converseUntil("a conversation of its own", 1)
	from := term.startupLen()

	term.slashCommand("/search " + sighting(masked))
	term.awaitText(" Search", "1 hit in 1 of 2 conversations", "Voyage of the Beagle 航海", "turn 27  read_file", sighting(masked))
	term.press("enter")
	term.awaitText(" History", "match 1 of 1")
	term.awaitCursorRow("read day-26.txt", "shortened", sighting(masked))
	term.typeText("q") // back to the search that led here
	term.awaitText(" Search", sighting(masked))
	term.press("ctrl+u")
	term.awaitText("type to search")
	term.typeText("kraken-nowhere")
	term.awaitText("nothing")
	term.press("ctrl+u")
	term.typeText(sighting(turnCut))
	term.awaitText("1 hit in 1 of 2 conversations", "turn 12  read_file (full text)")
	term.press("enter")
	term.awaitText(" History")
	term.awaitCursorRow("read day-11.txt")
	term.closeView(" match ")
	term.press("enter", "enter") // expanded, then all of it
	term.awaitText(" In full ", "watch 0 of day 11")
	term.press("end")
	term.awaitText(" In full ", "watch 59 of day 11")
	term.press("esc")
	term.wait("no dialog", func(s screen) bool { return s.has(" History") && !s.has("In full") })
	for _, what := range unexpectedSequences(clipped.ReplaceAllString(term.written()[from:], "")) {
		t.Errorf("the terminal received %s", what)
	}
	term.typeText("q")
	term.awaitText(" Search", "(full text)")
	term.press("esc")
	term.awaitIdle("Day 59 was quiet.")
	term.converseUntil("and now?", 2)
	checkSent(t, s.request(1), compacted, "and now?")
}
