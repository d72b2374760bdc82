package pane

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"plimsoll/compact/meter"
	"plimsoll/conversation/numbers"
)

// All views format numbers with these functions: tokens with about three significant
// digits, costs with cents, shares as whole percentages.

// Tokens formats a number of tokens; see [numbers.Tokens].
func Tokens(n int) string { return numbers.Tokens(n) }

// About formats an estimated number of tokens: with ~ before it, unless it is 0.
func About(n int) string {
	if n == 0 {
		return "0"
	}
	return "~" + Tokens(n)
}

// People count turns from 1; events, commands of the shell and JSON from 0.

// Turn numbers a turn as people count.
func Turn(turn int) string { return numbers.Grouped(turn + 1) }

// Turns names turns as people count.
func Turns(from, to int) string { return numbers.Turns(from+1, to+1) }

// Reason writes why a compaction was made, or why a message is sent as it is, as people count and speak.
func Reason(why string) string {
	const asked = ", focus: " // the user's own words stay
	why, focus, _ := strings.Cut(why, asked)
	return reasonTurns().ReplaceAllStringFunc(reasonWords.Replace(why), func(turns string) string {
		part := reasonTurns().FindStringSubmatch(turns)
		from, _ := strconv.Atoi(part[2])
		to, _ := strconv.Atoi(cmp.Or(part[3], part[2]))
		return part[1] + Turns(from, to)
	}) + strings.TrimSuffix(asked+focus, asked)
}

var reasonWords = strings.NewReplacer("masked", "shortened", "stripped", "left out", "evicted, note", "replaced")

// reasonTurns matches the turns that the program names in a reason.
var reasonTurns = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|^summarized: |stands for |summary of |, )turns? (\d+)(?:–(\d+))?`)
})

// Duration formats whole seconds: 4 s, 5 min 10 s.
func Duration(d time.Duration) string {
	if d = d.Truncate(time.Second); d < time.Minute {
		return strconv.Itoa(int(d.Seconds())) + " s"
	}
	if d < time.Hour {
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Dollars formats a cost in US dollars; less than a cent is <$0.01.
func Dollars(usd float64) string {
	switch {
	case usd > 0 && usd < 0.01:
		return "<$0.01"
	case usd >= 1000:
		return "$" + strconv.FormatFloat(usd, 'f', 0, 64)
	case usd < 0:
		return "-" + Dollars(-usd)
	}
	return "$" + strconv.FormatFloat(usd, 'f', 2, 64)
}

// Percent formats a part of a whole as a rounded percentage, <1% if it rounds to 0, and ""
// if whole is 0. For a part of the window use [Share].
func Percent(part, whole int) string {
	if whole <= 0 {
		return ""
	}
	return percentage(meter.Percent(part, whole), part)
}

// CountTrue returns how many flags are set.
func CountTrue(flags ...bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}
