package e2e_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// Tools of the model for compaction: it requests one, and recalls the result that a stub replaced.

var recallID = regexp.MustCompile(`The whole text: recall (e\d+)`)

func TestModelRecallsTheResultBehindAStub(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t)
	s.script = []reply{
		func(w *wire) { // takes the ID from the stub
			stub := s.parsedRequest(-1).result(t, "call-1")
			id := recallID.FindStringSubmatch(stub)
			if id == nil {
				t.Errorf("the stub names no id: %s", stub)
				w.dropConnection()
			}
			w.call(0, "c1", "recall", object{"id": id[1]})
			w.end("tool_calls", 0, 0)
		},
		textReply("It was quiet."), textReply("Still here."),
	}
	term := p.openVoyage(s, defaultSize)
	term.slashCommand("/compact")
	term.awaitIdle("Compacted turns 1–2   ")
	term.sendMessage("what was the wind on day 1?")
	term.awaitIdle("▸ recall", "It was quiet.")
	got := s.parsedRequest(-1).result(t, "c1")
	if !strings.Contains(got, "read_file") || !strings.Contains(got, logbook(1)) {
		t.Errorf("recall gave %.300q … %.200q", got, got[max(0, len(got)-200):])
	}
	if strings.Contains(got, logbook(0)) || strings.Contains(got, "day 2:") {
		t.Error("recall gave more than was asked for")
	}
	if strings.Contains(s.parsedRequest(-1).result(t, "call-1"), "watch 30") {
		t.Error("the stub is not there any more")
	}
	before := s.parsedRequest(-1)
	term.checkContinues()
	s.parsedRequest(-1).checkExtends(t, before)
}

func TestModelAsksForACompaction(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	gate := make(chan struct{})
	s := newServer(t, callReply("c1", "compact", object{"focus": "the names of ships"}), summaryReply(gate), textReply("Now there is room."), textReply("Still here."))
	term := p.openVoyage(s, wide)
	term.sendMessage("make some room")
	during := term.awaitText("▸ compact the names of ships", optimizing)
	if during.frameFault() != "" || during.has("Compacted turns") {
		t.Errorf("%s:\n%s", during.frameFault(), during.text)
	}
	ask := s.parsedRequest(2)
	request := ask.decode(t)[len(ask.Messages)-1]
	if request.Role != "user" || !strings.Contains(request.Content, "the names of ships") || ask.result(t, "c1") != "Compression requested" {
		t.Errorf("the call was answered with %q, and the summary asked for by %s: %s", ask.result(t, "c1"), request.Role, request.Content)
	}
	ask.checkExtends(t, s.parsedRequest(1))

	close(gate)
	done := term.awaitIdle("Compacted turns 1–3, asked for by the model   ", "Now there is room.")
	if strings.Index(done.text, "asked for by the model") > strings.Index(done.text, "Now there is room.") {
		t.Errorf("the line is in the wrong place:\n%s", done.text)
	}
	last := s.parsedRequest(3)
	if messages := last.decode(t); !strings.Contains(messages[1].Content, summaryOfVoyage) || messages[len(messages)-1].CallID != "c1" {
		t.Errorf("after the summary the request says %.300v", messages)
	}
	if string(last.Tools) != string(ask.Tools) {
		t.Error("the tools are other ones after a summary")
	}
	term.checkContinues()
	s.parsedRequest(-1).checkExtends(t, last)
	if diff := cmp.Diff([]conversation.Kind{conversation.KindSummary}, p.overlayKinds(p.newestConversation(p.openStore()))); diff != "" {
		t.Error(diff)
	}
}

func TestTurnContinuesWhenACompactionRequestedByTheModelFails(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newServer(t, callReply("c1", "compact", object{}), errorReply(400, nil, `{"error":{"message":"UNAVAILABLE"}}`), textReply("Then without."), textReply("Still here."))
	term := p.openVoyage(s, defaultSize)
	term.sendMessage("make some room")
	term.awaitIdle("▸ compact", "no summary was written", "UNAVAILABLE", "Then without.")
	s.parsedRequest(3).checkExtends(t, s.parsedRequest(1))
	term.checkContinues()
	s.parsedRequest(-1).checkExtends(t, s.parsedRequest(3))
}
