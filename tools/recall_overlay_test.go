package tools_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/tools"
)

// drawArchive draws a conversation with long results and overlays of every kind, and
// returns the numbers of the events that the overlays cover.
func drawArchive(t *rapid.T) (s memoryArchive, covered map[uint64]bool) {
	s, covered = memoryArchive{blobs: map[string]string{}}, map[uint64]bool{}
	var l conversation.Log
	add := func(b conversation.Body) {
		if err := l.Commit(l.Prepare(conversationtest.Epoch, b)); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range conversationtest.Log(t) {
		if r, ok := e.Body.(conversation.ToolResult); ok && rapid.Bool().Draw(t, "long") {
			full := conversation.Clean(strings.Repeat(rapid.StringN(1, 40, 60).Draw(t, "line")+"\n", rapid.IntRange(10, 60).Draw(t, "lines")))
			r.Text, r.Total = conversation.Cut(full, 40)
			r.Blob = fmt.Sprintf("%064x", len(s.blobs))
			s.blobs[r.Blob] = full
			e.Body = r
		}
		add(e.Body)
		if rapid.IntRange(0, 5).Draw(t, "overlay") == 0 {
			add(overlay(t, l.Events(), covered))
		}
	}
	if l.Len() > 0 {
		add(overlay(t, l.Events(), covered))
	}
	s.events = l.Events()
	return s, covered
}

func overlay(t *rapid.T, events []conversation.Event, covered map[uint64]bool) conversation.Body {
	seq := rapid.Uint64Range(1, uint64(len(events)))
	span := func() conversation.Span {
		a, b := seq.Draw(t, "from"), seq.Draw(t, "to")
		s := conversation.Span{First: min(a, b), Last: max(a, b)}
		for i := s.First; i <= s.Last; i++ {
			covered[i] = true
		}
		return s
	}
	one := seq.Draw(t, "event")
	covered[one] = true
	made := conversation.Origin{Epoch: uint64(len(events) + 1)}
	switch rapid.IntRange(0, 8).Draw(t, "kind") {
	case 0:
		part := rapid.SampledFrom([]conversation.Part{conversation.PartResult, conversation.PartArguments, conversation.PartReasoning}).Draw(t, "part")
		return conversation.Mask{Origin: made, Items: []conversation.MaskItem{{Event: one, Part: part}}}
	case 1:
		return conversation.Cap{Origin: made, Items: []conversation.CapItem{{Event: one, Head: 5}}}
	case 2:
		return conversation.Summary{Origin: made, Spans: []conversation.Span{span()}, Text: "it was so"}
	case 3:
		return conversation.Summary{Origin: made, Spans: []conversation.Span{span()}, Policies: &conversation.Policies{ToolCalls: conversation.ToolCallsOmit}}
	case 4:
		return conversation.Drop{Origin: made, Spans: []conversation.Span{span(), span()}}
	case 5:
		return conversation.Rewind{Origin: made, Turn: rapid.IntRange(0, 5).Draw(t, "turn")}
	case 6:
		return conversation.Pin{Origin: made, Events: []uint64{one}}
	case 7:
		return conversation.Unpin{Origin: made, Events: []uint64{one}}
	}
	return conversation.Revert{Origin: made, Event: one, Epoch: rapid.SampledFrom([]uint64{0, one}).Draw(t, "epoch")}
}

var nextOffset = regexp.MustCompile(`go on with offset (\d+)`)

// pages recalls the whole text of an id, page by page, with the offsets that the answers give.
func pages(t *rapid.T, b *tools.Box, id string, limit, most int) string {
	var all strings.Builder
	for offset := 0; ; {
		args := fmt.Sprintf(`{"id":%q,"offset":%d,"limit":%d}`, id, offset, limit)
		out := b.Run(t.Context(), conversation.ToolCall{ID: "c", Name: "recall", Arguments: args}, nil)
		if out.Status != conversation.ResultOK {
			t.Fatalf("%s: %s", args, out.Text)
		}
		if n := len([]rune(out.Text)); n > most {
			t.Fatalf("%s: %d characters, %d may be shown", args, n, most)
		}
		head, body, ok := strings.Cut(out.Text, "\n\n")
		if !ok {
			t.Fatalf("%s: %s", args, out.Text)
		}
		all.WriteString(body)
		m := nextOffset.FindStringSubmatch(head)
		if m == nil {
			return all.String()
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n <= offset {
			t.Fatalf("no progress: %s", head)
		}
		offset = n
	}
}

func TestCoveredMessagesAreRecalledByteForByte(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s, covered := drawArchive(t)
		most := rapid.SampledFrom([]int{120, 300, 2000, 30_000}).Draw(t, "most")
		limit := rapid.SampledFrom([]int{30, 1000, 1 << 30}).Draw(t, "limit")
		b, err := tools.New(tools.Options{Workspace: dir, Archive: s, ResultChars: func() int { return most }, Environ: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, e := range s.events {
			id := fmt.Sprintf("e%d", e.Seq)
			switch body := e.Body.(type) {
			case conversation.UserMessage:
				same(t, id, body.Text, pages(t, b, id, limit, most))
			case conversation.ToolResult:
				want := body.Text
				if body.Blob != "" {
					want = s.blobs[body.Blob]
				}
				same(t, id, want, pages(t, b, id, limit, most))
				same(t, body.CallID, want, pages(t, b, body.CallID, limit, most))
			case conversation.AssistantMessage:
				got := pages(t, b, id, limit, most)
				if len(body.Calls) == 0 && body.Reasoning == "" {
					same(t, id, body.Text, got)
				}
				for _, part := range append([]string{body.Text, body.Reasoning}, arguments(body)...) {
					if !strings.Contains(got, part) {
						t.Fatalf("%s lacks %q: %q", id, part, got)
					}
				}
			default:
				delete(covered, e.Seq)
				if e.Body.Kind().IsOverlay() {
					checkOverlayID(t, b, s, e, most)
				}
				continue
			}
			delete(covered, e.Seq)
		}
		if len(covered) > 0 {
			t.Fatalf("covered, but not recalled: %v", covered)
		}
	})
}

func same(t *rapid.T, id, want, got string) {
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: %s", id, diff)
	}
}

func arguments(m conversation.AssistantMessage) []string {
	var list []string
	for _, c := range m.Calls {
		list = append(list, c.Arguments)
	}
	return list
}

// checkOverlayID checks that recalling an overlay shows the id of every message it
// covers.
func checkOverlayID(t *rapid.T, b *tools.Box, s memoryArchive, e conversation.Event, most int) {
	var spans []conversation.Span
	switch body := e.Body.(type) {
	case conversation.Summary:
		spans = body.Spans
	case conversation.Drop:
		spans = body.Spans
	case conversation.Mask:
		spans = []conversation.Span{{First: body.Items[0].Event, Last: body.Items[0].Event}}
	default:
		return
	}
	var want []string
	for _, x := range s.events[:e.Seq-1] {
		k := x.Body.Kind()
		if slices.ContainsFunc(spans, func(s conversation.Span) bool { return s.First <= x.Seq && x.Seq <= s.Last }) &&
			(k == conversation.KindUser || k == conversation.KindAssistant || k == conversation.KindResult) {
			want = append(want, fmt.Sprintf("e%d", x.Seq))
		}
	}
	id := fmt.Sprintf("e%d", e.Seq)
	got := pages(t, b, id, 1<<30, most)
	var ids []string
	for _, m := range regexp.MustCompile(`(?m)^--- (e\d+): `).FindAllStringSubmatch(got, -1) {
		ids = append(ids, m[1])
	}
	for _, w := range want {
		if !slices.Contains(ids, w) {
			t.Fatalf("%s lacks %s: %s", id, w, got)
		}
	}
}

func TestRecallAndSearchTakeAnyLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var l conversation.Log
		bodies := []conversation.Body{}
		for _, e := range conversationtest.Malformed(t) {
			bodies = append(bodies, e.Body)
		}
		any := rapid.OneOf(rapid.Uint64Range(0, 30), rapid.Just(^uint64(0)))
		for range rapid.IntRange(0, 5).Draw(t, "overlays") {
			spans := []conversation.Span{{First: any.Draw(t, "first"), Last: any.Draw(t, "last")}}
			made := conversation.Origin{Epoch: any.Draw(t, "epoch")}
			bodies = append(bodies, rapid.SampledFrom([]conversation.Body{
				conversation.Summary{Origin: made, Spans: spans, FromTurn: -1}, conversation.Drop{Origin: made, Spans: spans},
				conversation.Rewind{Origin: made, Turn: -3}, conversation.Rewind{Origin: made, Turn: 2},
				conversation.Revert{Origin: made, Epoch: any.Draw(t, "of")}, conversation.Revert{Origin: made, Event: any.Draw(t, "of")},
				conversation.Mask{Origin: made, Items: []conversation.MaskItem{{Event: any.Draw(t, "of"), Call: "x"}}},
				conversation.ToolResult{CallID: "a", Tool: "recall", Status: conversation.ResultOK, Blob: "beef", Total: -1},
				conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "a", Name: "recall", Arguments: fmt.Sprintf(`{"id":"e%d"}`, any.Draw(t, "of"))}}},
				conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: "e1", Name: "recall", Arguments: `{"id":"a"}`}}},
			}).Draw(t, "body"))
		}
		s := memoryArchive{events: l.Prepare(conversationtest.Epoch, bodies...)}
		b, err := tools.New(tools.Options{Workspace: dir, Archive: s, Environ: []string{}, RecallChars: func() int { return -1 }})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		ids := []string{"", "a", "beef", "call_1", "e0", "e1-30", "t0", "t0-9", "e18446744073709551615", rapid.String().Draw(t, "id")}
		for i := range s.events {
			ids = append(ids, fmt.Sprintf("e%d", i+1))
		}
		for _, id := range ids {
			for _, query := range []string{"", "a", rapid.String().Draw(t, "query")} {
				for _, c := range []conversation.ToolCall{
					{Name: "recall", Arguments: fmt.Sprintf(`{"id":%s,"query":%s}`, quoted(t, id), quoted(t, query))},
					{Name: "search_history", Arguments: fmt.Sprintf(`{"query":%s}`, quoted(t, query))},
				} {
					out := b.Run(t.Context(), c, nil)
					if out.Text == "" || strings.Contains(out.Text, "broke down") {
						t.Fatalf("%s %s: %+v", c.Name, c.Arguments, out)
					}
				}
			}
		}
	})
}

