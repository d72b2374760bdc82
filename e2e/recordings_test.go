package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The same test for any recording: the one made by these tests, and the largest in the folder of PLIMSOLL_TRANSCRIPTS. The
// expected values come only from the program's own output.

// recordingsVariable names a folder with recordings of other programs.
const recordingsVariable = "PLIMSOLL_TRANSCRIPTS"

// recordings returns the recordings to test, by name.
func recordings(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{"made here": recording(t)}
	dir := os.Getenv(recordingsVariable)
	if dir == "" {
		return all
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s=%s holds no *.jsonl: %v", recordingsVariable, dir, err)
	}
	largest, size := "", int64(-1)
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > size {
			largest, size = f, info.Size()
		}
	}
	if all[filepath.Base(largest)], err = os.ReadFile(largest); err != nil {
		t.Fatal(err)
	}
	return all
}

// printedMessage is a line of `print --json`.
type printedMessage struct {
	Role, Content string
	State         string   `json:"x_state"`
	Events        []uint64 `json:"x_events"`
}

// storedMessages lists the messages of a conversation, with the state of each.
func (p *sandbox) storedMessages(id string) []printedMessage {
	p.t.Helper()
	var out []printedMessage
	from := json.NewDecoder(bytes.NewReader(p.output("print", id, "--json")))
	for from.More() {
		var m printedMessage
		if err := from.Decode(&m); err != nil {
			p.t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

var phrases = regexp.MustCompile(`[A-Za-z0-9_.]{5,}(?: [A-Za-z0-9_.]{2,}){1,4}`)

// hiddenPhrase returns a phrase of a result in a state, and the result's event. No other message and no sent message contains
// it.
func hiddenPhrase(said []printedMessage, next []sentMessage, state string) (phrase string, event uint64) {
	for _, m := range said {
		if m.Role != "tool" || m.State != state || len(m.Events) != 1 {
			continue
		}
		for _, phrase := range phrases.FindAllString(m.Content, -1) {
			times := 0
			for _, other := range said {
				if strings.Contains(strings.ToLower(other.Content), strings.ToLower(phrase)) {
					times++
				}
			}
			if times == 1 && !containText(next, phrase) {
				return phrase, m.Events[0]
			}
		}
	}
	return "", 0
}

func TestImportedRecordingsAreCompactedAndSent(t *testing.T) {
	t.Parallel()
	for name, recorded := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkRecording(t, recorded)
		})
	}
}

// checkRecording imports a recording, masks and then summarises it, and checks that the history shows what is sent.
func checkRecording(t *testing.T, recorded []byte) {
	p := newSandbox(t, map[string]string{"log.txt": logbook(1)})
	s := newServer(t, callReply("c1", "read_file", object{"path": "log.txt"}), replyNumber(1), replyNumber(2), replyNumber(3))
	s.scriptSummaries(summaryReply(openGate()))
	flags := append(s.flags(), "--window", "4000000", "--cfg", "compaction.auto.enabled=false")
	id := p.importRecording(recorded)
	term := p.start(defaultSize, append(flags, "-r", id)...)
	term.awaitIdle()
	from := term.startupLen()
	term.converseUntil("how is the wind?", 1)
	term.slashCommand("/compact --keep-last 2")
	made := term.awaitIdle("Compacted turn")
	next := p.nextMessages(id)
	term.converseUntil("and now?", 2)
	checkSent(t, s.request(2), next, "and now?")

	phrase, event := hiddenPhrase(p.storedMessages(id), next, "masked")
	if phrase == "" {
		t.Fatal("nothing is masked")
	}
	term.openHistory()
	term.searchFor(strconv.Quote(phrase), "shortened", fmt.Sprintf(" e%d ", event))
	term.closeView(" match ")
	term.typeText("p")
	term.awaitCursorRow("pinned")
	if !containText(p.nextMessages(id), phrase) {
		t.Errorf("%q is pinned, and not sent", phrase)
	}
	term.typeText("p")
	term.awaitCursorRow("shortened")
	before := p.nextMessages(id)
	term.typeText("u")
	term.wait("row that is not masked", func(s screen) bool { return s.cursorRow() != "" && !strings.Contains(s.cursorRow(), "shortened") })
	if !containText(p.nextMessages(id), phrase) {
		t.Errorf("the compaction was undone, and %q is not sent", phrase)
	}
	term.typeText("r")
	term.awaitCursorRow("shortened")
	if diff := cmp.Diff(before, p.nextMessages(id)); diff != "" {
		t.Errorf("after the redo something else is sent (-before +after):\n%.2000s", diff)
	}
	term.typeText("q")
	term.awaitIdle()
	term.slashCommand("/summarize --from 1 --keep-last 1")
	term.wait("summary", func(s screen) bool { return s.has("▎ kept: ") && !s.busy() && s.frameFault() == "" })
	next = p.nextMessages(id)
	term.converseUntil("and after the summary?", 3)
	checkSent(t, s.request(3), next, "and after the summary?")
	for _, what := range unexpectedSequences(term.written()[from:]) {
		t.Errorf("the terminal received %s", what)
	}
	term.openHistory()
	term.showNewestRequest(s)
	for at := s.requestCount() - 1; at >= 0; at-- {
		term.awaitText("as sent in request ", "byte for byte as sent ✓", commas(len(s.request(at)))+" bytes")
		if got := string(p.output("print", id, "--request", strconv.Itoa(at-s.requestCount()))); got != s.request(at) {
			t.Errorf("print --request writes %d bytes that are not the %d that were sent", len(got), len(s.request(at)))
		}
		term.typeText("[")
	}
	if made.gaugeShare() == "" {
		t.Errorf("there is no gauge:\n%s", made.text)
	}
}
