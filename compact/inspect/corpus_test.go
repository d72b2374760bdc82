package inspect_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
	"plimsoll/tools"
)

// shelf holds texts by name, as a store does.
type shelf map[string]string

func (s shelf) keep(text string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	name := hex.EncodeToString(sum[:])
	s[name] = text
	return name, nil
}

// archive is a log and its texts, for recall. Every look at it is a turn of its
// own, because recall answers a turn only so often.
type archive struct {
	events []conversation.Event
	texts  shelf
	looks  *int
}

func (a archive) Events(context.Context) ([]conversation.Event, error) {
	*a.looks++
	last := a.events[len(a.events)-1]
	now := conversation.Event{Seq: last.Seq + 1, Turn: last.Turn + *a.looks, Body: conversation.Notice{Text: "now"}}
	return append(a.events[:len(a.events):len(a.events)], now), nil
}

func (a archive) Blob(_ context.Context, name string) (string, error) {
	text, ok := a.texts[name]
	if !ok {
		return "", errors.New("there is no such text")
	}
	return text, nil
}

// Recorded conversations, one JSONL file each, are projected under every
// preset: every request is valid, every event stands somewhere, and whatever is
// hidden comes back by recall word for word. PLIMSOLL_TRANSCRIPTS names their
// folder.
func TestRecordedConversationsUnderEveryPreset(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("PLIMSOLL_TRANSCRIPTS")
	if folder == "" {
		t.Skip("PLIMSOLL_TRANSCRIPTS names no folder of recorded conversations")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			a := recorded(t, file)
			hidden := map[uint64]bool{}
			for _, name := range preset.All() {
				for _, window := range []int{32_000, 128_000, 200_000} {
					checkPreset(t, a, name, window, hidden)
				}
			}
			checkRecall(t, a, hidden)
		})
	}
}

func recorded(t *testing.T, file string) archive {
	t.Helper()
	f, err := os.Open(file)
	conversationtest.Must(t, err)
	defer f.Close()
	doc, problems, err := jsonl.Read(f)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, %v", err, problems)
	}
	texts := shelf{}
	events, err := doc.Events(jsonl.Options{Start: conversationtest.Epoch, Keep: texts.keep})
	conversationtest.Must(t, err)
	return archive{events, texts, new(int)}
}

func checkPreset(t *testing.T, a archive, name preset.Name, window int, hidden map[uint64]bool) {
	t.Helper()
	what := fmt.Sprintf("%s at %d", name, window)
	view := projection.Project(a.events)
	m := meter.New(meter.Options{Window: meter.Window{Tokens: window, Source: meter.WindowFlag}}).WithView(view)
	shown, err := inspect.PresetView(a.events, edit.Inputs{Meter: m, Now: conversationtest.Epoch, Cold: true}, preset.RulesOf(name))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for _, caps := range []projection.Capabilities{{}, {Alternate: true, CallIDs: projection.CallIDMistral}} {
		messages, err := projection.Harden(shown, caps)
		if err != nil && !errors.Is(err, projection.ErrNothingToSend) {
			t.Fatalf("%s: %v", what, err)
		}
		for _, problem := range compacttest.RequestProblems(messages, caps) {
			t.Errorf("%s: %s", what, problem)
		}
	}
	state := map[uint64]projection.State{}
	for i := range shown.Messages {
		for _, seq := range shown.Messages[i].Events {
			state[seq] = shown.Messages[i].State
		}
	}
	for _, absent := range shown.Absent {
		state[absent.Event] = absent.State
	}
	for _, e := range a.events {
		switch _, sent := originalText(e, a.texts); {
		case !sent:
		case state[e.Seq] == "":
			t.Errorf("%s: event %d is neither shown nor absent", what, e.Seq)
		case state[e.Seq] != projection.StateVerbatim:
			hidden[e.Seq] = true
		}
	}
}

// checkRecall brings every hidden event back, word for word.
func checkRecall(t *testing.T, a archive, hidden map[uint64]bool) {
	t.Helper()
	box, err := tools.New(tools.Options{Workspace: t.TempDir(), Archive: a, ResultChars: func() int { return 1 << 30 }})
	conversationtest.Must(t, err)
	defer box.Close()
	for _, e := range a.events {
		if !hidden[e.Seq] {
			continue
		}
		id := "e" + strconv.FormatUint(e.Seq, 10)
		original, _ := originalText(e, a.texts)
		got := box.Run(context.Background(), conversation.ToolCall{ID: "r" + id, Name: conversation.ToolRecall, Arguments: `{"id":"` + id + `"}`}, nil)
		if got.Status != conversation.ResultOK || !strings.Contains(got.Text, original) {
			t.Errorf("recall of %s: %s, %.200q", id, got.Status, got.Text)
		}
	}
}

func originalText(e conversation.Event, texts shelf) (string, bool) {
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		return b.Text, true
	case conversation.AssistantMessage:
		return b.Text, true
	case conversation.ToolResult:
		if b.Blob != "" {
			return texts[b.Blob], true
		}
		return b.Text, true
	}
	return "", false
}