func TestRecallBringsAnImageBack(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	image := conversation.Image{Blob: "0123456789abcdef", Media: "image/png", Name: "a.png", Width: 40, Height: 30, Bytes: 2000}
	s := memoryArchive{events: l.Prepare(conversationtest.Epoch, conversation.UserMessage{Text: "look at @a.png", Images: []conversation.Image{image}},
		conversation.ToolResult{CallID: "x", Tool: "t", Text: "five", Images: []conversation.Image{image, image, image, image, image}})}
	b, err := tools.New(tools.Options{Workspace: t.TempDir(), Archive: s, Environ: []string{}, RecallChars: func() int { return 1000 }})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for id, want := range map[string]struct {
		images int
		text   string
	}{
		`{"id":"e1"}`:                   {1, "look at @a.png\n[image a.png 40x30, image/png, 2.0 KiB: it came with this message, and is kept with the conversation as 0123456789ab]"},
		`{"id":"e1","offset":5}`:        {0, "at @a.png"},
		`{"id":"e1","query":"look at"}`: {0, "look at"},
		`{"id":"e2"}`:                   {4, "with the first 4 of 5 images"},
	} {
		got := b.Run(t.Context(), conversation.ToolCall{Name: "recall", Arguments: id}, nil)
		if len(got.Images) != want.images || want.images > 0 && got.Images[0] != image || !strings.Contains(got.Text, want.text) {
			t.Errorf("%s: %+v", id, got)
		}
	}
}
