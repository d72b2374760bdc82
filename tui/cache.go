package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
)

// The provider's cache goes cold when nothing is sent for a while, without any other
// sign. The gauge says so from that moment on, and the context view what comes of it.

// coldMsg says that a cache may have gone cold. The clock decides, because timers
// stand still while a machine sleeps.
type coldMsg struct{}

// goesCold takes over from when on the cache is cold, and wakes the screen then.
func (m *Model) goesCold(at time.Time) tea.Cmd {
	m.talk.coldAt = at
	return m.wakeCold()
}

// wakeCold wakes the screen when the cache goes cold. A wake that is due no later looks
// again when it comes, so that replies in a row leave one timer and not one each.
func (m *Model) wakeCold() tea.Cmd {
	at, now := m.talk.coldAt, m.options.Now()
	if !at.After(now) || m.talk.wakesAt.After(now) && !m.talk.wakesAt.After(at) {
		return nil
	}
	m.talk.wakesAt = at
	return wakeAfter(m.ctx, at.Sub(now))
}

// wokeCold has the screen look again. The gauge is drawn anew after every message.
func (m *Model) wokeCold() tea.Cmd {
	m.views.stale = true
	m.talk.wakesAt = time.Time{}
	return m.wakeCold()
}

// wakeAfter says after a while that a cache may have gone cold.
func wakeAfter(ctx context.Context, d time.Duration) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return coldMsg{}
		case <-ctx.Done():
			return nil
		}
	}
}

// cacheCold reports whether the provider's cache no longer holds the conversation. A
// reply that arrives says that it does again.
func (m *Model) cacheCold() bool {
	at := m.talk.coldAt
	return !at.IsZero() && !m.options.Now().Before(at) && m.status.now.Phase != agent.Streaming
}

// coldClock is the first full minute at which the cache is cold, for a sentence; ""
// where that is not known.
func (m *Model) coldClock() string {
	at, now := m.talk.coldAt, m.options.Now()
	if at.IsZero() {
		return ""
	}
	if minute := at.Truncate(time.Minute); minute.Before(at) {
		at = minute.Add(time.Minute)
	}
	at = at.In(m.zone())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("15:04 on Monday")
}
