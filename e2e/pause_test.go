package e2e_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
)

// A pause lets the provider's cache go cold. The gauge counts down to it, the next message compacts below the load line, and the
// card says what the requests are smaller by from then on.
func TestAPauseCompactsOnceTheCacheIsCold(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, shortAnswer)
	term := p.startChat(size{140, 46}, s, "--cfg", "providers.custom.models={"+smallModel+": {cache_ttl: 15s}}", "--cfg", "compaction.summary.when=never")
	n := 1
	for share := 0; share < 70; n++ {
		share = term.ask(n).gaugePercent(t)
	}
	full := s.awaitRequest("last question while the cache is warm", n-1, isChat)
	counted := term.wait("the countdown", func(s screen) bool { return s.has("cache cold in ") })
	if counted.gaugePercent(t) >= 84 || counted.has("▎ Compacted") {
		t.Fatalf("the pause is not below the load line:\n%s", counted.text)
	}
	term.wait("a cold cache", func(s screen) bool { return s.has("cache cold") && !s.has("cache cold in") })
	term.ask(n)
	made := term.awaitIdle("▎ Compacted turn", " tokens a request", "the cache was cold")
	smaller := s.awaitRequest("first question after the pause", n, isChat)
	told := regexp.MustCompile(`saves ([\d.]+)(k?) tokens a request`).FindStringSubmatch(made.text)
	saved, err := strconv.ParseFloat(told[1], 64)
	if told[2] == "k" {
		saved *= 1000
	}
	question := fmt.Sprint(question(n), endOfAnswer(n))
	measured := float64(full.tokens + 2*len(question)/3 - smaller.tokens)
	if smaller.body.noteIndex() < 1 || err != nil || measured < saved*0.8 || measured > saved*1.2 {
		t.Errorf("the card says %q, the requests of %d and %d tokens differ by about %v:\n%s", told[0], full.tokens, smaller.tokens, measured, made.text)
	}
	p.quit(term)
}

// Where the configuration wants it, a pause does not let the cache go cold at once: the newest request is sent again for one token.
// The screen tells it with its price, and no message is added.
func TestAPauseKeepsTheCacheWarm(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	s := newCountingServer(t, shortAnswer)
	term := p.startChat(size{140, 46}, s, "--cfg", "context.keep_warm=true", "--cfg", "ui.titles=first-line", "--cfg",
		"providers.custom.models={"+smallModel+": {cache_ttl: 25s, prices: {input: 3, cached: 0.3, cache_write: 3.75, output: 15}}}")
	term.ask(1)
	asked := s.awaitRequest("question", 1, isChat)
	ping := s.awaitRequest("ping", 2, isChat)
	if ping.limit != 1 || len(ping.body.Messages) != len(asked.body.Messages) || ping.tokens != asked.tokens {
		t.Errorf("a ping has a limit of %d tokens, and %d messages with %d tokens; the newest request had %d with %d", ping.limit,
			len(ping.body.Messages), ping.tokens, len(asked.body.Messages), asked.tokens)
	}
	term.wait("a cache kept warm", func(s screen) bool { return s.has("cache kept warm · ") })
	term.ask(2)
	if next := s.awaitRequest("question after the pause", 3, isChat); len(next.body.Messages) != len(asked.body.Messages)+2 {
		t.Errorf("%d messages after the pause, %d before", len(next.body.Messages), len(asked.body.Messages))
	}
	p.quit(term)
}
