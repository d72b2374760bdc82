package console

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/conversation/numbers"
)

// Numbers and times as tables show them.

// Limit is how wide a table may be: that of the terminal, 0 elsewhere.
func (c *Console) Limit() int {
	if !Terminal(c.Stdout) {
		return 0
	}
	return Width(c.Stdout, 0)
}

// Ago says how long before now a time is, in the largest fitting unit; old
// times are dates.
func Ago(now, t time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 7*24*time.Hour:
		return numbers.Count(int(d.Hours()/24), "day") + " ago"
	}
	return t.In(now.Location()).Format(time.DateOnly)
}

// WindowShare is tokens as a share of a window, the number that the gauge shows.
func WindowShare(r meter.Reading, tokens int) string {
	if n := r.Percent(tokens); n > 0 || tokens == 0 {
		return strconv.Itoa(n) + "%"
	}
	return "<1%"
}

// Percent is a share as people read it; what is there but small is not 0.
func Percent(share float64) string {
	if share > 0 && share < 0.005 {
		return "<1%"
	}
	return fmt.Sprintf("%d%%", int(math.Round(100*share)))
}

// Dollars is an amount with cents, and with more digits where it is less.
func Dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("%.4f", usd)
	}
	return fmt.Sprintf("%.2f", usd)
}
