package tools_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/recall"
)

// memoryArchive is an archive in memory.
type memoryArchive struct {
	events []conversation.Event
	blobs  map[string]string
}

func (s memoryArchive) Events(context.Context) ([]conversation.Event, error) { return s.events, nil }

func (s memoryArchive) Blob(_ context.Context, name string) (string, error) {
	if text, ok := s.blobs[name]; ok {
		return text, nil
	}
	return "", errors.New("no such blob")
}

func archiveOf(bodies ...conversation.Body) memoryArchive {
	var l conversation.Log
	return memoryArchive{events: l.Prepare(time.Unix(0, 0), bodies...)}
}

// cutResultArchive returns a conversation of two turns with a result that was cut; full is its text.
func cutResultArchive(full string) memoryArchive {
	shown, total := conversation.Cut(full, conversation.ResultMaxChars)
	s := archiveOf(
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
	s.blobs = map[string]string{"abcdef0123456789": full}
	return s
}

func longLog() string {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d of the log 漢\n", i)
	}
	return b.String()
}

func archive(a recall.Archive) func(*tools.Options) {
	return func(o *tools.Options) { o.Archive = a }
}

func TestRecallGivesOriginals(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil, archive(cutResultArchive(longLog())))
	list := []try{
		{"recall", `{"id":"e3","offset":30000,"limit":30000}`, `; result of run_command {"command":"cat log"} (ok), turn 0`},
		{"recall", `{"id":"e3","offset":113880}`, "e3: characters 113,881-113,890 of 113,890; result"},
		{"recall", `{"id":"e3","offset":200000}`, "!has only 113,890 characters"},
		{"recall", `{"id":1}`, "look at the log"},
		{"recall", `{"id":"e3","query":"LINE 77 OF"}`, "1 line with \"line 77 of\", of result of run_command {\"command\":\"cat log\"} (ok), turn 0\n\n[from character 1,608] line 77 of the log 漢\n"},
		{"recall", `{"id":"e3","query":"absent"}`, `!does not hold "absent"`},
		{"recall", `{}`, "=shortened in this conversation, newest first; recall one by its id, search_history finds others:\ne8  result of http_request, turn 1\n" +
			`e3  result of run_command {"command":"cat log"} (ok), turn 0`},
		{"recall", `{"id":"e99"}`, "!nothing has the id e99. Near it: e4, e5, e7, e8"},
		{"recall", `{"id":"e6"}`, "!record of usage without text. Near it: e2, e3, e4, e5, e7, e8"},
		{"recall", `{"id":"t700"}`, "!there is no turn t700; the turns are t0 to t1"},
		{"recall", `{"id":"call_a9"}`, "!nothing has the id call_a9"},
		{"recall", `{"id":"abc"}`, "!nothing has the id abc"},
	}
	for id, part := range map[string]string{
		"e1": "look at the log", "1": "look at the log", "E1": "look at the log", "`e1`": "look at the log", "call_b2": "there is no x",
		"e2": "-- text\nI will.\n\n-- arguments of the call call_a1 to run_command\n{\"command\":\"cat log\"}\n\n-- arguments of the call call_b2",
		"e3": "line 1200 of", "call_a1": "line 1200 of", "abcdef0123456789": "line 1200 of", "abcd": "line 1200 of", "ABCDEF": "line 1200 of",
		"t1": "and now?", "t0": "--- e2: reply, turn 0", "t0-1": "t0-1: characters 1-", "e5-7": "Nothing.\n\n--- e7",
		"turns 1-9": "--- e7: message of the user, turn 1\nand now?\n\n--- e8", "e8": "(of 90,000 characters only these were kept)",
	} {
		list = append(list, try{"recall", fmt.Sprintf(`{"id":%q}`, id), part})
	}
	tries(t, b, list)

	b, _ = open(t, nil, archive(cutResultArchive(strings.Repeat("漢", 40_000)+"needle"+strings.Repeat("x", 40_000))))
	if got := succeed(t, b, "recall", map[string]any{"id": "e3", "query": "needle"}); !strings.Contains(got, "漢needlex") || len(got) > 2000 {
		t.Errorf("a long line is not shown around the match: %d bytes", len(got))
	}
	without, _ := open(t, nil)
	empty, _ := open(t, nil, archive(memoryArchive{}))
	tries(t, empty, []try{{"recall", `{}`, "nothing of this conversation was cut or shortened"}, {"recall", `{"id":"e1"}`, "!nothing has been said yet"}})
	tries(t, without, []try{{"recall", `{"id":"e3"}`, "!keeps no originals"}, {"search_history", `{"query":"x"}`, "!keeps no originals"}})
}

func TestRecallKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	room := 2000
	b, _ := open(t, nil, archive(cutResultArchive(longLog())), func(o *tools.Options) { o.RecallChars = func() int { return room } })
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
	s := cutResultArchive(longLog())
	s.blobs = nil
	b, _ := open(t, nil, archive(s))
	tries(t, b, []try{{"recall", `{"id":"e3","query":"showing first"}`, "(this part was kept in the log; the full text cannot be read: no such blob)"}})
	s.blobs = map[string]string{"abcdef0123456789": "line 0"}
	b, _ = open(t, nil, archive(s))
	tries(t, b, []try{{"recall", `{"id":"e3"}`, "(of 113,890 characters only these were kept)\n\nline 0"}})
}

// called returns a reply with one call, and its result.
func called(id, tool, arguments, text string) []conversation.Body {
	return []conversation.Body{
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
		conversation.ToolResult{CallID: id, Tool: tool, Status: conversation.ResultOK, Text: text},
	}
}

// growing returns a Box on a conversation of ten replies, followed by more.
func growing(t *testing.T, blobs map[string]string, more ...[]conversation.Body) *tools.Box {
	t.Helper()
	var bodies []conversation.Body
	for i := range 10 {
		bodies = append(bodies, conversation.AssistantMessage{Text: fmt.Sprintf("thing %d", i+1), Stop: conversation.StopEnd})
	}
	for _, m := range more {
		bodies = append(bodies, m...)
	}
	s := archiveOf(bodies...)
	s.blobs = blobs
	b, _ := open(t, nil, archive(s))
	return b
}

func TestRecallOfAnOverlayShowsTheMessagesItCovers(t *testing.T) {
	t.Parallel()
	b := growing(t, nil, []conversation.Body{conversation.UserMessage{Text: "read it"}}, // e11
		called("c1", "read_file", `{"path":"x"}`, strings.Repeat("x", 9_000)), // e12, e13
		[]conversation.Body{
			conversation.Summary{Spans: []conversation.Span{{First: 11, Last: 13}}, Text: "a file was read"}, // e14
			conversation.Mask{Items: []conversation.MaskItem{{Event: 2}, {Event: 99}}}, conversation.Drop{},  // e15, e16
		}, called("c2", "run_command", `{"command":"make"}`, "")[:1])
	tries(t, b, []try{
		{"recall", `{"id":"e14"}`, "the messages that this summary covers\n\n--- e11: message of the user, turn 0\nread it\n\n--- e12"},
		{"recall", `{"id":"e15"}`, "the messages that this mask covers\n\n--- e2: reply, turn 0\nthing 2"},
		{"recall", `{}`, ":\ne2  reply, turn 0\ne16  drop of 0 messages\ne14  summary of 3 messages"},
		{"recall", `{"id":"c2"}`, "-- arguments of the call c2 to run_command\n{\"command\":\"make\"}"}, // without a result: its reply
	})
}

