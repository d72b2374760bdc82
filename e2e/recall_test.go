package e2e_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// What the model itself does about compaction: it asks for one, and looks up
// what a stub stands for.

var recallID = regexp.MustCompile(`The whole text: recall (e\d+)`)

func TestModelRecallsWhatAStubStandsFor(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t)
	s.script = []reply{
		func(w *wire) { // reads the id where it stands
			stub := s.sent(-1).result(t, "call-1")
			id := recallID.FindStringSubmatch(stub)
			if id == nil {
				t.Errorf("the stub names no id: %s", stub)
				w.cut()
			}
			w.call(0, "c1", "recall", object{"id": id[1]})
			w.end("tool_calls", 0, 0)
		},
		says("It was quiet."), says("Still here."),
	}
	term := p.aboard(s, usual)
	term.command("/compact")
	term.idle("compacted turns 0–1: ")
	term.say("what was the wind on day 1?")
	term.idle("▸ recall", "It was quiet.")
	got := s.sent(-1).result(t, "c1")
	if !strings.Contains(got, "read_file") || !strings.Contains(got, logbook(1)) {
		t.Errorf("recall gave %.300q … %.200q", got, got[max(0, len(got)-200):])
	}
	if strings.Contains(got, logbook(0)) || strings.Contains(got, "day 2:") {
		t.Error("recall gave more than was asked for")
	}
	if strings.Contains(s.sent(-1).result(t, "call-1"), "watch 30") {
		t.Error("the stub is not there any more")
	}
	before := s.sent(-1)
	term.checkContinues()
	s.sent(-1).extends(t, before)
}

func TestModelAsksForACompaction(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	gate := make(chan struct{})
	s := newServer(t, calls("c1", "compact", object{"focus": "the names of ships"}), summarises(gate), says("Now there is room."), says("Still here."))
	term := p.aboard(s, wide)
	term.say("make some room")
	during := term.see("▸ compact the names of ships", optimizing)
	if during.broken() != "" || during.has("compacted turns") {
		t.Errorf("%s:\n%s", during.broken(), during.text)
	}
	ask := s.sent(2)
	request := ask.read(t)[len(ask.Messages)-1]
	if request.Role != "user" || !strings.Contains(request.Content, "the names of ships") || ask.result(t, "c1") != "Compression requested" {
		t.Errorf("the call was answered with %q, and the summary asked for by %s: %s", ask.result(t, "c1"), request.Role, request.Content)
	}
	ask.extends(t, s.sent(1))

	close(gate)
	done := term.idle("compacted turns 0–2, asked for by the model: ", "1 summary", "Now there is room.")
	if strings.Index(done.text, "asked for by the model") > strings.Index(done.text, "Now there is room.") {
		t.Errorf("the line stands in the wrong place:\n%s", done.text)
	}
	last := s.sent(3)
	if messages := last.read(t); !strings.Contains(messages[1].Content, summaryOfVoyage) || messages[len(messages)-1].CallID != "c1" {
		t.Errorf("after the summary the request says %.300v", messages)
	}
	if string(last.Tools) != string(ask.Tools) {
		t.Error("the tools are other ones after a summary")
	}
	term.checkContinues()
	s.sent(-1).extends(t, last)
	if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary}, p.overlays(p.newest(p.store()))); diff != "" {
		t.Error(diff)
	}
}

func TestTurnGoesOnWhenTheModelsCompactionFails(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, calls("c1", "compact", object{}), status(400, nil, `{"error":{"message":"UNAVAILABLE"}}`), says("Then without."), says("Still here."))
	term := p.aboard(s, usual)
	term.say("make some room")
	term.idle("▸ compact", "no summary was written", "UNAVAILABLE", "Then without.")
	s.sent(3).extends(t, s.sent(1))
	term.checkContinues()
	s.sent(-1).extends(t, s.sent(3))
}
