package pane

import (
	"fmt"
	"time"
)

// Age is how long ago a time is, in the largest unit; old times are dates.
func Age(now, t time.Time) string {
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d < 48*time.Hour:
		return "1 day"
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	}
	return t.In(now.Location()).Format(time.DateOnly)
}
