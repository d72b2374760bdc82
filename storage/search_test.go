package storage_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.etcd.io/bbolt"

	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/storage"
)

// search returns all hits, and fails the test on an error.
func search(t testing.TB, s *storage.Store, query string, o storage.SearchOptions) ([]find.Hit, storage.SearchReport) {
	t.Helper()
	q, err := find.Parse(query)
	must(t, err)
	var hits []find.Hit
	report, err := s.Search(t.Context(), q, o, func(h find.Hit) bool {
		hits = append(hits, h)
		return true
	})
	if err != nil {
		t.Fatalf("search for %s: %v", query, err)
	}
	return hits, report
}

// formatHits formats hits as "conversation/event who: excerpt", with the match in brackets.
func formatHits(hits []find.Hit) []string {
	var out []string
	for _, h := range hits {
		stored := ""
		if h.Stored {
			stored = " (stored)"
		}
		out = append(out, fmt.Sprintf("%s/%d %s%s: %s[%s]%s", h.Conversation[:4], h.Event, h.Who, stored,
			h.Excerpt[:h.At.Start], h.Excerpt[h.At.Start:h.At.End], h.Excerpt[h.At.End:]))
	}
	return out
}

// createAt stores a conversation whose events are that many hours after start.
func createAt(t testing.TB, s *storage.Store, id, workspace string, hours int, bodies ...conversation.Body) {
	t.Helper()
	w, err := s.Create(t.Context(), storage.NewConversation{ID: id, Workspace: workspace})
	must(t, err)
	var l conversation.Log
	must(t, w.Append(t.Context(), l.Prepare(start.Add(time.Duration(hours)*time.Hour), bodies...)))
	must(t, w.Close())
}

func TestSearchFindsTextsOfMessagesAndCalls(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "Why does the heron fail?\n\nIt did not before.")
	call := conversation.ToolCall{ID: "c1", Name: "write_file",
		Arguments: `{"heron":"nothing","path":"a.go","text":"say \"grey heron\"\n\u9dfa\u0073 \u003cb\u003e","n":417}`}
	c.add(
		conversation.AssistantMessage{Text: "I shall look.", Reasoning: "a Heron,\tperhaps", Calls: []conversation.ToolCall{call},
			Stop: conversation.StopCalls, Model: "heron/heron"},
		conversation.ToolResult{CallID: "c1", Tool: "write_file", Status: conversation.ResultOK, Text: "wrote the heron", Detail: "+ ibis"},
		conversation.Usage{Reply: 2, Model: "heron/heron"},
		conversation.Renamed{Title: "Heron's nest", By: "user"},
		conversation.Notice{Level: conversation.NoticeInfo, Text: "ibis"},
		conversation.Instructions{System: "ibis"},
		conversation.Summary{Text: "ibis"},
		conversation.AssistantMessage{Text: "A heron it is.", Reasoning: "heron", Stop: conversation.StopEnd},
		conversation.Rewind{},
	)
	c.close()
	for query, want := range map[string][]string{
		"heron": {
			"aaaa/9 assistant: A [heron] it is.",
			"aaaa/5 title: [Heron]'s nest",
			"aaaa/3 write_file: wrote the [heron]",
			"aaaa/2 reasoning: a [Heron], perhaps",
			"aaaa/1 user: Why does the [heron] fail? It did not before.",
		},
		`"grey heron"`:  {`aaaa/2 write_file: nothing a.go say "[grey heron]" 鷺s <b> 417`},
		"鷺S":            {`aaaa/2 write_file: nothing a.go say "grey heron" [鷺s] <b> 417`},
		"<b> 417":       {`aaaa/2 write_file: nothing a.go say "grey heron" 鷺s [<b> 417]`},
		"fail before":   {"aaaa/1 user: Why does the heron fail? It did not [before]."},
		"look perhaps":  nil, // not in the same text
		"nothing wrong": nil,
		"ibis":          nil, // only in texts that are not searched
		"demo":          nil,
	} {
		hits, report := search(t, s, query, storage.SearchOptions{})
		if d := cmp.Diff(want, formatHits(hits)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", query, d)
		}
		if d := cmp.Diff(storage.SearchReport{Conversations: 1}, report); d != "" {
			t.Errorf("%s: %s", query, d)
		}
	}
	hits, _ := search(t, s, "grey", storage.SearchOptions{Chars: 11})
	if d := cmp.Diff([]find.Hit{{Conversation: idA, Title: "Heron's nest", Event: 2, Time: start.Add(time.Second), Who: "write_file"}},
		hits, cmpopts.IgnoreFields(find.Hit{}, "Excerpt", "At")); d != "" || len(hits[0].Excerpt) > 17 {
		t.Errorf("%q\n%s", hits[0].Excerpt, d)
	}
}

