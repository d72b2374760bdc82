package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/cli/console"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
)

const hostile = "\x1b]52;c;aGk=\x07 \x1b[2J \u009b31m \u202eabc\u2066 \x7f \r\n\u2028 \U000e0041 日本"

func TestJSONHasNoControlCharactersAndLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.Just(hostile), rapid.String()).Draw(t, "text")
		var b bytes.Buffer
		if err := console.WriteLine(&b, map[string]string{"text": text}); err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(conversation.Clean(text), conversation.Clean(back["text"])); diff != "" {
			t.Errorf("decoded to something else (-want +got):\n%s", diff)
		}
		line := strings.TrimSuffix(b.String(), "\n")
		for _, r := range line {
			if s := string(r); plain.Text(s) != s || r == '\n' {
				t.Fatalf("%U reached the output: %q", r, line)
			}
		}
	})
}

// The test reads the output of commands from the other end of a pseudo-terminal.
func TestHostileTextNeverReachesATerminal(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	storeHostile(t, data)
	for _, args := range [][]string{{"print"}, {"print", "--json"}, {"print", "--compacted"}, {"list"}, {"list", "--json"},
		{"context"}, {"context", "--json"}, {"config", "path"}, {"doctor"},
		{"export"}, {"export", "--format", "json"}, {"export", "--format", "jsonl"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			got := onTerminal(t, append(args, "--data", data))
			for _, bad := range []string{"\x1b", "\x07", "\u009b", "\u202e", "\u2066", "\x7f"} {
				if strings.Contains(got, bad) {
					t.Errorf("%q reached the terminal: %q", bad, got)
				}
			}
			if args[0] == "print" && !strings.Contains(got, "日本") {
				t.Errorf("the text itself is missing: %q", got)
			}
		})
	}
}

func storeHostile(t *testing.T, data string) {
	t.Helper()
	s, err := storage.Open(data, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	w, err := s.Create(t.Context(), storage.NewConversation{Workspace: "/tmp/" + hostile})
	if err != nil {
		t.Fatal(err)
	}
	var log conversation.Log
	events := log.Prepare(time.Now(),
		conversation.ModelChanged{Provider: "custom", Model: hostile},
		conversation.UserMessage{Text: hostile},
		conversation.AssistantMessage{Text: hostile, Reasoning: hostile, Stop: conversation.StopCalls, Model: "custom/" + hostile,
			Calls: []conversation.ToolCall{{ID: "c1", Name: hostile, Arguments: `{"a":"` + "\u009b\u202e" + `"}`}}},
		conversation.ToolResult{CallID: "c1", Tool: hostile, Status: conversation.ResultOK, Text: hostile},
		conversation.Renamed{Title: hostile, By: "user"})
	if err := w.Append(t.Context(), events); err != nil {
		t.Fatal(err)
	}
}

// onTerminal runs a command whose standard output is a pseudo-terminal, and returns its output.
func onTerminal(t *testing.T, args []string) string {
	t.Helper()
	return onTerminalIn(t, t.TempDir(), args)
}

// onTerminalIn is onTerminal in a folder that other commands ran in.
func onTerminalIn(t *testing.T, home string, args []string) string {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	env := map[string]string{"HOME": home, "PLIMSOLL_NO_PROBE": "1", "TERM": "xterm"}
	read := make(chan string, 1)
	go func() {
		data, _ := io.ReadAll(master) // ends with an error when the terminal is closed
		read <- string(data)
	}()
	var stderr bytes.Buffer
	code := Run(t.Context(), console.Env{Args: args, Dir: home, Stdin: strings.NewReader(""), Stdout: tty, Stderr: &stderr, Version: "test",
		Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	if err := tty.Close(); err != nil {
		t.Error(err)
	}
	got := <-read
	if err := master.Close(); err != nil {
		t.Error(err)
	}
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	return got
}
