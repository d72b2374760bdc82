package pane

import (
	"fmt"
	"time"
)

// Age formats how long ago t is in its largest unit, or t as a date if that is a week or more.
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
