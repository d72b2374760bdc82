package llm

import "fmt"

// Servers exist (llama.cpp, by default) whose slots share one cache: two requests at the same time can fill it though each
// would fit, and then both fail as too long. Such an error, without a number, on a request that is known to be smaller than
// the window is no overflow: the request is sent again.

// The share of the window up to which a request is known to be smaller than it:
// where reports taught how the model counts, and where none did.
const (
	surelySmaller  = 0.8
	likelySmaller  = 0.5
	bytesPerToken  = 3.0 // of a reply, rather more tokens than less
	cacheFullHint  = "other requests share its cache: try again when they are done, or give the server a larger one (-c), or fewer slots (-np 1)"
	cacheFullWords = "the server's cache is full, though this request is smaller than its window"
)

// Smaller reports whether a request with what came of its reply is known to be
// smaller than the window of its model.
func Smaller(m Model, factor float64, r Outgoing, rep *Reply) bool {
	if !SaidByServer(m.Window) {
		return false
	}
	share := likelySmaller
	if m.Calibration.Samples > 0 {
		share = surelySmaller
	}
	if factor <= 0 {
		factor = 1
	}
	return factor*r.Estimate+float64(rep.Bytes)/bytesPerToken <= share*float64(m.Window.Tokens)
}

// CacheFull is the failure in place of words about size that mean a full cache.
func CacheFull(e *Error) *Error {
	return &Error{
		Class: Overloaded, Message: cacheFullWords, Hint: cacheFullHint, Status: e.Status, RetryAfter: e.RetryAfter, Shared: true,
		Err: fmt.Errorf("taken for a full cache: %w", e),
	}
}