func TestRewoundMessagesAreMarkedAsUndone(t *testing.T) {
	t.Parallel()
	rewound := []conversation.Body{conversation.UserMessage{Text: "zero"}, conversation.UserMessage{Text: "one"}, conversation.Rewind{Turn: 1}, conversation.UserMessage{Text: "two"}}
	tries(t, growing(t, nil, rewound), []try{
		{"recall", `{"id":"e11"}`, "message of the user, turn 0\n"},
		{"recall", `{"id":"e12"}`, "message of the user, turn 1 (undone)\n"},
		{"recall", `{"id":"t1"}`, "e12: message of the user, turn 1 (undone)\n"},
		{"recall", `{"id":"e14"}`, "message of the user, turn 2\n"},
		{"search_history", `{"query":"one"}`, "e12: message of the user, turn 1 (undone)\none"},
	})
	tries(t, growing(t, nil, rewound, []conversation.Body{conversation.Revert{Event: 13}}), []try{{"recall", `{"id":"e12"}`, "message of the user, turn 1\n"}})
}

func TestSearchCoversMessagesCallsAndStoredResults(t *testing.T) {
	t.Parallel()
	b := growing(t, map[string]string{"b1": strings.Repeat("filler\n", 50) + "the Retry\r\nthe LIMIT of each reTRY is 5\n"},
		[]conversation.Body{conversation.UserMessage{Text: "Where is the retry\nlimit set?"}},                   // e11
		called("c1", "grep_files", `{"pattern":"retry limit"}`, "a.go:3: see\na.go:4: the retry limit is here"), // e12, e13
		called("c2", "read_file", `{"path":"b.go"}`, "")[:1],                                                    // e14
		[]conversation.Body{conversation.ToolResult{CallID: "c2", Tool: "read_file", Status: "ok", Text: "filler", Total: 400, Blob: "b1"}},
		called("c3", "recall", `{"id":"e13","query":"retry limit"}`, "retry limit"),
		called("c4", "search_history", `{"query":"retry limit"}`, "retry limit"),
		[]conversation.Body{
			conversation.AssistantMessage{Reasoning: "retry limit", Text: "I know.", Stop: conversation.StopEnd},
			conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 15}}, Text: "the retry limit was looked for"},
			conversation.ToolResult{CallID: "c", Tool: "read_file", Status: "ok", Text: "beginning", Total: 90, Blob: "gone"},
		})
	want := `4 places hold "retry limit", the newest first. Shown are 1-4. Of 1 long result only what is in the log was searched

e15: result of read_file {"path":"b.go"} (ok), turn 0
the Retry

e13: result of grep_files {"pattern":"retry limit"} (ok), turn 0
a.go:4: the retry limit is here

e12: reply, turn 0
grep_files {"pattern":"retry limit"}

e11: message of the user, turn 0
Where is the retry`
	tries(t, b, []try{
		{"search_history", `{"query":" Retry  LIMIT"}`, "=" + want},
		{"search_history", `{"query":"beginning"}`, "Shown are 1-1\n\ne22: result of read_file (ok), turn 0\nbeginning"},
		{"search_history", `{"query":"thing 3 absent"}`, `nothing in this conversation holds all of "thing 3 absent". Try fewer or other words`},
		{"search_history", `{"query":" "}`, "!needs words to look for"},
		{"search_history", `{"query":"a b c d e f g h i j k l m n o p q r s t u v w x y z"}`, "!the query has 26 words; at most 20"},
		{"search_history", `{"query":"thing","offset":10}`, "!10 places hold \"thing\"; offset must be below that"},
		{"search_history", `{"query":"thing","limit":3,"offset":4}`, "Shown are 5-7. Go on with the same query, offset 7"},
	})
}

func TestEveryMessageIsFoundByItsWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s, _ := drawArchive(t)
		b, err := tools.New(tools.Options{Workspace: dir, Archive: s, Environ: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, e := range s.events {
			text := ""
			switch body := e.Body.(type) {
			case conversation.UserMessage:
				text = body.Text
			case conversation.ToolResult:
				if text = body.Text; body.Blob != "" {
					text = s.blobs[body.Blob]
				}
			}
			words := strings.Fields(text)
			if len(words) == 0 {
				continue
			}
			low := strings.ToLower(words[len(words)-1])
			query := strings.ToUpper(low)
			if back := strings.ToLower(query); back != low {
				continue // a script whose capitals do not lead back
			}
			found := false
			for offset := 0; !found; offset += 50 {
				args := fmt.Sprintf(`{"query":%s,"limit":50,"offset":%d}`, quoted(t, query), offset)
				out := b.Run(t.Context(), conversation.ToolCall{Name: "search_history", Arguments: args}, nil)
				if found = strings.Contains(out.Text, fmt.Sprintf("\n\ne%d: ", e.Seq)); out.Status != conversation.ResultOK {
					t.Fatalf("e%d is not found by %q: %s", e.Seq, query, out.Text)
				}
			}
		}
	})
}

func quoted(t *rapid.T, text string) []byte {
	out, err := conversation.EncodeJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCompactOnlyRequestsACompaction(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	tries(t, b, []try{
		{"compact", `{}`, "=Compression requested"},
		{"compact", `{"focus":"the state of the upload"}`, "=Compression requested"},
		{"compact", `{"focus":["x"]}`, `!"focus" must be a string`},
	})
	for _, m := range conversation.Modes() {
		b.SetMode(m)
		for name, title := range map[string]string{"compact": "compact a b", "recall": "recall e3 x", "search_history": "search_history x"} {
			args := map[string]any{"id": "e3", "query": "x"}
			switch name {
			case "compact":
				args = map[string]any{"focus": "a\nb"}
			case "search_history":
				delete(args, "id")
			}
			if r := b.Review(t.Context(), call(t, name, args)); r.Need != conversation.NeedNothing || !r.ReadOnly || r.Title != title {
				t.Errorf("%s in %s mode: %+v", name, m, r)
			}
		}
	}
}

func TestTheChecklistIsWrittenWholeAndRestored(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	const written, want = `{"todos":[{"text":"read\nthe  code","status":"done"},{"text":"write it","status":"in_progress"},{"text":"test it"}]}`, "=1 of 3 done\n[x] read the code\n[>] write it\n[ ] test it"
	tries(t, b, []try{
		{"todo_read", `{}`, "=the list is empty"},
		{"todo_write", written, want},
		{"todo_write", `{"todos":[{"text":"x","status":"later"}]}`, "!one of pending, in_progress, done"},
		{"todo_write", `{"todos":[{"status":"done"}]}`, `!needs "text"`},
		{"todo_read", `{}`, want}, // a refused write changed nothing
	})
	s := archiveOf(append(called("c", "todo_write", written, ""),
		conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "late", Name: "todo_write", Arguments: `{"todos":[]}`}}, Stop: conversation.StopCalls},
		conversation.ToolResult{CallID: "late", Tool: "todo_write", Status: conversation.ResultInterrupted})...)
	restored, _ := open(t, nil, func(o *tools.Options) { o.Todos = conversation.LastTodos(s.events) })
	if diff := cmp.Diff(b.Todos(), restored.Todos()); diff != "" {
		t.Error(diff)
	}
	tries(t, restored, []try{{"todo_read", `{}`, want}})
}

// BenchmarkSearchHistory searches 10,000 events of 1 KB.
func BenchmarkSearchHistory(b *testing.B) {
	var bodies []conversation.Body
	text := strings.Repeat("Some Words of a file, and a path/to/it.go:12 in between.\n", 18)
	for i := range 10_000 {
		bodies = append(bodies, conversation.UserMessage{Text: fmt.Sprint(text, "needle", i)})
	}
	box, err := tools.New(tools.Options{Workspace: b.TempDir(), Archive: archiveOf(bodies...), Environ: []string{}})
	if err != nil {
		b.Fatal(err)
	}
	defer box.Close()
	for b.Loop() {
		out := box.Run(b.Context(), conversation.ToolCall{Name: "search_history", Arguments: `{"query":"Needle77 words path"}`}, nil)
		if !strings.HasPrefix(out.Text, "111 places hold") {
			b.Fatal(out.Text)
		}
	}
}
