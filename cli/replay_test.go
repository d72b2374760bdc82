package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

// replayed is the part of `replay --json` that tests check.
type replayed struct {
	Corpus struct{ Files, Requests, References int }
	Files  []struct {
		Name     string
		Requests int
		Error    *string
		Problems []struct {
			Line   *int
			Reason string
		}
	}
	Totals map[string]map[string]any
}

// replay runs the command with --json and expects an exit code.
func (d commandLine) replay(want int, stdin io.Reader, args ...string) (r replayed, stderr string) {
	d.t.Helper()
	code, out, stderr := d.run(d.t.Context(), stdin, append([]string{"replay", "--json"}, args...)...)
	if code != want {
		d.t.Fatalf("%v: exit code %d, not %d: %s", args, code, want, stderr)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		d.t.Fatal(err)
	}
	for _, totals := range r.Totals {
		delete(totals, "ns_per_request")
	}
	return r, stderr
}

// jsonMessage is a message of a recording, as a line of JSON.
func jsonMessage(role, text string) string {
	return fmt.Sprintf("{\"role\":%q,\"content\":%q}\n", role, text)
}

// The figures of a conversation are the same from a file and from the store. Cut results are replayed in full, with the system
// prompt and without compactions.
func TestReplayMeasuresStoredConversationsAsTheirRecordings(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t)
	var b strings.Builder
	b.WriteString(jsonMessage("system", "Always look at pkg/first_file.go"))
	for i := range 6 {
		b.WriteString(jsonMessage("user", fmt.Sprintf("look at file_%d.go", i)))
		fmt.Fprintf(&b, `{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"file_%d.go\"}"}}]}`+"\n", i, i)
		fmt.Fprintf(&b, `{"role":"tool","tool_call_id":"c%d","content":%q}`+"\n", i, fmt.Sprintf("func nameOfFunction%d() {}\n", i)+strings.Repeat("lorem ipsum ", 4000)+fmt.Sprintf("lastOfFile%d", i))
		b.WriteString(jsonMessage("assistant", fmt.Sprintf("nameOfFunction%d is in file_%d.go, lastOfFile%d ends it, as pkg/first_file.go", i, i, i)))
	}
	want, _ := d.replay(0, strings.NewReader(b.String()), "-", "--all", "--window", "60k")
	if raw, cut := want.Totals["raw"], want.Totals["truncate"]; raw["recall_tool"] != 1.0 || cut["prefix_breaks"] == 0.0 {
		t.Fatalf("nothing happens that could differ: raw %v, truncate %v", raw["recall_tool"], cut["prefix_breaks"])
	}
	id := strings.TrimSpace(d.mustRun(b.String(), "import", "-"))
	d.mustRun("", "compact", id, "--keep-last", "1")
	document := filepath.Join(d.dir, "talk.json")
	d.mustRun("", "export", id, "-o", document)
	for _, input := range []string{id, "newest", document} {
		got, _ := d.replay(0, nil, input, "--all", "--window", "60k")
		if diff := cmp.Diff(want.Totals, got.Totals); diff != "" {
			t.Errorf("%s (-recording +this):\n%s", input, diff)
		}
	}
}

// No request contains turns that a rewind removed: the replay is that of a conversation without them.
func TestReplayLeavesOutRewoundTurns(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t)
	turn := func(n int) []conversation.Body {
		return []conversation.Body{
			conversation.UserMessage{Text: fmt.Sprintf("You must look at pkg/file_%d.go", n)},
			conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: fmt.Sprintf("call_%d", n), Name: "read_file", Arguments: "{}"}}, Stop: conversation.StopCalls},
			conversation.ToolResult{CallID: fmt.Sprintf("call_%d", n), Tool: "read_file", Status: conversation.ResultOK,
				Text: fmt.Sprintf("func nameOfFunction%d() {}", n) + strings.Repeat(" lorem ipsum", 100*n)},
			conversation.AssistantMessage{Text: fmt.Sprintf("nameOfFunction%d is in pkg/file_%d.go", n, n), Stop: conversation.StopEnd},
		}
	}
	rewind := conversation.Rewind{Origin: conversation.Origin{Source: conversation.SourceManual}, Turn: 2}
	last := conversation.AssistantMessage{Text: "as nameOfFunction1 and nameOfFunction3 do", Stop: conversation.StopEnd}
	end := []conversation.Body{conversation.UserMessage{Text: "and now?"}, last}
	never := d.document("never", turn(1), turn(2), turn(4), end)
	rewound := d.document("rewound", turn(1), turn(2), turn(3), []conversation.Body{rewind}, turn(4), end)
	restored := d.document("restored", turn(1), turn(2), turn(3), []conversation.Body{rewind, conversation.Revert{Event: 13}}, turn(4), end)

	want, _ := d.replay(0, nil, never, "--all", "--window", "6k")
	if want.Corpus.Requests != 7 {
		t.Fatalf("%d requests, want two of each turn and the last", want.Corpus.Requests)
	}
	stored := strings.TrimSpace(d.mustRun("", "import", rewound))
	for _, input := range []string{rewound, stored} {
		got, _ := d.replay(0, nil, input, "--all", "--window", "6k")
		if diff := cmp.Diff(want.Totals, got.Totals); diff != "" || got.Corpus != want.Corpus {
			t.Errorf("%s comes to %+v, not to %+v (-never said +this):\n%s", input, got.Corpus, want.Corpus, diff)
		}
	}
	if got, _ := d.replay(0, nil, restored, "--preset", "raw"); got.Corpus.Requests != 9 || got.Corpus.References <= want.Corpus.References {
		t.Errorf("with the rewind undone the result is %+v", got.Corpus)
	}
}

