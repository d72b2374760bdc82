package openai

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How long a server asks to wait. Sources in order: retry-after-ms, Retry-After in seconds or as a date, Gemini's
// retryDelay, "try again in 4.77s" in the message (Groq, OpenAI).

const longestWait = 24 * time.Hour

var tryAgain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+|\d+(?:\.\d+)? ?s)`)
})

// retryAfter returns how long to wait before a retry, 0 if the server does not ask for it.
func retryAfter(h http.Header, f *Fault, now time.Time) time.Duration {
	if d, ok := amount(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if d, ok := amount(value, time.Second); ok {
		return d
	}
	if at, err := http.ParseTime(value); err == nil {
		return clampWait(at.Sub(now))
	}
	wait := f.retryIn
	if m := tryAgain().FindStringSubmatch(f.Message); m != nil && wait == "" {
		wait = strings.ReplaceAll(strings.ToLower(m[1]), " ", "")
	}
	d, _ := time.ParseDuration(wait) // 0 if it is not a duration
	return clampWait(d)
}

// amount reads a number of units, such as 1.5.
func amount(s string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	if n > float64(longestWait/unit) {
		return longestWait, true
	}
	return clampWait(time.Duration(n * float64(unit))), true
}

func clampWait(d time.Duration) time.Duration { return min(max(d, 0), longestWait) }
