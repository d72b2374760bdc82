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

// Automatic compaction by the presets of other designs, and without a user.

func TestAutoCompactionOfJCLISavesTheTranscript(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newCounter(t, 2*shortAnswer)
	id := p.voyage(12)
	term := p.start(tall, s.args("--model", largeModel, "--cfg", "compaction.preset=jcli", "--cfg", "compaction.token_threshold=15500", "-r", id)...)
	term.idle("Day 11 was quiet.")
	held := term.askUntil(1, waits) - 1
	s.await("request for a summary", 1, summary)
	path := p.transcript()
	sent := s.all(talk)
	if len(sent) != held-1 || held < 2 {
		t.Fatalf("%d messages were sent, and message %d is held", len(sent), held)
	}
	p.showsPlaceholders(sent[0].body) // these are enough at first
	s.open()
	term.idle(" at the threshold: ", "1 summary", said(held))
	last := s.await("answer behind the summary", held, talk).body.read(t)
	if len(last) != 4 || last[1].Content != "[Conversation compressed. Transcript: "+path+"]\n\n"+summaryOfVoyage || last[3].Content != question(held) {
		t.Errorf("behind the summary the request says %q", last[1:])
	}
	p.checkLog("micro_compact triggered", "auto_compact triggered", "Transcript saved: "+path)
}

// showsPlaceholders checks that of twelve results all but the newest ten are
// lines.
func (p *place) showsPlaceholders(r request) {
	p.t.Helper()
	for n := range 12 {
		got := r.result(p.t, fmt.Sprintf("call-%d", n))
		if want := logbook(n); n >= 2 && got != want || n < 2 && got != "[Previous: used read_file]" {
			p.t.Errorf("result %d is shown as %.100q", n, got)
		}
	}
}

// transcript is the path of the one transcript that was saved, which only the
// user may read and holds the messages.
func (p *place) transcript() string {
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

// checkLog checks that the log has words.
func (p *place) checkLog(words ...string) {
	p.t.Helper()
	logs := p.logs()
	for _, w := range words {
		if !strings.Contains(logs, w) {
			p.t.Errorf("the log does not say %q", w)
		}
	}
}

func TestAutoCompactionInAScriptThatAsksOnAndOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newCounter(t, 2*shortAnswer)
	s.open()
	const turns = 24
	notes := 0
	for n := 1; n <= turns; n++ {
		args := []string{"ask", question(n)}
		if n > 1 {
			args = []string{"ask", "-c", question(n)}
		}
		code, out, note := p.runs(s.args(args...)...)
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
	kinds := p.overlays(p.newest(p.store()))
	if answered := len(s.all(talk)); notes < 1 || notes > len(s.all(summary)) || answered != turns {
		t.Errorf("%d questions were answered, %d summaries asked for, and standard error says so %d times", answered, len(s.all(summary)), notes)
	}
	if want := slices.Repeat([]conversation.Kind{conversation.KindSummary}, max(3, notes, len(kinds))); !slices.Equal(kinds, want) {
		t.Errorf("standard error speaks of %d summaries, and there are %v", notes, kinds)
	}
	for n, a := range s.all(func(asked) bool { return true }) {
		if a.refused || a.tokens > smallWindow {
			t.Errorf("request %d had %d tokens", n, a.tokens)
		}
	}
	p.checkPrinted(turns, 2*shortAnswer)
	p.checkStored()
}
