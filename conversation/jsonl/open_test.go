package jsonl_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
)

// Results without a call id answer the oldest open call of the newest reply, whatever the
// order of the other results and the repetitions of ids.
func TestResultsWithoutIDsAnswerTheOldestOpenCall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines, want []string
		var waiting []string
		for range rapid.IntRange(1, 3).Draw(t, "replies") {
			waiting = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 8).Draw(t, "calls")
			lines = append(lines, replyCalling(waiting))
			for range rapid.IntRange(0, 10).Draw(t, "results") {
				id := rapid.SampledFrom([]string{"", "", "a", "b", "x"}).Draw(t, "id")
				lines = append(lines, fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"r"}`, id))
				if id == "" && len(waiting) > 0 {
					id = waiting[0]
				}
				want = append(want, id)
				if i := slices.Index(waiting, id); i >= 0 {
					waiting = slices.Delete(slices.Clone(waiting), i, i+1)
				}
			}
		}
		d, _, err := jsonl.Read(strings.NewReader(strings.Join(lines, "\n")))
		conversationtest.Must(t, err)
		var got []string
		for _, m := range d.Messages {
			if m.Role == jsonl.RoleTool {
				got = append(got, m.Result.CallID)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func replyCalling(ids []string) string {
	calls := make([]string, 0, len(ids))
	for _, id := range ids {
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"f","arguments":"{}"}}`, id))
	}
	return `{"role":"assistant","content":"","tool_calls":[` + strings.Join(calls, ",") + `]}`
}

// BenchmarkRead reads 50,000 messages. Budget: 1.5 s each, whatever their shape.
func BenchmarkRead(b *testing.B) {
	const messages = 50_000
	chat := strings.Repeat(`{"role":"user","content":"`+strings.Repeat("word ", 40)+`"}`+"\n"+
		`{"role":"assistant","content":"`+strings.Repeat("word ", 40)+`","ts":1767323045123,"usage":{"prompt_tokens":900}}`+"\n", messages/2)
	var tools strings.Builder
	ids := make([]string, 0, messages)
	for i := range messages {
		ids = append(ids, fmt.Sprint("call_", i))
	}
	for i := range messages / 2 {
		text, _ := json.Marshal(strings.Repeat("line of a file\n", 40)) // a text always has a JSON form
		fmt.Fprintf(&tools, "%s\n{\"role\":\"tool\",\"tool_call_id\":%q,\"content\":%s}\n", replyCalling(ids[i:i+1]), ids[i], text)
	}
	for name, text := range map[string]string{"chat": chat, "tools": tools.String()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, _, err := jsonl.Read(strings.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
