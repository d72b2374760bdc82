package foreign_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/foreign"
	"plimsoll/conversation/jsonl"
)

// PLIMSOLL_TRANSCRIPTS is a folder of recordings in the form of package jsonl, whose folder foreign has the sessions that they
// were made from.

// counts are the numbers of messages by role, of images, of calls, and of replies with reasoning.
func counts(messages []jsonl.Message) map[string]int {
	n := map[string]int{}
	for _, m := range messages {
		n[string(m.Role)]++
		n["image"] += len(m.Images)
		for _, c := range m.Reply.Calls {
			n["call "+c.Name]++
		}
		if m.Reply.Reasoning != "" {
			n["reasoning"]++
		}
		if m.Result.Status != "" && m.Result.Status != "interrupted" {
			n[fmt.Sprintf("result %s %s", m.Result.Tool, m.Result.Status)]++
		}
		if m.Result.Status == "interrupted" {
			n["tool"]-- // the recording answers a call that the session left open
		}
	}
	return n
}

func TestSamplesAreReadWhole(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("PLIMSOLL_TRANSCRIPTS")
	if folder == "" {
		t.Skip("PLIMSOLL_TRANSCRIPTS names no folder of recordings")
	}
	for file, want := range map[string]struct {
		recording string
		client    foreign.Client
		messages  int // of the recording that are of this session, 0 for all
	}{
		"claude-code-1.jsonl": {"small__entireio-cli__a4-7cfcb669b1-0.jsonl", foreign.ClaudeCode, 0},
		"claude-code-2.jsonl": {"medium__entireio-cli__9b-04c3d92e38-2.jsonl", foreign.ClaudeCode, 0},
		"codex-1.jsonl":       {"stitched__agentv__codex-june-25-30.jsonl", foreign.Codex, 510},
		"copilot-cli-1.jsonl": {"small__agentv__6a-6787e4f86b-0.jsonl", foreign.Copilot, 0},
		"gemini-cli-1.json":   {"small__entireio-cli__12-cbfeaa512b-0.jsonl", foreign.Gemini, 0},
	} {
		data, err := os.ReadFile(filepath.Join(folder, "foreign", file))
		if err != nil {
			t.Fatal(err)
		}
		if got := foreign.Recognise(data[:min(len(data), foreign.HeadSize)]); got != want.client {
			t.Errorf("%s is of %q", file, got)
		}
		s, err := foreign.Read(want.client, bytes.NewReader(data))
		if err != nil || len(s.Problems) > 0 {
			t.Errorf("%s: %v, %v", file, err, s.Problems)
		}
		data, err = os.ReadFile(filepath.Join(folder, want.recording))
		if err != nil {
			t.Fatal(err)
		}
		recording, _, err := jsonl.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		messages := recording.Messages
		if want.messages > 0 {
			messages = messages[:want.messages]
		}
		if diff := cmp.Diff(counts(messages), counts(s.Document.Messages)); diff != "" {
			t.Errorf("%s (-recording +read):\n%s", file, diff)
		}
		t.Log(file, s.Document.Meta, s.LeftOut())
	}
}
