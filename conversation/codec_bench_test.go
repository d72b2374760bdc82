package conversation_test

import (
	"strings"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// BenchmarkUnmarshal reads stored events of 1 KB. Opening a conversation of
// 10,000 of them has a budget of 100 ms to the first frame.
func BenchmarkUnmarshal(b *testing.B) {
	var l conversation.Log
	e := l.Prepare(time.Unix(0, 0), conversation.UserMessage{Text: strings.Repeat("func main() { fmt.Println(\"x\") }\n", 32)})[0]
	data, err := conversation.Marshal(e)
	conversationtest.Must(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conversation.Unmarshal(data); err != nil {
			b.Fatal(err)
		}
	}
}
