package llm

import "fmt"

// Slots of a llama.cpp server share one cache by default. Two requests at the same time can fill it although each
// alone would fit, and then both fail as too long. Such an error without a size, for a request that is certainly
// smaller than the window, is no overflow: the request is made again.

// The share of the window below which a request is certainly smaller: with a calibrated estimate, and without one.
const (
	calibratedShare   = 0.8
	uncalibratedShare = 0.5
	bytesPerToken     = 3.0 // of a reply; a low figure, so that its tokens are not underestimated
	cacheFullHint     = "other requests share its cache: try again when they are done, or give the server a larger one (-c), or fewer slots (-np 1)"
	cacheFullWords    = "the server's cache is full, though this request is smaller than its window"
)

// RecogniseFullCache replaces an overflow error without sizes by a temporary failure, if the request, with the part of the
// reply that arrived, is certainly smaller than the window of m. factor calibrates the estimate.
func RecogniseFullCache(e *Error, m Model, factor float64, r Outgoing, rep *Reply) *Error {
	if e.Class != Overflow || e.Window > 0 || e.Requested > 0 || !certainlyFits(m, factor, r, rep) {
		return e
	}
	return &Error{
		Class: Overloaded, Message: cacheFullWords, Hint: cacheFullHint, Status: e.Status, RetryAfter: e.RetryAfter,
		SharedCacheFull: true, Err: fmt.Errorf("taken for a full cache: %w", e),
	}
}

func certainlyFits(m Model, factor float64, r Outgoing, rep *Reply) bool {
	if !FromServer(m.Window) {
		return false
	}
	share := uncalibratedShare
	if m.Calibration.Samples > 0 {
		share = calibratedShare
	}
	if factor <= 0 {
		factor = 1
	}
	return factor*r.Estimate+float64(rep.Bytes)/bytesPerToken <= share*float64(m.Window.Tokens)
}
