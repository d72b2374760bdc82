package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The history view: the original messages next to the view of the model, and its commands.

// cursorRow are the lines of the row that has the cursor.
func (s screen) cursorRow() string {
	var out []string
	for line := range strings.Lines(s.text) {
		if strings.HasPrefix(line, "▌") {
			out = append(out, strings.TrimSpace(strings.TrimPrefix(line, "▌")))
		}
	}
	return strings.Join(out, "\n")
}

// awaitCursorRow waits until all of the texts are in the row that has the cursor.
func (t *terminal) awaitCursorRow(texts ...string) screen {
	t.t.Helper()
	return t.wait("row under the cursor with "+strings.Join(texts, ", "), func(s screen) bool {
		for _, text := range texts {
			if !strings.Contains(s.cursorRow(), text) {
				return false
			}
		}
		return true
	})
}

// searchFor searches in the history, and waits for the row of the hit.
func (t *terminal) searchFor(text string, on ...string) screen {
	t.t.Helper()
	t.typed("/")
	t.see("esc end")
	t.typed(text)
	t.see("/ " + text)
	t.key("enter")
	t.wait("match", func(s screen) bool { return s.has("match 1 of ") && !s.has("esc end") })
	return t.awaitCursorRow(on...)
}

// closeView closes a search, a request, or an expanded message.
func (t *terminal) closeView(what string) screen {
	t.t.Helper()
	t.key("esc")
	return t.wait("history without "+what, func(s screen) bool { return s.has(" History") && !s.has(what) })
}

// openCompacted opens the history of a recording whose oldest turns are summarised, and in which other results are masked.
func (p *place) openCompacted(s *server, at size) (term *terminal, id string) {
	p.t.Helper()
	s.aside(summarises(openGate()))
	term, id = p.underway(s, at)
	term.converseUntil("how is the wind?", 1)
	term.command("/summarize --from 0 --to 9")
	term.idle("compacted turns 0–9: ", "1 summary")
	term.command("/compact --from 10 --keep-last 20")
	term.idle("compacted turns 10–40: ")
	return term, id
}

// holds reports whether sent messages have a text.
func holds(sent []spoken, text string) bool {
	return slices.ContainsFunc(sent, func(m spoken) bool { return strings.Contains(m.Content, text) })
}

// Turns of that recording: a summarised one, a masked one, and an unchanged one.
const summarised, masked, verbatim = 4, 26, 50

func TestHistoryShowsWhatTheModelDoesNotSee(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1))
	term, id := p.openCompacted(s, usual)
	if next := p.next(id); holds(next, sighting(summarised)) || holds(next, sighting(masked)) || !holds(next, sighting(verbatim)) {
		t.Fatal("the model sees what was compacted, or not what was not")
	}
	from := term.introduced()
	term.browse("[both]", "original", "what the model is sent instead")
	for _, side := range []string{"[original]", "[as sent]", "[both]"} {
		term.key("tab")
		term.see(side)
	}
	term.typed("g")
	term.awaitCursorRow("title: Voyage of the Beagle")
	term.typed("}")
	term.awaitCursorRow("What does the log of day 0 say?", "summarized", "Know what the logbooks say")
	term.typed("}")
	term.awaitCursorRow("What does the log of day 1 say?", "summarized")
	term.typed("}}{")
	term.awaitCursorRow("What does the log of day 2 say?")
	term.typed("G")
	term.awaitCursorRow("▸ compacted", "turns 10–40")

	term.searchFor(sighting(summarised), "summarized", sighting(summarised))
	term.closeView(" match ")
	term.searchFor(sighting(masked), "masked", "completed earlier (ok)", sighting(masked))
	term.closeView(" match ")
	term.key("enter")
	term.awaitCursorRow("watch 7 of day 26", "The whole text: recall", sighting(masked)) // the stub has no more than its ends
	term.closeView("recall")
	term.typed("g}")
	term.key("enter")
	term.awaitCursorRow("Know what the logbooks say (t0)", "Turns 0–9", "day-1.txt (t1)")
	term.searchFor(sighting(7)+" clipboard", "day-7.txt")
	term.closeView(" match ")
	term.key("enter")
	term.awaitCursorRow("␛]52;c;UFdORUQ=␇")
	if found := unexpectedSequences(term.written()[from:]); len(found) > 0 {
		t.Errorf("the terminal received %v", found)
	}
	for _, at := range []size{{20, 6}, {200, 60}, {71, 16}, usual} {
		term.resize(at)
		term.wait("history of this size", func(s screen) bool {
			w, h := s.size()
			return w == at.w && h == at.h && strings.HasPrefix(strings.TrimLeft(s.row(0), " "), "History") && s.used() != "" && s.cursorRow() != ""
		})
	}
	term.key("ctrl+t")
	term.idle("This is reply 1.")
}

func TestCompactionUnderTheCursorIsUndoneAndRedone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	term, id := p.openCompacted(s, usual)
	compacted := p.next(id)
	made := term.browse()
	for _, c := range []struct {
		turn  int
		badge string
	}{{masked, "masked"}, {summarised, "summarized"}} {
		term.searchFor(sighting(c.turn), c.badge)
		term.closeView(" match ")
		term.typed("u")
		term.see("sent in full")
		undone := term.wait("fuller gauge", func(s screen) bool { return s.share(t) > made.share(t) })
		if next := p.next(id); !holds(next, sighting(c.turn)) {
			t.Errorf("after the undo the model does not see what was %s", c.badge)
		}
		term.typed("r")
		term.awaitCursorRow(c.badge)
		term.wait("gauge as it was", func(s screen) bool { return s.used() == made.used() && s.used() != undone.used() })
		if diff := cmp.Diff(compacted, p.next(id)); diff != "" {
			t.Errorf("after the redo something else is sent (-before +after):\n%.2000s", diff)
		}
	}
	term.typed("q")
	term.idle()
	term.converseUntil("and now?", 2)
	promised(t, s.request(1), compacted, "and now?")
}

func TestMessagesArePinnedAndMaskedInTheHistory(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	term, id := p.openCompacted(s, usual)
	compacted := p.next(id)
	term.browse()
	for _, turn := range []int{summarised, masked} {
		term.searchFor(sighting(turn))
		term.closeView(" match ")
		term.typed("p")
		term.awaitCursorRow("pinned")
		term.see("pinned: always sent in full")
		if !holds(p.next(id), sighting(turn)) {
			t.Errorf("the result of turn %d is pinned, and not sent", turn)
		}
	}
	term.typed("p")
	term.awaitCursorRow("masked")
	term.see("unpinned")
	term.searchFor(sighting(verbatim), sighting(verbatim))
	term.closeView(" match ")
	term.typed("m")
	term.awaitCursorRow("masked")
	term.see("masked: the model no longer sees the result")
	next := p.next(id)
	if !holds(next, sighting(summarised)) || holds(next, sighting(masked)) || holds(next, sighting(verbatim)) {
		t.Error("not what is pinned is sent, or more")
	}
	if len(next) <= len(compacted) {
		t.Errorf("with a pin inside the summary %d messages are sent, before %d", len(next), len(compacted))
	}
	term.typed("q")
	term.idle()
	term.converseUntil("and now?", 2)
	promised(t, s.request(1), next, "and now?")
	term.command("/ledger")
	term.see("turn 50, 1 ", "pin ended: e107, e108", "pinned e107, e108", "pinned e19, e20")
}
