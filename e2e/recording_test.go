package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A recording is a long conversation of another program, as JSONL: calls with large results, reasoning, wide characters and
// control sequences. The tests import it as users do.

// turnsRecorded is the number of turns of a recording; its results are logbooks.
const turnsRecorded = 60

// roomy sets a window that is larger than a recording, and turns automatic compaction off.
var roomy = []string{"--window", "80000", "--cfg", "compaction.auto.enabled=false"}

// turnCut is the turn whose result is so long that the import cuts it. The cut text contains its sighting.
const turnCut = 11

// sighting is a text that only the result of one turn contains.
func sighting(turn int) string { return fmt.Sprintf("sighting-%d-kraken", turn) }

// recording is a conversation as JSONL.
func recording(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	add := func(line object) {
		if err := to.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	add(object{"meta": object{"title": "Voyage of the Beagle 航海", "model": "someone/else", "client": "another"}})
	for n := range turnsRecorded {
		for _, line := range turnRecorded(n) {
			line["ts"] = 1_760_000_000_000 + int64(n)*60_000
			add(line)
		}
	}
	return out.Bytes()
}

func turnRecorded(n int) []object {
	id := fmt.Sprintf("rec-%d", n)
	ask, tell := fmt.Sprintf("What does the log of day %d say?", n), fmt.Sprintf("Day %d was quiet.", n)
	args := fmt.Sprintf(`{"path":"day-%d.txt"}`, n)
	lines := strings.SplitAfter(logbook(n), "\n")
	result := strings.Join(lines[:8], "") + sighting(n) + "\n" + strings.Join(lines[8:16], "")
	switch n % 10 {
	case 3:
		ask, tell = fmt.Sprintf("%d日目の航海日誌には何と書いてありますか？", n), fmt.Sprintf("%d日目：西の風、**船影なし**。漢字かな交じり文。", n)
	case 5:
		ask, result = ask+" 👩‍👩‍👧‍👦 🇩🇪 👍🏽", result+"⛵ 🌊🌊🌊 é̂ 한국어\n"
	case 7:
		ask, tell, result = ask+"\n"+hostile, tell+"\n"+hostile, hostile+"\n"+result
	case 9:
		result = strings.Repeat(logbook(n), 2) + result
	}
	if n == turnCut {
		result = strings.Repeat(logbook(n), 8) + sighting(n) + "\n" + strings.Repeat(logbook(n), 8)
	}
	call := object{"id": id, "type": "function", "function": object{"name": "read_file", "arguments": args}}
	return []object{
		{"role": "user", "content": ask},
		{"role": "assistant", "content": "I look it up.", "reasoning_content": fmt.Sprintf("Day %d is in its own file.", n), "tool_calls": []object{call}},
		{"role": "tool", "tool_call_id": id, "name": "read_file", "content": result},
		{"role": "assistant", "content": tell},
	}
}

// importRecording imports a recording, and returns the ID of the conversation.
func (p *sandbox) importRecording(recorded []byte) string {
	p.t.Helper()
	file := filepath.Join(p.root, "recorded.jsonl")
	if err := os.WriteFile(file, recorded, 0o600); err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(p.output("import", file)))
}

// openRecording opens a recording in a terminal, with a window that is larger than it.
func (p *sandbox) openRecording(s *server, at size, more ...string) (term *terminal, id string) {
	p.t.Helper()
	id = p.importRecording(recording(p.t))
	term = p.start(at, append(s.flags(append(roomy, more...)...), "-r", id)...)
	term.awaitIdle(fmt.Sprintf("Day %d was quiet.", turnsRecorded-1))
	return term, id
}

// sentMessage is a message of a request, with all fields that the tests compare.
type sentMessage struct {
	Role    string     `json:"role"`
	Content string     `json:"content"`
	CallID  string     `json:"tool_call_id"`
	Calls   []sentCall `json:"tool_calls"`
}

type sentCall struct {
	ID, Type string
	Function struct{ Name, Arguments string }
}

func parseMessages(t testing.TB, body string) []sentMessage {
	t.Helper()
	var r struct{ Messages []sentMessage }
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
	return r.Messages
}

// nextMessages returns the messages that the next request will contain, from `print --compacted`.
func (p *sandbox) nextMessages(id string, more ...string) []sentMessage {
	p.t.Helper()
	var out []sentMessage
	from := json.NewDecoder(bytes.NewReader(p.output(append([]string{"print", id, "--compacted", "--json"}, more...)...)))
	for from.More() {
		var m sentMessage
		if err := from.Decode(&m); err != nil {
			p.t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// checkSent checks that a request contains the messages of nextMessages and one user message after them.
func checkSent(t testing.TB, body string, next []sentMessage, said string) {
	t.Helper()
	if diff := cmp.Diff(append(next[:len(next):len(next)], sentMessage{Role: "user", Content: said}), parseMessages(t, body)); diff != "" {
		t.Errorf("the request is not what print --compacted said (-said +sent):\n%.3000s", diff)
	}
}

var clipped = regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]*)(?:\x07|\x1b\\)`)

// awaitCopies runs act and returns the first n texts that it copies to the clipboard.
func (t *terminal) awaitCopies(n int, act func()) []string {
	t.t.Helper()
	from := len(t.written())
	act()
	var found [][]string
	t.wait(fmt.Sprintf("%d texts in the clipboard", n), func(screen) bool {
		found = clipped.FindAllStringSubmatch(t.written()[from:], n)
		return len(found) == n
	})
	out := make([]string, n)
	for i, m := range found {
		text, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			t.t.Fatal(err)
		}
		out[i] = string(text)
	}
	return out
}
