package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/tools"
)

func TestHistoryIsSearchedWhereverAWordWasSaid(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.blobs = map[string]string{"b1": strings.Repeat("filler\n", 50) + "the Retry\r\nthe LIMIT of each reTRY is 5\n"}
	n.add(t, conversation.UserMessage{Text: "Where is the retry\nlimit set?"})                                                           // e11
	n.add(t, called("c1", "grep_files", `{"pattern":"retry limit"}`, "a.go:3: retry := 5 // limit")...)                                  // e12, e13
	n.add(t, called("c2", "read_file", `{"path":"b.go"}`, "")[0], conversation.ToolResult{CallID: "c2", Tool: "read_file", Status: "ok", // e14
		Text: "filler", Total: 400, Blob: "b1"}) // e15
	n.add(t, called("c3", "recall", `{"id":"e13","query":"retry limit"}`, "retry limit")...)
	n.add(t, called("c4", "search_history", `{"query":"retry limit"}`, "retry limit")...)
	n.add(t, conversation.AssistantMessage{Reasoning: "retry limit", Text: "I know.", Stop: conversation.StopEnd})
	n.add(t, conversation.Summary{Spans: []conversation.Span{{First: 1, Last: 15}}, Text: "the retry limit was looked for"})
	want := `4 places hold "retry limit", the closest first. Shown are 1-4

e12: reply, turn 0
grep_files {"pattern":"retry limit"}

e15: result of read_file {"path":"b.go"} (ok), turn 0
the LIMIT of each reTRY is 5

e13: result of grep_files {"pattern":"retry limit"} (ok), turn 0
a.go:3: retry := 5 // limit

e11: message of the user, turn 0
Where is the retry`
	got := succeed(t, b, "search_history", map[string]any{"query": " Retry  LIMIT"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHistorySearchGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	room := 600
	b, n := growing(t, func(o *tools.Options) { o.RecallChars = func() int { return room } })
	var order []string
	for offset, turn := 0, 1; ; turn++ {
		got := succeed(t, b, "search_history", map[string]any{"query": "thing", "limit": 4, "offset": offset})
		if len(got) > room {
			t.Errorf("%d characters with room for %d", len(got), room)
		}
		for _, block := range strings.Split(got, "\n\n")[1:] {
			order = append(order, strings.TrimSuffix(strings.Fields(block)[0], ":"))
		}
		head, _, _ := strings.Cut(got, "\n")
		if _, rest, more := strings.Cut(head, "Go on with the same query, offset "); more {
			if _, err := fmt.Sscan(rest, &offset); err != nil {
				t.Fatal(err)
			}
			n.add(t, conversation.UserMessage{Text: fmt.Sprint("turn ", turn)})
			continue
		}
		break
	}
	if want := "e10 e9 e8 e7 e6 e5 e4 e3 e2 e1"; strings.Join(order, " ") != want {
		t.Errorf("got %s", order)
	}
	fail(t, b, "search_history", map[string]any{"query": "thing", "offset": 10}, "10 places hold \"thing\"; offset must be below that")
}

func TestHistorySearchSaysWhatWasNotFound(t *testing.T) {
	t.Parallel()
	b, _ := growing(t)
	for query, want := range map[string]string{
		"absent":         `nothing in this conversation holds all of "absent". Try fewer or other words`,
		"thing 3 absent": `nothing in this conversation holds all of "thing 3 absent". Try fewer or other words`,
	} {
		if diff := cmp.Diff(want, succeed(t, b, "search_history", map[string]any{"query": query})); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
	fail(t, b, "search_history", map[string]any{"query": " "}, "needs words to look for")
	fail(t, b, "search_history", map[string]any{"query": strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), " ")}, "the query has 26 words; at most 20")
	without, _ := open(t, nil)
	fail(t, without, "search_history", map[string]any{"query": "x"}, "keeps no originals")
}

func TestHistorySearchSaysWhichTextsItCouldNotRead(t *testing.T) {
	t.Parallel()
	b, n := growing(t)
	n.add(t, conversation.ToolResult{CallID: "c", Tool: "read_file", Status: "ok", Text: "beginning", Total: 90, Blob: "gone"})
	if got := succeed(t, b, "search_history", map[string]any{"query": "thing 4"}); !strings.Contains(got, "Shown are 1-1. Of 1 long result only what is in the log was searched\n\ne4: reply, turn 0\nthing 4") {
		t.Errorf("got %s", got)
	}
	if got := succeed(t, b, "search_history", map[string]any{"query": "beginning"}); !strings.Contains(got, "Shown are 1-1\n\ne11: result of read_file (ok), turn 0\nbeginning") {
		t.Errorf("got %s", got)
	}
}

func TestWhateverWasSaidIsFoundByItsOwnWords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s, _ := hidden(t)
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

func TestCompactOnlyAsks(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	for _, args := range []map[string]any{nil, {"focus": "the state of the upload"}} {
		if got := succeed(t, b, "compact", args); got != "Compression requested" {
			t.Errorf("got %q", got)
		}
	}
	for _, m := range conversation.Modes() {
		b.SetMode(m)
		for _, name := range []string{conversation.ToolCompact, conversation.ToolRecall, conversation.ToolSearchHistory} {
			r := b.Review(t.Context(), call(t, name, map[string]any{"query": "x"}))
			if name == conversation.ToolCompact {
				r = b.Review(t.Context(), call(t, name, map[string]any{"focus": "a\nb"}))
			}
			if r.Need != conversation.NeedNothing || !r.ReadOnly {
				t.Errorf("%s in %s mode: %+v", name, m, r)
			}
		}
	}
	fail(t, b, "compact", map[string]any{"focus": []string{"x"}}, `"focus" must be a string`)
	specs := b.Specs()
	var last []string
	for _, s := range specs[len(specs)-3:] {
		last = append(last, s.Name)
	}
	if diff := cmp.Diff([]string{"recall", "search_history", "compact"}, last); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkSearchHistory searches 10,000 events of 1 KB.
func BenchmarkSearchHistory(b *testing.B) {
	var bodies []conversation.Body
	text := strings.Repeat("Some Words of a file, and a path/to/it.go:12 in between.\n", 18)
	for i := range 10_000 {
		bodies = append(bodies, conversation.UserMessage{Text: fmt.Sprint(text, "needle", i)})
	}
	var l conversation.Log
	s := shelf{events: l.Prepare(time.Unix(0, 0), bodies...)}
	box, err := tools.New(tools.Options{Workspace: b.TempDir(), Archive: s, Environ: []string{}})
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
