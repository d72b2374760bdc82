package tools_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/past"
)

// shelf is an archive in memory.
type shelf struct {
	events []conversation.Event
	blobs  map[string]string
}

func (s shelf) Events(context.Context) ([]conversation.Event, error) { return s.events, nil }

func (s shelf) Blob(_ context.Context, name string) (string, error) {
	if text, ok := s.blobs[name]; ok {
		return text, nil
	}
	return "", errors.New("no such blob")
}

// spoken is a conversation of two turns with a result that was cut.
func spoken(t *testing.T, full string) shelf {
	t.Helper()
	shown, total := conversation.Cut(full, conversation.ResultMaxChars)
	var l conversation.Log
	events := l.Prepare(time.Unix(0, 0),
		conversation.UserMessage{Text: "look at the log"},
		conversation.AssistantMessage{Text: "I will.", Stop: conversation.StopCalls, Calls: []conversation.ToolCall{
			{ID: "call_a1", Name: "run_command", Arguments: `{"command":"cat log"}`}, {ID: "call_b2", Name: "read_file", Arguments: `{"path":"x"}`}}},
		conversation.ToolResult{CallID: "call_a1", Tool: "run_command", Status: conversation.ResultOK, Text: shown, Total: total, Blob: "abcdef0123456789"},
		conversation.ToolResult{CallID: "call_b2", Tool: "read_file", Status: conversation.ResultError, Text: "there is no x"},
		conversation.AssistantMessage{Text: "Nothing.", Stop: conversation.StopEnd},
		conversation.Usage{Prompt: 5},
		conversation.UserMessage{Text: "and now?"},
		conversation.ToolResult{CallID: "call_c3", Tool: "http_request", Text: "short", Total: 90_000},
	)
	return shelf{events: events, blobs: map[string]string{"abcdef0123456789": full}}
}

func longLog() string {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d of the log 漢\n", i)
	}
	return b.String()
}

func archive(a past.Archive) func(*tools.Options) {
	return func(o *tools.Options) { o.Archive = a }
}

func TestRecallPagesThroughTheWholeOriginal(t *testing.T) {
	t.Parallel()
	full := longLog()
	b, _ := open(t, nil, archive(spoken(t, full)))
	next := regexp.MustCompile(`^e3: characters [0-9,]+-[0-9,]+ of 113,890, go on with offset (\d+); .*\n\n`)
	var all strings.Builder
	offset := 0
	for range 10 {
		got := succeed(t, b, "recall", map[string]any{"id": "e3", "offset": offset})
		if _, total := conversation.Cut(got, conversation.ResultMaxChars); total != 0 {
			t.Fatal("the answer would be cut again")
		}
		head, body, _ := strings.Cut(got, "\n\n")
		all.WriteString(body)
		m := next.FindStringSubmatch(got)
		if m == nil {
			if !strings.Contains(head, "-113,890 of 113,890") || strings.Contains(head, "go on") {
				t.Errorf("last page: %s", head)
			}
			break
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n <= offset {
			t.Fatalf("no progress: %s", head)
		}
		offset = n
	}
	if all.String() != full {
		t.Errorf("the pages are not the original: %d bytes of %d", all.Len(), len(full))
	}
	got := succeed(t, b, "recall", map[string]any{"id": "e3", "offset": 30000, "limit": 30000})
	if head, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(head, "e3: characters 30,001-") || !strings.HasSuffix(head, `; result of run_command {"command":"cat log"} (ok), turn 0`) {
		t.Errorf("got %.120s", got)
	}
	fail(t, b, "recall", map[string]any{"id": "e3", "offset": 200000}, "has only 113,890 characters")
}

func TestRecallFindsByEveryKindOfID(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, archive(spoken(t, longLog())))
	for id, part := range map[string]string{
		"e1": "look at the log", "1": "look at the log", "E1": "look at the log", "`e1`": "look at the log", "e2": "-- text\nI will.\n\n-- arguments of the call call_a1 to run_command\n{\"command\":\"cat log\"}\n\n-- arguments of the call call_b2",
		"e3": "line 1200 of", "call_a1": "line 1200 of", "call_b2": "there is no x", "abcdef0123456789": "line 1200 of", "abcd": "line 1200 of", "ABCDEF": "line 1200 of",
		"t1": "and now?", "t0": "--- e2: reply, turn 0", "t0-1": "t0-1: characters 1-", "turns 1-9": "--- e7: message of the user, turn 1\nand now?\n\n--- e8", "e5-7": "Nothing.\n\n--- e7", "e8": "(of 90,000 characters only these were kept)",
	} {
		if got := succeed(t, b, "recall", map[string]any{"id": id}); !strings.Contains(got, part) {
			t.Errorf("%s: lacks %q: %.300s", id, part, got)
		}
	}
	if got := succeed(t, b, "recall", map[string]any{"id": 1}); !strings.Contains(got, "look at the log") {
		t.Errorf("a number: %s", got)
	}
}

