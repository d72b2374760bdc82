package jsonl_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/conversationtest"
	"plimsoll/conversation/jsonl"
)

// FuzzRead reads any bytes. A document that was read must be the same after writing and reading again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"{\"meta\":{\"title\":\"t\",\"compact_at\":[1]}}\n{\"role\":\"user\",\"content\":\"hi\",\"ts\":1767323045123}\n",
		`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"image_url"}],"tool_calls":[{"function":{"name":"x","arguments":{}}}],"usage":{"prompt_tokens":1.5,"cost":1e9}}`,
		"{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":null,\"x_total\":5,\"x_shown\":1,\"x_duration_ms\":1e12}\n{\"role\":\"us",
		"\ufeff{\"role\":\"system\",\"content\":\"\\ud800 \\u0000\"}\r\n[1]\nnull\n{}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, _, err := jsonl.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		texts := textStore{}
		events, err := d.Events(jsonl.Options{Keep: texts.keep})
		conversationtest.Must(t, err)
		if len(jsonl.FromLog(events, texts.text).Messages) == 0 {
			return // system messages without a text
		}
		once := exportAndImport(t, events, texts, texts)
		twice := exportAndImport(t, once, texts, texts)
		if diff := cmp.Diff(once, twice); diff != "" {
			t.Fatalf("(-once +twice):\n%s", diff)
		}
	})
}
