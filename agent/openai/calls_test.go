package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	piece := func(json string) string { return delta(`{"tool_calls":[` + json + `]}`) }
	list := []call{{ID: "a", Name: "ls", Arguments: `{"p":1}`}, {ID: "b", Name: "cat", Arguments: `{"q":2}`}}
	tests := []struct {
		name, body string
		want       []call
		stop       conversation.StopReason
	}{
		{"parallel, interleaved", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\""}},{"index":1,"id":"b","function":{"name":"cat","arguments":""}}`) +
			piece(`{"index":1,"function":{"arguments":"{\"q\":2}"}},{"index":0,"function":{"arguments":":1}"}}`) + calls, list, conversation.StopCalls},
		{"whole in one event, reason stop", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}},{"index":1,"id":"b","function":{"name":"cat","arguments":"{\"q\":2}"}}`) + stop,
			list, conversation.StopCalls},
		{"without index", piece(`{"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`) + piece(`{"id":"b","function":{"name":"cat","arguments":"{\"q\""}}`) +
			piece(`{"function":{"arguments":":2}"}}`) + calls, list, conversation.StopCalls},
		{"one index for all", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p\":1}"}}`) + piece(`{"index":0,"id":"b","function":{"name":"cat","arguments":"{\"q\":2}"}}`) + calls,
			list, conversation.StopCalls},
		{"id and name in every piece", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":""}}`) + piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}`) + calls,
			[]call{{ID: "a", Name: "ls", Arguments: "{}"}}, conversation.StopCalls},
		{"name in pieces", piece(`{"index":0,"id":"a","function":{"name":"read_"}}`) + piece(`{"index":0,"function":{"name":"file","arguments":"{"}}`) + piece(`{"index":0,"function":{"arguments":"}"}}`) + calls,
			[]call{{ID: "a", Name: "read_file", Arguments: "{}"}}, conversation.StopCalls},
		{"no arguments", piece(`{"index":0,"id":"a","function":{"name":"ls"}}`) + calls, []call{{ID: "a", Name: "ls"}}, conversation.StopCalls},
		{"arguments as an object", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":{"p":1}}}`) + calls,
			[]call{{ID: "a", Name: "ls", Arguments: `{"p":1}`}}, conversation.StopCalls},
		{"no reason, but whole", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}`) + done, []call{{ID: "a", Name: "ls", Arguments: "{}"}}, conversation.StopCalls},
		{"cut at the limit", piece(`{"index":0,"id":"a","function":{"name":"ls","arguments":"{ \"pa"}}`) + strings.Replace(stop, "stop", "length", 1),
			[]call{{ID: "a", Name: "ls", Arguments: `{ "pa`}}, conversation.StopLength},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := gather(t, serve(t, "custom", sse(tt.body)), user("hi"))
			if diff := cmp.Diff(tt.want, got.Calls); diff != "" || got.Stop != tt.stop || got.Err != nil {
				t.Errorf("stop %q, error %v (-want +got)\n%s", got.Stop, got.Err, diff)
			}
		})
	}
}

func TestCallsWithoutOrWithUsedIDsGetNewOnes(t *testing.T) {
	t.Parallel()
	body := delta(`{"tool_calls":[{"index":0,"id":"old","function":{"name":"ls","arguments":"{}"}},{"index":1,"id":"","function":{"name":"ls","arguments":"{}"}}]}`) + calls
	r := user("hi")
	r.Messages = append(r.Messages, assistant(conversation.ToolCall{ID: "old", Name: "ls", Arguments: "{}"}), result("old", "x"))
	got := gather(t, serve(t, "custom", sse(body)), r)
	if len(got.Calls) != 2 || got.Calls[0].ID == "old" || got.Calls[0].ID == got.Calls[1].ID || len(got.Calls[1].ID) != 9 {
		t.Errorf("calls %+v", got.Calls)
	}
}

func TestCutCallIsNotRun(t *testing.T) {
	t.Parallel()
	half := delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{\"p"}}]}`)
	whole := delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{}"}}]}`)
	for _, body := range []string{half, half + done, whole} { // behind whole, another call could have come
		if got := gather(t, serve(t, "custom", sse(body)), user("hi")); got.Err == nil || got.Err.Class != llm.Truncated {
			t.Errorf("%q: %q, %v", body, got.Stop, got.Err)
		}
	}
}
