package openai

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// A connection that waits for its next request can die unseen: llama.cpp
// announces keep-alive and closes after each streamed answer. A request that
// meets such a connection is sent again at once, and nobody is told. Rules:
//
//   - only on a connection that served before: one that is new and breaks says
//     something about the server
//   - only if not one byte of an answer came, so that no reply is paid for twice
//   - only while the caller wants it, and a few times at most: each try takes one
//     dead connection out of the pool

// maxResends is how many dead connections one request may meet.
const maxResends = 4

// resender is a RoundTripper that sends again what met a dead connection.
type resender struct {
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s resender) RoundTrip(req *http.Request) (*http.Response, error) {
	for resends := 0; ; resends++ {
		var dead, answered atomic.Bool
		trace := &httptrace.ClientTrace{
			GotConn:              func(c httptrace.GotConnInfo) { dead.Store(c.Reused) },
			GotFirstResponseByte: func() { answered.Store(true) },
		}
		resp, err := s.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
		if err == nil || !dead.Load() || answered.Load() || resends == maxResends || req.Context().Err() != nil {
			return resp, err
		}
		if req.Body == nil {
			continue
		}
		if req.GetBody == nil {
			return resp, err
		}
		body, again := req.GetBody()
		if again != nil {
			return resp, err // the first failure says more
		}
		next := *req // a RoundTripper leaves the caller's request as it is
		next.Body = body
		req = &next
	}
}
