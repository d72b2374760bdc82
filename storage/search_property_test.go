package storage_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/find"
	"plimsoll/storage"
)

// searchedTexts returns the searched texts of an event. It does not use the code under
// test.
func searchedTexts(t *rapid.T, b conversation.Body) []string {
	switch b := b.(type) {
	case conversation.UserMessage:
		return []string{b.Text}
	case conversation.AssistantMessage:
		texts := []string{b.Text, b.Reasoning}
		for _, c := range b.Calls {
			var arguments any
			must(t, json.Unmarshal([]byte(c.Arguments), &arguments))
			texts = append(texts, strings.Join(jsonScalars(arguments), "\n"))
		}
		return texts
	case conversation.ToolResult:
		return []string{b.Text}
	case conversation.Renamed:
		return []string{b.Title}
	}
	return nil
}

func jsonScalars(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			out = append(out, jsonScalars(one)...)
		}
	case []any:
		for _, one := range v {
			out = append(out, jsonScalars(one)...)
		}
	case string:
		out = append(out, v)
	case float64:
		out = append(out, fmt.Sprint(v))
	}
	return out
}

// asArguments encodes a text in the arguments of a tool call, in one of the ways in which models
// write JSON.
func asArguments(t *rapid.T, text string) string {
	switch rapid.IntRange(0, 3).Draw(t, "spelling") {
	case 0:
		raw, _ := json.Marshal(map[string]any{"status": []any{1, text}}) // cannot fail for strings
		return string(raw)
	case 1:
		var b strings.Builder
		for _, r := range text {
			if r > 0xffff {
				r = 'x'
			}
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		return `{"a":{"text":"` + b.String() + `"},"b":[[],{}],"c":7}`
	case 2:
		raw, _ := conversation.EncodeJSON(map[string]any{"text": text}) // as above
		return strings.ReplaceAll(string(raw), "/", `\/`)
	}
	return text // invalid JSON, which is stored as an object
}

// A search of the stored bytes finds exactly the events that a search of all decoded texts finds.
func TestSearchFindsAllMatches(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	words := []string{"read", "status", "text", "a/b", "漢字", "É", "k", `"`, `\`, "\n", " ", "u", "7", "\u2028", "<"}
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		var l conversation.Log
		must(t, l.Commit(l.Prepare(start, conversation.UserMessage{Text: "hello"})))
		for _, e := range conversationtest.Log(t) {
			must(t, l.Commit(l.Prepare(start, e.Body)))
		}
		for range rapid.IntRange(0, 6).Draw(t, "more") {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8).Draw(t, "text"), "")
			call := conversation.ToolCall{ID: "c", Name: "t", Arguments: asArguments(t, text)}
			must(t, l.Commit(l.Prepare(start, rapid.SampledFrom([]conversation.Body{
				conversation.UserMessage{Text: text}, conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd},
				conversation.AssistantMessage{Calls: []conversation.ToolCall{call}, Stop: conversation.StopCalls},
				conversation.AssistantMessage{Calls: []conversation.ToolCall{call, call}, Stop: conversation.StopCalls},
				conversation.AssistantMessage{Text: text, Calls: []conversation.ToolCall{call}, Stop: conversation.StopCalls},
				conversation.ToolResult{CallID: "c", Tool: "t", Text: text}, conversation.Renamed{Title: text},
				conversation.Notice{Text: text},
			}).Draw(t, "body"))))
		}
		workspace := fmt.Sprint("/w", n)
		w, err := s.Create(t.Context(), storage.NewConversation{Workspace: workspace})
		must(t, err)
		must(t, w.Append(t.Context(), l.Events()))
		must(t, w.Close())
		q, err := find.Parse(strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "query"), ""))
		if err != nil {
			return
		}
		var want, got []uint64
		for _, e := range slices.Backward(l.Events()) {
			if slices.ContainsFunc(searchedTexts(t, e.Body), func(text string) bool { _, ok := q.Find(text); return ok }) {
				want = append(want, e.Seq)
			}
		}
		report, err := s.Search(t.Context(), q, storage.SearchOptions{Workspace: workspace, PerConversation: 1000, Limit: 1000}, func(h find.Hit) bool {
			got = append(got, h.Event)
			return true
		})
		must(t, err)
		if d := cmp.Diff(want, got); d != "" || report.Damaged > 0 || report.Conversations != 1 {
			t.Fatalf("%s: %+v (-want +got)\n%s", q, report, d)
		}
	})
}