func TestSearchReturnsTheNewestFirst(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	var want []string
	for n := range 12 {
		text := conversation.UserMessage{Text: fmt.Sprint("heron ", n)}
		createAt(t, s, fmt.Sprintf("%caaaaaaaaaaa", 'a'+n), fmt.Sprint("/w", n%2), n*7%12, text, reply("ibis"), text)
	}
	for hours := 11; hours >= 0; hours-- {
		n := hours * 7 % 12 // 7 is its own inverse modulo 12
		for _, seq := range []int{3, 1} {
			want = append(want, fmt.Sprintf("%caaa/%d user: [heron] %d", 'a'+n, seq, n))
		}
	}
	hits, report := search(t, s, "heron", storage.SearchOptions{})
	if d := cmp.Diff(want, formatHits(hits)); d != "" || report.Conversations != 12 || report.More {
		t.Errorf("%+v (-want +got)\n%s", report, d)
	}
	hits, report = search(t, s, "heron", storage.SearchOptions{Limit: 3})
	if d := cmp.Diff(want[:3], formatHits(hits)); d != "" || !report.More || report.Conversations != 2 {
		t.Errorf("%+v (-want +got)\n%s", report, d)
	}
	hits, report = search(t, s, "heron", storage.SearchOptions{Limit: 24})
	if d := cmp.Diff(want, formatHits(hits)); d != "" || report.More {
		t.Errorf("%+v (-want +got)\n%s", report, d)
	}
	if hits, report = search(t, s, "heron", storage.SearchOptions{PerConversation: 1}); len(hits) != 12 || !report.More || hits[0].Event != 3 {
		t.Errorf("%d hits with one per conversation, want 12: %+v", len(hits), report)
	}
	if hits, report = search(t, s, "heron", storage.SearchOptions{Workspace: "/w1"}); len(hits) != 12 || report.Conversations != 6 {
		t.Errorf("%d hits in one workspace, want 12: %+v", len(hits), report)
	}
	if hits, report = search(t, s, "bittern", storage.SearchOptions{}); len(hits) > 0 || report.Conversations != 12 {
		t.Errorf("a word that no message has is found: %v %+v", hits, report)
	}
	n := 0
	q, err := find.Parse("heron")
	must(t, err)
	report, err = s.Search(t.Context(), q, storage.SearchOptions{}, func(find.Hit) bool { n++; return n < 5 })
	if n != 5 || err != nil || report.Conversations != 3 {
		t.Errorf("%d hits were handed out, 5 were wanted: %+v, %v", n, report, err)
	}
}

func TestSearchReadsFullTextsOfResults(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	full := strings.Repeat("a line of output\n", 3000) + "the grey heron\n" + strings.Repeat("more output\n", 3000)
	shown, total := conversation.Cut(full, 1000)
	name, err := c.w.PutBlob(t.Context(), full)
	must(t, err)
	other, err := c.w.PutBlob(t.Context(), "a heron that no result has")
	must(t, err)
	result := conversation.ToolResult{CallID: "c1", Tool: "run_command", Status: conversation.ResultOK, Text: shown, Total: total, Blob: name}
	missing := result
	missing.Blob = strings.Repeat("0", 64)
	c.add(result, result, missing, conversation.UserMessage{Text: `{"blob":"` + other + `"}`})
	c.close()
	hits, report := search(t, s, "heron", storage.SearchOptions{Chars: 30})
	want := []string{
		"aaaa/3 run_command (stored): …grey [heron] more output more ou…",
		"aaaa/2 run_command (stored): …grey [heron] more output more ou…",
	}
	if d := cmp.Diff(want, formatHits(hits)); d != "" || report.Damaged != 1 { // the missing one
		t.Errorf("%+v (-want +got)\n%s", report, d)
	}
	// A match in the shown part is not reported as one of the full text.
	hits, _ = search(t, s, `"line of"`, storage.SearchOptions{Chars: 16})
	if len(hits) != 3 || hits[0].Stored {
		t.Errorf("hits %v, want 3 in full texts", formatHits(hits))
	}
	editFile(t, filepath.Join(s.Dir(), "conversations", idA+".db"), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("blobs")).Put([]byte(name), []byte("zdamage"))
	})
	if hits, report = search(t, s, "heron", storage.SearchOptions{}); len(hits) > 0 || report.Damaged != 2 || report.Unread != 0 {
		t.Errorf("hits %v, want none; report %+v, want 2 damaged", formatHits(hits), report)
	}
}

func TestSearchReadsLongConversationsInSeveralTransactions(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "heron 1")
	filler, want, replies := strings.Repeat("a line of output, rather long as these are\n", 6000), []int{}, []conversation.Body{}
	for i := range 400 {
		text := filler[:i%50*10]
		if i%60 == 0 {
			text = filler
		}
		if i%2 == 0 {
			text += "heron"
			want = append(want, i+2)
		}
		replies = append(replies, reply(text))
	}
	for range 40 { // more bytes than one transaction scans, without a match
		replies = append(replies, reply(filler))
	}
	c.add(replies...)
	c.close()
	hits, report := search(t, s, "heron", storage.SearchOptions{Limit: 1000, PerConversation: 1000})
	if len(hits) != len(want)+1 || report.More || report.Conversations != 1 {
		t.Fatalf("%d hits, want %d: %+v", len(hits), len(want)+1, report)
	}
	for i, h := range hits[:len(want)] {
		if n := want[len(want)-1-i]; h.Event != uint64(n) {
			t.Fatalf("hit %d is event %d, want %d", i, h.Event, n)
		}
	}
}

func TestSearchSkipsALockedFile(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{Wait: 100 * time.Millisecond})
	before := reopenStore(t, s.Dir(), longWaitOptions)
	createAt(t, before, idA, "/w", 2, conversation.UserMessage{Text: "heron"})
	createAt(t, before, idB, "/w", 1, conversation.UserMessage{Text: "heron"})
	stopped := startHolder(t, "stop", s.Dir(), s.Dir()+"/conversations/"+idA+".db")
	hits, report := search(t, s, "heron", storage.SearchOptions{})
	if len(hits) != 1 || hits[0].Conversation != idB || report.Unread != 1 {
		t.Errorf("hits %v, want one of the unlocked file; report %+v", formatHits(hits), report)
	}
	stopped.kill()
	after := reopenStore(t, s.Dir(), longWaitOptions)
	if hits, _ = search(t, after, "heron", storage.SearchOptions{}); len(hits) != 2 {
		t.Errorf("hits after the stopped program has ended: %v, want 2", formatHits(hits))
	}
}
