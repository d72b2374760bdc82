package e2e_test

import "testing"

// A message of another conversation is found, also where its model does not see
// it any more, and shown in its place.

func TestSearchLeadsToAPlaceInAnotherConversation(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	other := p.imported(recording(t))
	p.prints("compact", other, "--keep-last", "20")
	compacted := p.next(other)
	if holds(compacted, sighting(masked)) || holds(compacted, sighting(turnCut)) {
		t.Fatal("the model of the other conversation sees what is looked for")
	}
	term := p.start(usual, s.args(roomy...)...)
	term.idle("Talking to")
	term.converseUntil("a conversation of its own", 1)
	from := term.introduced()

	term.command("/search " + sighting(masked))
	term.see(" Search", "1 hit in 1 of 2 conversations", "Voyage of the Beagle 航海", "turn 26  read_file", sighting(masked))
	term.key("enter")
	term.see(" History", "match 1 of 1")
	term.awaitCursorRow("read day-26.txt", "masked", sighting(masked))
	term.typed("q") // back to the search that led here
	term.see(" Search", sighting(masked))
	term.key("ctrl+u")
	term.see("type to search")
	term.typed("kraken-nowhere")
	term.see("nothing")
	term.key("ctrl+u")
	term.typed(sighting(turnCut))
	term.see("1 hit in 1 of 2 conversations", "turn 11  read_file (full text)")
	term.key("enter")
	term.see(" History")
	term.awaitCursorRow("read day-11.txt")
	term.closeView(" match ")
	term.key("enter", "enter") // expanded, then all of it
	term.see(" In full ", "watch 0 of day 11")
	term.key("end")
	term.see(" In full ", "watch 59 of day 11")
	term.key("esc")
	term.wait("no dialog", func(s screen) bool { return s.has(" History") && !s.has("In full") })
	for _, what := range unexpectedSequences(clipped.ReplaceAllString(term.written()[from:], "")) {
		t.Errorf("the terminal received %s", what)
	}
	term.typed("q")
	term.see(" Search", "(full text)")
	term.key("esc")
	term.idle("Day 59 was quiet.")
	term.converseUntil("and now?", 2)
	promised(t, s.request(1), compacted, "and now?")
}