func TestRecallMissesNameNearIDs(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, archive(spoken(t, longLog())))
	for id, parts := range map[string][]string{
		"e99":     {"nothing has the id e99", "e7, e8"},
		"e6":      {"record of usage without text", "e5, e7"},
		"t700":    {"there is no turn t700; the turns are t0 to t1"},
		"call_a9": {"Near it: call_a1"},
		"zzzzzz":  {"nothing has the id zzzzzz", "e8"},
		"e50-60":  {"nothing has the id e50-60", "e8"},
		"abc":     {"nothing has the id abc"},
	} {
		fail(t, b, "recall", map[string]any{"id": id}, parts...)
		if text := run(t, b, "recall", map[string]any{"id": id}).Text; strings.Contains(text, "again") {
			t.Errorf("%s: suggests to run something again: %s", id, text)
		}
	}
}

func TestRecallWithoutAnIDListsWhatWasCut(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, archive(spoken(t, longLog())))
	want := "shortened in this conversation, newest first; recall one by its id, search_history finds others:\ne8  result of http_request, turn 1\n" +
		`e3  result of run_command {"command":"cat log"} (ok), turn 0`
	if diff := cmp.Diff(want, succeed(t, b, "recall", nil)); diff != "" {
		t.Error(diff)
	}
	empty, _ := open(t, nil, archive(shelf{}))
	if got := succeed(t, empty, "recall", nil); !strings.HasPrefix(got, "nothing of this conversation was cut or shortened") {
		t.Errorf("got %s", got)
	}
	fail(t, empty, "recall", map[string]any{"id": "e1"}, "nothing has been said yet")
}

func TestRecallSearchesWholeLines(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, archive(spoken(t, longLog())))
	got := succeed(t, b, "recall", map[string]any{"id": "e3", "query": "LINE 77 OF"})
	if !strings.HasSuffix(got, "1 line with \"line 77 of\", of result of run_command {\"command\":\"cat log\"} (ok), turn 0\n\n[from character 1,587]\nline 76 of the log 漢\nline 77 of the log 漢\nline 78 of the log 漢\n") {
		t.Errorf("got %s", got)
	}
	if got := succeed(t, b, "recall", map[string]any{"id": "e3", "query": "log 4321"}); !strings.Contains(got, "\nline 4321 of the log 漢\n") {
		t.Errorf("all words on a line: %s", got)
	}
	fail(t, b, "recall", map[string]any{"id": "e3", "query": "absent"}, `does not hold "absent"`)

	var all strings.Builder
	offset := 0
	next := regexp.MustCompile(`, go on with offset (\d+)`)
	for range 100 {
		got := succeed(t, b, "recall", map[string]any{"id": "e3", "query": "9 of the", "limit": 3000, "offset": offset})
		_, body, _ := strings.Cut(got, "\n\n")
		all.WriteString(body)
		m := next.FindStringSubmatch(got)
		if m == nil {
			break
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n <= offset {
			t.Fatalf("no progress at %d: %.300s", offset, got)
		}
		offset = n
	}
	if seen := strings.Count(all.String(), "9 of the log"); seen != 500 {
		t.Errorf("%d of 500 lines were seen", seen)
	}
}

