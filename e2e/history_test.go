package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The history view: the original messages next to what the model is sent, and its keys.

func (s screen) cursorRow() string {
	var out []string
	for line := range strings.Lines(s.text) {
		if strings.HasPrefix(line, "▌") {
			out = append(out, strings.TrimSpace(strings.TrimPrefix(line, "▌")))
		}
	}
	return strings.Join(out, "\n")
}

// awaitCursorRow waits until the row under the cursor contains all of the texts.
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

// searchFor searches in the history, and waits until the cursor is on the hit.
func (t *terminal) searchFor(text string, on ...string) screen {
	t.t.Helper()
	t.typeText("/")
	t.awaitText("esc end")
	t.typeText(text)
	t.awaitText("/ " + text)
	t.press("enter")
	t.wait("match", func(s screen) bool { return s.has("match 1 of ") && !s.has("esc end") })
	return t.awaitCursorRow(on...)
}

// closeView closes a search, a request, or an expanded message.
func (t *terminal) closeView(what string) screen {
	t.t.Helper()
	t.press("esc")
	return t.wait("history without "+what, func(s screen) bool { return s.has(" History") && !s.has(what) })
}

// openCompacted opens a recording whose oldest turns are summarised, and in which later results are masked.
func (p *sandbox) openCompacted(s *server, at size) (term *terminal, id string) {
	p.t.Helper()
	s.scriptSummaries(summaryReply(openGate()))
	term, id = p.openRecording(s, at)
	term.converseUntil("how is the wind?", 1)
	term.slashCommand("/summarize --from 1 --to 10")
	term.awaitIdle("Compacted turns 1–10   ")
	term.slashCommand("/compact --from 11 --keep-last 20")
	term.awaitIdle("Compacted turns 11–41   ")
	return term, id
}

func containText(sent []sentMessage, text string) bool {
	return slices.ContainsFunc(sent, func(m sentMessage) bool { return strings.Contains(m.Content, text) })
}

// Turns of the recording of openCompacted: a summarised one, a masked one, and an unchanged one.
const summarised, masked, verbatim = 4, 26, 50

func TestHistoryShowsWhatTheModelDoesNotSee(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1))
	term, id := p.openCompacted(s, high)
	if next := p.nextMessages(id); containText(next, sighting(summarised)) || containText(next, sighting(masked)) || !containText(next, sighting(verbatim)) {
		t.Fatal("the model sees compacted text, or not the rest")
	}
	from := term.startupLen()
	term.openHistory("[both]", "original")
	for _, side := range []string{"[original]", "[as sent]", "[both]"} {
		term.press("tab")
		term.awaitText(side)
	}
	term.typeText("g")
	term.awaitCursorRow("title: Voyage of the Beagle")
	term.typeText("}")
	term.awaitCursorRow("What does the log of day 0 say?", "summarized", "what the model is sent instead", "Know what the logbooks say")
	term.typeText("}")
	term.awaitCursorRow("What does the log of day 1 say?", "summarized")
	term.typeText("}}{")
	term.awaitCursorRow("What does the log of day 2 say?")
	term.typeText("G")
	term.awaitCursorRow("▸ compacted", "turns 11–41")

	term.searchFor(sighting(summarised), "summarized", sighting(summarised))
	term.closeView(" match ")
	term.searchFor(sighting(masked), "shortened", "completed earlier (ok)", sighting(masked))
	term.closeView(" match ")
	term.press("enter")
	term.awaitCursorRow("watch 7 of day 26", "The whole text: recall", sighting(masked)) // the stub has no more than its ends
	term.closeView("recall")
	term.typeText("g}")
	term.press("enter")
	term.awaitCursorRow("Know what the logbooks say (t0)", "Turns 0–9", "day-1.txt (t1)")
	term.searchFor(sighting(7)+" clipboard", "day-7.txt")
	term.closeView(" match ")
	term.press("enter")
	term.awaitCursorRow("␛]52;c;UFdORUQ=␇")
	if found := unexpectedSequences(term.written()[from:]); len(found) > 0 {
		t.Errorf("the terminal received %v", found)
	}
	for _, at := range []size{{20, 6}, {200, 60}, {71, 16}, high} {
		term.resize(at)
		term.wait("history of this size", func(s screen) bool {
			w, h := s.size()
			return w == at.w && h == at.h && strings.HasPrefix(strings.TrimLeft(s.row(0), " "), "History") && s.gaugeShare() != "" && s.cursorRow() != ""
		})
	}
	term.press("ctrl+t")
	term.awaitIdle("This is reply 1.")
}

func TestCompactionUnderTheCursorIsUndoneAndRedone(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	term, id := p.openCompacted(s, defaultSize)
	compacted := p.nextMessages(id)
	made := term.openHistory()
	for _, c := range []struct {
		turn  int
		badge string
	}{{masked, "shortened"}, {summarised, "summarized"}} {
		term.searchFor(sighting(c.turn), c.badge)
		term.closeView(" match ")
		term.typeText("u")
		term.awaitText("sent in full")
		undone := term.wait("fuller gauge", func(s screen) bool { return s.gaugePercent(t) > made.gaugePercent(t) })
		if next := p.nextMessages(id); !containText(next, sighting(c.turn)) {
			t.Errorf("after the undo the model does not see what was %s", c.badge)
		}
		term.typeText("r")
		term.awaitCursorRow(c.badge)
		term.wait("gauge as it was", func(s screen) bool {
			return s.gaugeShare() == made.gaugeShare() && s.gaugeShare() != undone.gaugeShare()
		})
		if diff := cmp.Diff(compacted, p.nextMessages(id)); diff != "" {
			t.Errorf("after the redo something else is sent (-before +after):\n%.2000s", diff)
		}
	}
	term.typeText("q")
	term.awaitIdle()
	term.converseUntil("and now?", 2)
	checkSent(t, s.request(1), compacted, "and now?")
}

func TestMessagesArePinnedAndMaskedInTheHistory(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, replyNumber(1), replyNumber(2))
	term, id := p.openCompacted(s, defaultSize)
	compacted := p.nextMessages(id)
	term.openHistory()
	for _, turn := range []int{summarised, masked} {
		term.searchFor(sighting(turn))
		term.closeView(" match ")
		term.typeText("p")
		term.awaitCursorRow("pinned")
		term.awaitText("pinned: always sent in full")
		if !containText(p.nextMessages(id), sighting(turn)) {
			t.Errorf("the result of turn %d is pinned, and not sent", turn)
		}
	}
	term.typeText("p")
	term.awaitCursorRow("shortened")
	term.awaitText("unpinned")
	term.searchFor(sighting(verbatim), sighting(verbatim))
	term.closeView(" match ")
	term.typeText("m")
	term.awaitCursorRow("shortened")
	term.awaitText("shortened: the model no longer sees the result")
	next := p.nextMessages(id)
	if !containText(next, sighting(summarised)) || containText(next, sighting(masked)) || containText(next, sighting(verbatim)) {
		t.Error("the sent results are not exactly the pinned ones")
	}
	if len(next) <= len(compacted) {
		t.Errorf("with a pin inside the summary %d messages are sent, before %d", len(next), len(compacted))
	}
	term.typeText("q")
	term.awaitIdle()
	term.converseUntil("and now?", 2)
	checkSent(t, s.request(1), next, "and now?")
	term.slashCommand("/ledger")
	term.awaitText("turn 51, 1 ", "pin ended: e107, e108", "pinned e107, e108", "pinned e19, e20")
}
