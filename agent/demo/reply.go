package demo

import (
	"net/http"
	"time"
)

// A reply is made whole, cut to the room it has, and then sent token by token,
// so that the usage counts what was sent.

// reply is what the model says next. With calls, the text leads up to them.
type reply struct {
	reasoning, text string
	calls           []call
}

// call is a tool call with its arguments as JSON.
type call struct{ tool, arguments string }

// abortIf breaks the connection: returning would end the stream as if it were
// complete.
func abortIf(err error) {
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

// pace is how many tokens of a reply of n are sent per second.
func (o Options) pace(n int) int {
	if o.Pace <= 0 {
		return o.Pace
	}
	return max(o.Pace, n/int(longestReply/time.Second)+1)
}