func TestRecallSearchShowsLongLinesAroundTheMatch(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("漢", 40_000) + "needle" + strings.Repeat("x", 40_000)
	b, _ := open(t, nil, archive(spoken(t, full)))
	got := succeed(t, b, "recall", map[string]any{"id": "e3", "query": "needle"})
	if !strings.Contains(got, "漢needlex") || len(got) > 2000 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestRecallKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	room := 2000
	b, _ := open(t, nil, archive(spoken(t, longLog())), func(o *tools.Options) { o.RecallChars = func() int { return room } })
	for _, args := range []map[string]any{{"id": "e3"}, {"id": "e3", "limit": 100_000}, {"id": "e3", "query": "line"}, {"id": "t0"}, nil} {
		for _, room = range []int{2000, 700, 0} {
			got := succeed(t, b, "recall", args)
			if n := len([]rune(got)); n > max(room, 500)+1 {
				t.Errorf("%v: %d characters with room for %d", args, n, room)
			}
		}
	}
}

func TestRecallSaysWhenAnOriginalCannotBeRead(t *testing.T) {
	t.Parallel()
	s := spoken(t, longLog())
	s.blobs = nil
	b, _ := open(t, nil, archive(s))
	got := succeed(t, b, "recall", map[string]any{"id": "e3", "query": "showing first"})
	if !strings.Contains(got, "(this part was kept in the log; the full text cannot be read: no such blob)") || !strings.Contains(got, "showing first 30000 characters of 113890 total") {
		t.Errorf("got %s", got)
	}
	s.blobs = map[string]string{"abcdef0123456789": "line 0"}
	b, _ = open(t, nil, archive(s))
	if got := succeed(t, b, "recall", map[string]any{"id": "e3"}); !strings.HasSuffix(got, "(of 113,890 characters only these were kept)\n\nline 0") {
		t.Errorf("got %s", got)
	}
	without, _ := open(t, nil)
	fail(t, without, "recall", map[string]any{"id": "e3"}, "keeps no originals")
}

func TestTheChecklistIsWrittenWholeAndRestored(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	if got := succeed(t, b, "todo_read", nil); got != "the list is empty" {
		t.Errorf("got %q", got)
	}
	args := map[string]any{"todos": []any{
		map[string]any{"text": "read\nthe  code", "status": "done"}, map[string]any{"text": "write it", "status": "in_progress"}, map[string]any{"text": "test it"}}}
	want := "1 of 3 done\n[x] read the code\n[>] write it\n[ ] test it"
	if got := succeed(t, b, "todo_write", args); got != want {
		t.Errorf("got %q", got)
	}
	fail(t, b, "todo_write", map[string]any{"todos": []any{map[string]any{"text": "x", "status": "later"}}}, "entry 1", "one of pending, in_progress, done")
	fail(t, b, "todo_write", map[string]any{"todos": []any{map[string]any{"status": "done"}}}, `needs "text"`)
	if got := succeed(t, b, "todo_read", nil); got != want {
		t.Errorf("a refused write changed the list: %q", got)
	}

	c := call(t, "todo_write", args)
	var l conversation.Log
	events := l.Prepare(time.Unix(0, 0),
		conversation.AssistantMessage{Calls: []conversation.ToolCall{c}, Stop: conversation.StopCalls},
		conversation.ToolResult{CallID: c.ID, Tool: "todo_write", Status: conversation.ResultOK},
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "late", Name: "todo_write", Arguments: `{"todos":[]}`}}, Stop: conversation.StopCalls},
		conversation.ToolResult{CallID: "late", Tool: "todo_write", Status: conversation.ResultInterrupted},
	)
	restored, _ := open(t, nil, func(o *tools.Options) { o.Todos = tools.LastTodos(events) })
	if diff := cmp.Diff(b.Todos(), restored.Todos()); diff != "" {
		t.Error(diff)
	}
	if got := succeed(t, restored, "todo_read", nil); got != want {
		t.Errorf("restored %q", got)
	}
}
