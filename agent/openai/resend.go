package openai

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// A connection that waits for its next request can die unseen: llama.cpp
// announces keep-alive and closes after each streamed answer. A request that
// meets such a connection is sent again at once and silently. Rules:
//
//   - only on a connection that served before: one that is new and breaks says
//     something about the server
//   - only if not one byte of an answer came, and soon after the request was
//     written: what breaks later may have been at work on it, and a reply must not
//     be paid for twice unseen
//   - only while the caller wants it, and a few times at most: each try takes one
//     dead connection out of the pool

// maxResends is how many dead connections one request may meet.
const maxResends = 4

// deadWithin is how soon after a request a connection that was dead already breaks.
const deadWithin = 10 * time.Second

// resender is a RoundTripper that sends again what met a dead connection.
type resender struct {
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s resender) RoundTrip(req *http.Request) (*http.Response, error) {
	for resends := 0; ; resends++ {
		var dead, answered atomic.Bool
		var written atomic.Int64 // when, in nanoseconds since began; 0 until then
		began := time.Now()
		trace := &httptrace.ClientTrace{
			GotConn:              func(c httptrace.GotConnInfo) { dead.Store(c.Reused) },
			GotFirstResponseByte: func() { answered.Store(true) },
			WroteRequest: func(i httptrace.WroteRequestInfo) {
				if i.Err == nil {
					written.Store(max(1, int64(time.Since(began))))
				}
			},
		}
		resp, err := s.next.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
		late := written.Load() > 0 && time.Since(began)-time.Duration(written.Load()) > deadWithin
		if err == nil || late || !dead.Load() || answered.Load() || resends == maxResends || req.Context().Err() != nil {
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
