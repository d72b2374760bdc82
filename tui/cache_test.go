package tui_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent/updates"
)

// coldWord is the gauge's text for a cold cache, and countdown its text before that.
var (
	coldWord  = regexp.MustCompile(`\bcold\s*$`)
	countdown = regexp.MustCompile(`\bcold (?:in )?(\d+[ms])\b`)
)

// gaugeLine returns the line with the gauge.
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
			cold := func(want bool, when string) {
				r.t.Helper()
				if got := coldWord.MatchString(gaugeLine(r)); got != want {
					r.t.Errorf("%s: cold is %v in %q", when, got, gaugeLine(r))
				}
			}
			r.sendUpdates(metered(), updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
			cold(false, "at first")
			r.wait(4 * time.Minute)
			cold(false, "before its time")
			r.wait(2 * time.Minute)
			cold(true, "after it")
			r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
			cold(true, "while the next request is read")
			r.sendUpdates(updates.Status{Phase: updates.Streaming, Since: time.Now()})
			cold(false, "while its reply arrives")
			r.sendUpdates(updates.Status{Phase: updates.Idle, Since: time.Now()})
			r.sendUpdates(updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
			cold(false, "after another reply")
			r.wait(time.Minute)
			r.sendUpdates(updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
			r.wait(4*time.Minute + 30*time.Second)
			cold(false, "when the cache would have gone cold without the newest reply")
			r.wait(time.Minute)
			cold(true, "when that is past, too")
			r.sendUpdates(updates.CacheCold{At: time.Now().Add(time.Hour)}, updates.CacheCold{At: time.Now().Add(time.Minute)})
			cold(false, "with a shorter lifetime")
			r.wait(2 * time.Minute)
			cold(true, "at the end of the shorter one")
			r.sendUpdates(updates.CacheCold{At: time.Now().Add(-time.Second)})
			cold(true, "after another model")
			r.sendUpdates(updates.CacheCold{})
			cold(false, "without a cache")
			r.wait(6 * time.Minute)
			cold(false, "without a cache, whatever time passes")
		})
	}
}

func TestTheGaugeCountsDownToTheColdCache(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		screenOf(t, "at "+strconv.Itoa(size[0]), nil, func(r *rig) {
			r.resize(size[0], size[1])
			says := func(want, when string) {
				r.t.Helper()
				got := ""
				if m := countdown.FindStringSubmatch(gaugeLine(r)); m != nil {
					got = m[1]
				}
				if got != want {
					r.t.Errorf("%s: it counts down from %q, want %q: %q", when, got, want, gaugeLine(r))
				}
			}
			r.sendUpdates(metered(), updates.CacheCold{At: time.Now().Add(5 * time.Minute)})
			says("", "long before")
			r.wait(4*time.Minute + 20*time.Second)
			says("40s", "in the last minute")
			r.wait(33 * time.Second)
			says("10s", "near the end")
			r.sendUpdates(updates.Status{Phase: updates.Waiting, Since: time.Now()})
			says("", "while a request is under way")
			r.sendUpdates(updates.Status{Phase: updates.Idle, Since: time.Now()}, updates.CacheCold{At: time.Now().Add(time.Hour)})
			says("", "after another reply, kept for an hour")
			r.wait(51*time.Minute + 30*time.Second)
			says("9m", "in the last ten minutes")
			r.send(tea.BlurMsg{})
			says("", "while nobody looks")
			r.wait(5 * time.Minute)
			r.send(tea.FocusMsg{})
			says("4m", "when somebody looks again")
			r.wait(4 * time.Minute)
			says("", "when it is cold")
		})
	}
}