// A configured key overrides the rules of a replay.
func TestReplayUsesTheConfiguredRules(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t)
	file := jsonMessage("user", "go") + `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]}` + "\n" +
		fmt.Sprintf(`{"role":"tool","tool_call_id":"a","content":%q}`, "early/name.go "+strings.Repeat("x ", 20_000)+"late/name.go") + "\n" +
		jsonMessage("assistant", "early/name.go and late/name.go")
	for set, want := range map[string][2]float64{ // recall and recoverable, without what markers name
		"tool_results={max_chars: 1000, keep_full: true}":    {0.5, 1},
		"tool_results={max_chars: 1000, keep_full: false}":   {0.5, 0},
		"tool_results={max_chars: 50_000, keep_full: false}": {1, 1},
	} {
		got, _ := d.replay(0, strings.NewReader(file), "-", "--preset", "configured", "--cfg", set, "--prices", "anthropic-5m")
		f := got.Totals["configured"]
		if f["recall_in_place"] != want[0] || f["recoverable"] != want[1] {
			t.Errorf("%s: recall %v, recoverable %v", set, f["recall_in_place"], f["recoverable"])
		}
		if costs := got.Totals["configured"]["cost"].(map[string]any); len(costs) != 1 {
			t.Errorf("billed by %v", costs)
		}
	}
}

// document writes a document with these events into the folder and returns its path.
func (d commandLine) document(name string, parts ...[]conversation.Body) string {
	d.t.Helper()
	var l conversation.Log
	for _, bodies := range parts {
		if err := l.Commit(l.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), bodies...)); err != nil {
			d.t.Fatal(err)
		}
	}
	doc := struct {
		Plimsoll int               `json:"plimsoll"`
		Events   []json.RawMessage `json:"events"`
	}{Plimsoll: 1}
	for _, e := range l.Events() {
		data, err := conversation.Marshal(e)
		if err != nil {
			d.t.Fatal(err)
		}
		doc.Events = append(doc.Events, data)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		d.t.Fatal(err)
	}
	path := filepath.Join(d.dir, name+".json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// Tuning finds that a conversation with long pauses is cheaper with a lower cold step, and writes that.
func TestReplayTunesTheColdStep(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t)
	var file strings.Builder
	for i := range 40 {
		at := int64(1767323045000) + int64(i)*2*time.Hour.Milliseconds()
		fmt.Fprintf(&file, "{\"role\":\"user\",\"content\":%q,\"ts\":%d}\n{\"role\":\"assistant\",\"content\":\"Fine so far.\",\"ts\":%d}\n",
			string(rune('a'+i%26))+strings.Repeat(" word", 3000), at, at+1000)
	}
	recordings := t.TempDir()
	record := func(name string) (path string) {
		path = filepath.Join(recordings, name+".jsonl")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(file.String(), "Fine", "Fine "+name)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := record("0")
	if out := d.mustRun("", "replay", one, "--tune", "--yes", "--prices", "anthropic-5m"); !strings.Contains(out, "1 conversation: too few") || strings.Contains(out, "Written") {
		t.Errorf("tuning by one conversation says:\n%s", out)
	}
	for i := range 9 {
		record(strconv.Itoa(1 + i))
	}
	out := d.mustRun("", "replay", recordings, "--tune", "--yes", "--prices", "anthropic-5m")
	if !strings.Contains(out, "* cold 0.3") || !strings.Contains(out, "    cold: 0.3\n") {
		t.Errorf("tuning says:\n%s", out)
	}
	_, after, _ := strings.Cut(out, "Written to ~")
	path, _, _ := strings.Cut(after, ".\n")
	written, err := os.ReadFile(filepath.Join(d.dir, path))
	if err != nil || !strings.Contains(string(written), "cold: 0.3") {
		t.Errorf("written: %q, %v", written, err)
	}
	if code, _, stderr := d.run(t.Context(), nil, "replay", one, "--tune", "--json"); code != 2 || !strings.Contains(stderr, "--tune") {
		t.Errorf("--tune with --json: exit code %d, %s", code, stderr)
	}
}
