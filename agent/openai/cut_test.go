package openai_test

import (
	"net/http"
	"testing"

	"plimsoll/conversation"
)

// A reply that ends before it said that it has ended, wherever that is, is tried
// again: it is no answer, and no failure that would come again.
func TestRepliesCutAtAnyByteAreTriedAgain(t *testing.T) {
	t.Parallel()
	whole := `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`
	for name, body := range map[string]string{"stream": hello + stop, "named events": "event: message\n" + hello + stop, "whole": whole, "messages": answered("Hello")} {
		cut := make(chan int, 1)
		provider := "custom"
		if name == "messages" {
			provider = "anthropic"
		}
		c := serve(t, provider, func(w http.ResponseWriter, _ *http.Request) { write(w, body[:<-cut]) })
		for n := range len(body) {
			cut <- n
			got := gather(t, c, user("hi"))
			switch {
			case got.Err == nil && (got.Text != "Hello" || got.Stop != conversation.StopEnd):
				t.Errorf("%s cut at %d: %q, %q is an answer", name, n, got.Text, got.Stop)
			case got.Err != nil && !got.Err.Retryable():
				t.Errorf("%s cut at %d: %v is final", name, n, got.Err)
			}
		}
	}
}
