package demo

import (
	"strings"
	"testing"
	"time"
)

func TestCacheForgetsPromptsAfterItsLifetime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)
	prompt := strings.Repeat("abcd", 1000)
	for after, want := range map[time.Duration]int{cacheLife: 960, cacheLife + time.Second: 0} {
		var c prefixCache
		c.store(prompt, now)
		if got := c.match(prompt+"x", now.Add(after)); got != want {
			t.Errorf("%d tokens are cached after %v, want %d", got, after, want)
		}
	}
}
