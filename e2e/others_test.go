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

// The same way through any recording: the one made here, and the largest of a folder
// that PLIMSOLL_TRANSCRIPTS names. Nothing is known of it but what the program says.

// recordingsVariable names a folder with recordings of other programs.
const recordingsVariable = "PLIMSOLL_TRANSCRIPTS"

// recordings are the recordings to go through, by name.
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

// stated is a line of `print --json`.
type stated struct {
	Role, Content string
	State         string   `json:"x_state"`
	Events        []uint64 `json:"x_events"`
}

// said lists the messages of a conversation, and how the model sees each.
func (p *place) said(id string) []stated {
	p.t.Helper()
	var out []stated
	from := json.NewDecoder(bytes.NewReader(p.prints("print", id, "--json")))
	for from.More() {
		var m stated
		if err := from.Decode(&m); err != nil {
			p.t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

var phrases = regexp.MustCompile(`[A-Za-z0-9_.]{5,}(?: [A-Za-z0-9_.]{2,}){1,4}`)

// unseen is a phrase of a result in a state that is sent nowhere and said once, and
// its event.
func unseen(said []stated, next []spoken, state string) (phrase string, event uint64) {
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
			if times == 1 && !holds(next, phrase) {
				return phrase, m.Events[0]
			}
		}
	}
	return "", 0
}

func TestAnyRecordingIsSeenAndSteered(t *testing.T) {
	t.Parallel()
	for name, recorded := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goThrough(t, recorded)
		})
	}
}

// goThrough imports a recording and goes on with it, compacted by masks and then by a
// summary; what the history shows of it is what is sent.
func goThrough(t *testing.T, recorded []byte) {
	p := newPlace(t, map[string]string{"log.txt": logbook(1)})
	s := newServer(t, calls("c1", "read_file", object{"path": "log.txt"}), replyNumber(1), replyNumber(2), replyNumber(3))
	s.aside(summarises(openGate()))
	flags := append(s.args(), "--window", "4000000", "--cfg", "compaction.auto.enabled=false")
	id := p.imported(recorded)
	term := p.start(usual, append(flags, "-r", id)...)
	term.idle()
	from := term.introduced()
	term.converseUntil("how is the wind?", 1)
	term.command("/compact --keep-last 2")
	made := term.idle("compacted turn")
	next := p.next(id)
	term.converseUntil("and now?", 2)
	promised(t, s.request(2), next, "and now?")

	phrase, event := unseen(p.said(id), next, "masked")
	if phrase == "" {
		t.Fatal("nothing is masked")
	}
	term.browse()
	term.searchFor(strconv.Quote(phrase), "masked", fmt.Sprintf(" e%d ", event))
	term.closeView(" match ")
	term.typed("p")
	term.awaitCursorRow("pinned")
	if !holds(p.next(id), phrase) {
		t.Errorf("%q is pinned, and not sent", phrase)
	}
	term.typed("p")
	term.awaitCursorRow("masked")
	before := p.next(id)
	term.typed("u")
	term.wait("row that is not masked", func(s screen) bool { return s.cursorRow() != "" && !strings.Contains(s.cursorRow(), "masked") })
	if !holds(p.next(id), phrase) {
		t.Errorf("the compaction was undone, and %q is not sent", phrase)
	}
	term.typed("r")
	term.awaitCursorRow("masked")
	if diff := cmp.Diff(before, p.next(id)); diff != "" {
		t.Errorf("after the redo something else is sent (-before +after):\n%.2000s", diff)
	}
	term.typed("q")
	term.idle()
	term.command("/summarize --from 0 --keep-last 1")
	term.wait("summary", func(s screen) bool { return s.has("1 summary") && !s.busy() && s.broken() == "" })
	next = p.next(id)
	term.converseUntil("and after the summary?", 3)
	promised(t, s.request(3), next, "and after the summary?")
	for _, what := range unexpectedSequences(term.written()[from:]) {
		t.Errorf("the terminal received %s", what)
	}
	term.browse()
	term.newest(s)
	for at := s.count() - 1; at >= 0; at-- {
		term.see("as sent in request ", "byte for byte as sent ✓", commas(len(s.request(at)))+" bytes")
		if got := string(p.prints("print", id, "--request", strconv.Itoa(at-s.count()))); got != s.request(at) {
			t.Errorf("print --request writes %d bytes that are not the %d that were sent", len(got), len(s.request(at)))
		}
		term.typed("[")
	}
	if made.used() == "" {
		t.Errorf("there is no gauge:\n%s", made.text)
	}
}
