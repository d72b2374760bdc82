package tui_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// coldWord is the gauge's text for a cold cache, and countdown its text before that.
var (
	coldWord  = regexp.MustCompile(`cache cold(\s+\$[\d.]+)?\s*$`)
	countdown = regexp.MustCompile(`\bcold (?:in )?(\d+[ms])\b`)
)

func gaugeLine(r *rig) string {
	for l := range strings.SplitSeq(r.text(), "\n") {
		if strings.Contains(l, "▏") && strings.Contains(l, "%") {
			return l
		}
	}
	return ""
}

func TestTheGaugeShowsAColdCache(t *testing.T) {
	for _, at := range [][2]int{{120, 40}, {80, 24}, {40, 12}} {
		screenOf(t, strings.Join([]string{"at", string(rune('0' + at[0]/40))}, " "), nil, func(r *rig) {
			r.resize(at[0], at[1])
			wantCold := func(want bool, when string) {
				r.t.Helper()
				if got := coldWord.MatchString(gaugeLine(r)); got != want {
					r.t.Errorf("%s: cold is %v in %q", when, got, gaugeLine(r))
				}
			}
			r.sendUpdates(metered(), updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
			wantCold(false, "at first")
			r.wait(4 * time.Minute)
			wantCold(false, "before the cache is cold")
			r.wait(2 * time.Minute)
			wantCold(true, "after the cache is cold")
			r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
			wantCold(true, "while the next request waits")
			r.sendUpdates(updates.Status{Phase: updates.Streaming, Since: time.Now()})
			wantCold(false, "while its reply arrives")
			r.sendUpdates(updates.Status{Phase: updates.Idle, Since: time.Now()})
			r.sendUpdates(updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
			wantCold(false, "after another reply")
			r.wait(time.Minute)
			r.sendUpdates(updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
			r.wait(4*time.Minute + 30*time.Second)
			wantCold(false, "when the cache would have gone cold without the newest reply")
			r.wait(time.Minute)
			wantCold(true, "after the lifetime of the newest reply")
			r.sendUpdates(updates.CacheCold{At: time.Now().Add(time.Hour)}, updates.CacheCold{At: time.Now().Add(time.Minute)})
			wantCold(false, "with a shorter lifetime")
			r.wait(2 * time.Minute)
			wantCold(true, "at the end of the shorter lifetime")
			r.sendUpdates(updates.CacheCold{At: time.Now().Add(-time.Second)})
			wantCold(true, "after another model")
			r.sendUpdates(updates.CacheCold{})
			wantCold(false, "without a cache")
			r.wait(6 * time.Minute)
			wantCold(false, "later without a cache")
		})
	}
}

func TestTheGaugeCountsDownToTheColdCache(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		screenOf(t, "at "+strconv.Itoa(size[0]), nil, func(r *rig) {
			r.resize(size[0], size[1])
			wantCountdown := func(want, when string) {
				r.t.Helper()
				got := ""
				if m := countdown.FindStringSubmatch(gaugeLine(r)); m != nil {
					got = m[1]
				}
				if got != want {
					r.t.Errorf("%s: the countdown is %q, want %q: %q", when, got, want, gaugeLine(r))
				}
			}
			r.sendUpdates(metered(), updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
			wantCountdown("", "long before")
			r.wait(4*time.Minute + 20*time.Second)
			wantCountdown("40s", "in the last minute")
			r.wait(33 * time.Second)
			wantCountdown("10s", "near the end")
			r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
			wantCountdown("", "while a request is under way")
			r.sendUpdates(updates.Status{Phase: updates.Idle, Since: time.Now()}, updates.CacheCold{At: time.Now().Add(time.Hour)})
			wantCountdown("", "after another reply, kept for an hour")
			r.wait(51*time.Minute + 30*time.Second)
			wantCountdown("9m", "in the last ten minutes")
			r.send(tea.BlurMsg{})
			wantCountdown("", "without the focus")
			r.wait(5 * time.Minute)
			r.send(tea.FocusMsg{})
			wantCountdown("4m", "with the focus again")
			r.wait(4 * time.Minute)
			wantCountdown("", "when it is cold")
		})
	}
}

func TestTheGaugeSaysThatTheCacheWasKeptWarm(t *testing.T) {
	screenOf(t, "in a pause", nil, func(r *rig) {
		r.resize(140, 40)
		want := func(text string, shown bool) {
			r.t.Helper()
			if got := gaugeLine(r); strings.Contains(got, text) != shown {
				r.t.Errorf("%q is shown, want it with %q: %v", got, text, shown)
			}
		}
		cost := 0.03
		ping := conversation.Usage{Purpose: conversation.PurposeWarm, Prompt: 90_000, CostUSD: &cost}
		r.sendUpdates(updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
		r.appendEvents(ping)
		want("cache kept warm · $0.03", true)
		r.appendEvents(ping)
		want("cache kept warm · $0.06", true)
		r.wait(6 * time.Minute)
		want("cache cold", true)
		r.sendUpdates(updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
		r.appendEvents(conversation.UserMessage{Text: "back again"})
		want("kept warm", false)
	})
}
