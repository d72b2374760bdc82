package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/conversation"
)

// Automatic compaction with a preset of another design, and in a script.

func TestAutoCompactionOfJCLISavesTheTranscript(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, 2*shortAnswer)
	id := p.storeVoyage(12)
	term := p.start(tall, s.flags("--model", largeModel, "--cfg", "compaction.preset=jcli", "--cfg", "compaction.token_threshold=15500", "-r", id)...)
	term.awaitIdle("Day 11 was quiet.")
	held := term.askUntil(1, waits) - 1
	s.awaitRequest("request for a summary", 1, isSummary)
	path := p.savedTranscript()
	sent := s.matching(isChat)
	if len(sent) != held-1 || held < 2 {
		t.Fatalf("%d messages were sent, and message %d is held", len(sent), held)
	}
	p.checkPlaceholders(sent[0].body) // these are enough at first
	s.releaseSummaries()
	term.awaitIdle("▎ Compacted turn", "▎ kept: ", endOfAnswer(held))
	last := s.awaitRequest("answer after the summary", held, isChat).body.decode(t)
	if len(last) != 4 || last[1].Content != "[Conversation compressed. Transcript: "+path+"]\n\n"+summaryOfVoyage || last[3].Content != question(held) {
		t.Errorf("after the summary the request has %q", last[1:])
	}
	p.checkLog("micro_compact triggered", "auto_compact triggered", "Transcript saved: "+path)
}

// checkPlaceholders checks that of twelve results all but the newest ten are replaced with one line.
func (p *sandbox) checkPlaceholders(r request) {
	p.t.Helper()
	for n := range 12 {
		got := r.result(p.t, fmt.Sprintf("call-%d", n))
		if want := logbook(n); n >= 2 && got != want || n < 2 && got != "[Previous: used read_file]" {
			p.t.Errorf("result %d is shown as %.100q", n, got)
		}
	}
}

// savedTranscript returns the path of the only saved transcript, and checks its permissions and its text.
func (p *sandbox) savedTranscript() string {
	p.t.Helper()
	paths, err := filepath.Glob(filepath.Join(p.data, "transcripts", "transcript_*.jsonl"))
	if err != nil || len(paths) != 1 {
		p.t.Fatalf("the transcripts are %v, %v", paths, err)
	}
	info, err := os.Stat(paths[0])
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		p.t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || !strings.Contains(string(text), "What happened on day 11?") {
		p.t.Errorf("the transcript has the mode %v and says %.300s", info.Mode(), text)
	}
	return paths[0]
}

func (p *sandbox) checkLog(words ...string) {
	p.t.Helper()
	logs := p.logs()
	for _, w := range words {
		if !strings.Contains(logs, w) {
			p.t.Errorf("the log does not say %q", w)
		}
	}
}

func TestAutoCompactionInAScriptOfManyQuestions(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, 2*shortAnswer)
	s.releaseSummaries()
	const turns = 24
	notes := 0
	for n := 1; n <= turns; n++ {
		args := []string{"ask", question(n)}
		if n > 1 {
			args = []string{"ask", "-c", question(n)}
		}
		code, out, note := p.run(s.flags(args...)...)
		if code != 0 {
			t.Fatalf("question %d: exit code %d\n%s", n, code, note.String())
		}
		if want := answerTo(question(n), 2*shortAnswer) + "\n"; out.String() != want {
			t.Errorf("question %d: standard output says %q", n, out.String())
		}
		if strings.Contains(note.String(), optimizing) {
			notes++
		}
	}
	kinds := p.overlayKinds(p.newestConversation(p.openStore()))
	if answered := len(s.matching(isChat)); notes < 1 || notes > len(s.matching(isSummary)) || answered != turns {
		t.Errorf("%d questions were answered, %d summaries asked for, and standard error says so %d times", answered, len(s.matching(isSummary)), notes)
	}
	if want := slices.Repeat([]conversation.Kind{conversation.KindSummary}, max(3, notes, len(kinds))); !slices.Equal(kinds, want) {
		t.Errorf("standard error speaks of %d summaries, and there are %v", notes, kinds)
	}
	for n, a := range s.matching(func(countedRequest) bool { return true }) {
		if a.refused || a.tokens > smallWindow {
			t.Errorf("request %d had %d tokens", n, a.tokens)
		}
	}
	p.checkPrinted(turns, 2*shortAnswer)
	p.checkStored()
}
