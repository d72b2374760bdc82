package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/cli"
	"plimsoll/cli/console"
)

// programFolder runs the program in its own folders.
type programFolder struct {
	t   *testing.T
	dir string
}

func newProgramFolder(t *testing.T, files map[string]string) programFolder {
	h := programFolder{t: t, dir: t.TempDir()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h programFolder) run(args ...string) (out, errs string) {
	h.t.Helper()
	out, errs, code := h.runAny(args...)
	if code != 0 {
		h.t.Fatalf("plimsoll %s ended with %d:\n%s", strings.Join(args, " "), code, errs)
	}
	return out, errs
}

func (h programFolder) runAny(args ...string) (out, errs string, code int) {
	env := map[string]string{"HOME": h.dir, "PLIMSOLL_NO_PROBE": "1", "TERM": "dumb"}
	var stdout, stderr bytes.Buffer
	code = cli.Run(h.t.Context(), console.Env{
		Args: args, Lookup: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
		Dir: h.dir, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Version: "test",
	})
	return stdout.String(), stderr.String(), code
}

// checkRebuilt rebuilds all requests of a conversation and compares them with those that a server received.
func (h programFolder) checkRebuilt(id string, sent []string) {
	h.t.Helper()
	for i, want := range sent {
		number := itoa(i + 1)
		out, errs := h.run("print", id, "--request", number)
		if d := cmp.Diff(want, out); d != "" {
			h.t.Errorf("request %s (-sent +made again)\n%s", number, d)
		}
		if !strings.Contains(errs, "request "+number+": byte for byte what was sent to custom/test-model at ") {
			h.t.Errorf("request %s: it says %q", number, errs)
		}
		if back, _ := h.run("print", id, "--request", itoa(i-len(sent))); back != out {
			h.t.Errorf("request %s is another one counted from the end", number)
		}
	}
	if _, errs, code := h.runAny("print", id, "--request", itoa(len(sent)+1)); code != 1 || !strings.Contains(errs, "there is no request") {
		h.t.Errorf("one request more: %d, %s", code, errs)
	}
}

func itoa(n int) string { data, _ := json.Marshal(n); return string(data) } // a number always encodes

// conversationOf holds a conversation with tools, refused parameters and compactions, and returns the bodies of its requests.
func (h programFolder) conversationOf(s *scriptedServer) (sent []string) {
	base := []string{"--base-url", s.URL + "/v1", "--window", "32k"}
	ask := func(args ...string) {
		h.t.Helper()
		h.run(append(append([]string{"ask"}, args...), base...)...)
	}
	ask("what is in a.txt?") // an error, then a call and its result
	ask("-c", "and in b.txt, and nowhere?")
	ask("--compact=light", "go on, with \u2028 < & >")
	before := s.count()
	h.run(append([]string{"compact", "--profile", "heavy", "--keep-last", "1"}, base...)...)
	summaries := s.count() - before
	ask("-c", "and now?")
	h.run("compact", "--undo")
	ask("-c", "without the summary?")
	h.run("compact", "--keep-last", "0")
	ask("-c", "and with stubs?")
	bodies := strings.Split(strings.TrimSuffix(s.bodies(), "\n"), "\n")
	return append(bodies[1:before:before], bodies[before+summaries:]...)
}

func newToolServer(t *testing.T) *scriptedServer {
	read := func(id, path string) scriptedCall {
		return scriptedCall{ID: id, Name: "read_file", Args: json.RawMessage(`{"path":"` + path + `"}`)}
	}
	usage := json.RawMessage(`{"prompt_tokens":900,"completion_tokens":20,"total_tokens":920}`)
	s := newScriptedServer(serverScript{Replies: []scriptedReply{
		{Status: http.StatusBadRequest, Body: json.RawMessage(`{"error":{"message":"Unrecognized request argument supplied: stream_options"}}`)},
		{Reasoning: "look first", Calls: []scriptedCall{read("c1", "a.txt")}},
		{Text: "It holds the first text.", Usage: usage},
		{Text: "Two at once.", Calls: []scriptedCall{read("c2", "b.txt"), read("same", "none.txt")}},
		{Calls: []scriptedCall{read("same", "a.txt")}, Usage: usage},
		{Text: "Read."},
		{Text: "Went on.", Usage: usage},
		{Text: strings.Repeat("They looked at a.txt and b.txt; a.txt holds the first text. Nothing else was decided. ", 10)},
		{Text: "Now this."},
	}})
	t.Cleanup(s.Close)
	return s
}

func TestEveryRequestIsRebuiltByteForByte(t *testing.T) {
	t.Parallel()
	h := newProgramFolder(t, map[string]string{"a.txt": strings.Repeat("the first text\n", 300), "b.txt": strings.Repeat("второй текст\n", 9000)})
	sent := h.conversationOf(newToolServer(t))
	if len(sent) != 9 {
		t.Fatalf("%d requests for replies", len(sent))
	}
	list, _ := h.run("list", "--json")
	var found []struct{ ID string }
	if err := json.Unmarshal([]byte(list), &found); err != nil || len(found) != 1 {
		t.Fatalf("%v: %s", err, list)
	}
	h.checkRebuilt(found[0].ID, sent)
	// A copy has the requests from before the copy.
	fork, _ := h.run("fork")
	h.checkRebuilt(strings.TrimSpace(fork), sent)
	// A copy that ends before turn 2 has the requests of turns 0 and 1.
	fork, _ = h.run("fork", found[0].ID, "--turn", "2")
	h.checkRebuilt(strings.TrimSpace(fork), sent[:5])
}
