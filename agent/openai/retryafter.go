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

// How long a server asks to wait: retry-after-ms, then Retry-After in seconds
// or as a date, then Gemini's retryDelay, then "try again in 4.77s" in the
// words (Groq, OpenAI). x-should-retry says whether to try at all.

const longestWait = 24 * time.Hour

var tryAgain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)\b`)
})
var tryAgainSeconds = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?sec`)
})

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
	if d, err := time.ParseDuration(f.retryIn); err == nil && d > 0 {
		return clampWait(d)
	}
	if m := tryAgain().FindStringSubmatch(f.Message); m != nil {
		if d, err := time.ParseDuration(strings.ToLower(m[1])); err == nil {
			return clampWait(d)
		}
	}
	if m := tryAgainSeconds().FindStringSubmatch(f.Message); m != nil {
		d, _ := amount(m[1], time.Second)
		return d
	}
	return 0
}

// amount reads a number of units, which may have a fraction.
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

// shouldRetry reads x-should-retry: whether the server sent it, and what it says.
func shouldRetry(h http.Header) (sent, retry bool) {
	switch strings.ToLower(strings.TrimSpace(h.Get("X-Should-Retry"))) {
	case "true":
		return true, true
	case "false":
		return true, false
	}
	return false, false
}
