package agent_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/projection"
)

// countingProvider is a provider whose endpoint counts tokens.
type countingProvider struct {
	*agenttest.Provider
	mu    sync.Mutex // guards all below
	asked []llm.Request
	count func(context.Context, llm.Request) (int, error)
}

func (c *countingProvider) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	c.mu.Lock()
	c.asked = append(c.asked, r)
	count := c.count
	c.mu.Unlock()
	return count(ctx, r)
}

func (c *countingProvider) countRequests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.asked)
}

// startCounting starts an agent whose endpoint counts tokens and whose replies report no usage.
func startCounting(t *testing.T, count func(context.Context, llm.Request) (int, error)) (*rig, *countingProvider) {
	t.Helper()
	var script []agenttest.Reply
	for range 9 {
		script = append(script, textReply("fine"))
	}
	c := &countingProvider{Provider: agenttest.NewProvider(script...), count: count}
	r := start(t, func(o *core.Options) { o.Provider = c })
	r.provider = c.Provider
	return r, c
}

func TestTheGaugeShowsWhatTheEndpointCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, c := startCounting(t, func(context.Context, llm.Request) (int, error) { return 3005, nil })
		if n := c.countRequests(); n != 0 {
			t.Errorf("%d count requests before the first message, want none", n)
		}
		r.sendAndWait(strings.Repeat("words ", 1500))
		got := r.reading()
		if got.Estimated || got.Used != 3000 { // without the closing message
			t.Errorf("the meter shows %d, estimated %v; want the counted 3000", got.Used, got.Estimated)
		}
		q := c.asked[0]
		if last := q.Messages[len(q.Messages)-1]; last.Role != projection.RoleUser || len(q.Messages) != 3 || q.System != "be brief" {
			t.Errorf("the counted request is %+v", q)
		}
		r.sendAndWait("more")
		if got := r.reading(); !got.Estimated || c.countRequests() != 1 {
			t.Errorf("right after a count there are %d count requests, want 1", c.countRequests())
		}
		time.Sleep(time.Minute)
		r.waitIdle()
		if got := r.reading(); got.Estimated || c.countRequests() != 2 {
			t.Errorf("after a minute: estimated %v, want false; %d count requests, want 2", got.Estimated, c.countRequests())
		}
		time.Sleep(time.Hour)
		r.waitIdle()
		if n := c.countRequests(); n != 2 {
			t.Errorf("%d count requests in an idle conversation, want still 2", n)
		}
		r.finish()
		if k := r.memory.Calibration(testModel.CalibrationKey); k.Samples < 1 || k.Factor <= 1 {
			t.Errorf("the calibration is %+v, want a sample and a factor above 1", k)
		}
	})
}

func TestUnusableTokenCountsAreIgnored(t *testing.T) {
	for name, c := range map[string]struct {
		n     int
		err   error
		times int // that it is asked in three turns
	}{
		"not there":    {0, errors.New("not found"), 1},
		"busy":         {0, &llm.Error{Class: llm.Overloaded, Message: "overloaded"}, 3},
		"far too many": {4_000_000_000, nil, 3},
		"far too few":  {40, nil, 3},
	} {
		runBubble(t, name, func(t *testing.T) {
			r, counter := startCounting(t, func(context.Context, llm.Request) (int, error) { return c.n, c.err })
			for range 3 {
				r.sendAndWait(strings.Repeat("words ", 500))
				time.Sleep(time.Hour)
				r.waitIdle()
			}
			if got := r.reading(); !got.Estimated || got.Used < 1000 || got.Used > 10_000 {
				t.Errorf("the meter shows %d, estimated %v; want an estimate of 1000 to 10000", got.Used, got.Estimated)
			}
			if counter.countRequests() != c.times {
				t.Errorf("%d count requests, want %d", counter.countRequests(), c.times)
			}
			r.finish()
		})
	}
}

func TestLateTokenCountIsDropped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r, c := startCounting(t, func(ctx context.Context, _ llm.Request) (int, error) {
			select {
			case <-time.After(5 * time.Second):
				return 99_999, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		})
		r.sendAndWait("hi")
		r.sendAndWait("more")
		time.Sleep(6 * time.Second)
		r.waitIdle()
		if got := r.reading(); got.Used > 90_000 {
			t.Errorf("the meter shows %d, want 90000 at most", got.Used)
		}
		time.Sleep(time.Minute)
		r.sendAndWait(strings.Repeat("and more ", 20))
		r.finish() // while it counts
		if n := c.countRequests(); n != 3 {
			t.Errorf("%d count requests, want 3", n)
		}
	})
}
