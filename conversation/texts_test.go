package conversation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// readText decodes strings itself; the result must be that of encoding/json.
func TestTextsDecodeAsInEncodingJSON(t *testing.T) {
	t.Parallel()
	texts := []string{
		`""`, `"a"`, `"plain"`, `"a\nb\tc\"\\\/"`, `"\u8239 \ud83d\ude42"`, `"\ud83d alone"`, "\"bad \xff byte\"", `null`,
		`"` + strings.Repeat(`long\n`, 300) + `"`, `"` + strings.Repeat("x", 3<<20) + `"`, `"` + strings.Repeat(`é\n`, 20) + `"`,
	}
	for range 2 { // the second time, short texts are interned
		for _, text := range texts {
			var want struct{ Text string }
			conversationtest.Must(t, json.Unmarshal([]byte(`{"text":`+text+`}`), &want))
			e, err := conversation.Unmarshal(fmt.Appendf(nil, `{"seq":1,"turn":0,"time":"2026-11-20T09:30:00Z","user":{"text":%s}}`, text))
			if err != nil {
				t.Fatalf("%.40s: %v", text, err)
			}
			if got := e.Body.(conversation.UserMessage).Text; got != want.Text {
				t.Errorf("%.40s is read as %.40q, want %.40q", text, got, want.Text)
			}
		}
	}
	for _, text := range []string{`1`, `true`, `{}`, `[]`, `"\x"`, `"open`} {
		if _, err := conversation.Unmarshal([]byte(`{"seq":1,"user":{"text":` + text + `}}`)); err == nil {
			t.Errorf("%s is read as a text", text)
		}
	}
}

// Decoded texts must not change while later texts are decoded into the same buffer.
func TestDecodedTextsDoNotShareTheBuffer(t *testing.T) {
	t.Parallel()
	var l conversation.Log
	var bodies []conversation.Body
	for i := range 200 {
		bodies = append(bodies, conversation.UserMessage{Text: strings.Repeat(fmt.Sprintf("line %d\n", i), 1+i%40)})
	}
	events := l.Prepare(time.Unix(0, 0), bodies...)
	var read []conversation.Event
	for _, e := range events {
		data, err := conversation.Marshal(e)
		conversationtest.Must(t, err)
		if e, err = conversation.Unmarshal(data); err != nil {
			t.Fatal(err)
		}
		read = append(read, e)
	}
	for i, e := range read {
		if !cmp.Equal(e.Body, events[i].Body) {
			t.Errorf("event %d became %+v", e.Seq, e.Body)
		}
	}
}
