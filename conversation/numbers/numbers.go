// Package numbers formats whole numbers and amounts in English, the same way in every view, page and tool result.
//
// It imports no other package of the program, so that all can use it.
package numbers

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Grouped writes a whole number with commas between thousands: 81,114.
func Grouped(n int) string {
	text := strconv.AppendInt(make([]byte, 0, 32), int64(n), 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = slices.Insert(text, i, ',')
	}
	return string(text)
}

// Count writes an amount with its noun, which gets an s in the plural: 1 file, 2,048 files.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Turns names a turn, or the turns from one to another: turn 3, turns 1–7.
func Turns(from, to int) string {
	if from >= to {
		return "turn " + strconv.Itoa(from)
	}
	return "turns " + strconv.Itoa(from) + "–" + strconv.Itoa(to)
}

// Percent writes a share from 0 to 1 as a whole percentage: 42%, and <1% for one that is too small.
func Percent(share float64) string {
	n := int(math.Round(share * 100))
	if n == 0 && share > 0 {
		return "<1%"
	}
	return strconv.Itoa(n) + "%"
}

// Age writes the time since t in its largest unit, such as 5 min ago, or t as a date if that is a week or more. It is "" for no
// time.
func Age(now, t time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min ago"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h ago"
	case d < 7*24*time.Hour:
		return Count(int(d.Hours()/24), "day") + " ago"
	}
	return t.In(now.Location()).Format(time.DateOnly)
}

// Bytes writes a number of bytes: 812 B, 4.1 KiB, 3.0 MiB.
func Bytes(n int64) string {
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " B"
	}
	size, unit := float64(n)/(1<<10), 0
	for ; size >= 1<<10 && unit < 2; unit++ {
		size /= 1 << 10
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + []string{" KiB", " MiB", " GiB"}[unit]
}

// errCount shows how to write a number of tokens.
var errCount = errors.New("it takes a number of tokens, like 32000, 32k or 1M")

// Tokens formats a number of tokens in at most five characters up to a hundred
// million: 999, 1.2k, 78.1k, 128k, 1.05M. Negative numbers begin with a minus.
func Tokens(n int) string {
	switch {
	case n < 0:
		return "-" + Tokens(-max(n, -math.MaxInt))
	case n < 1000:
		return strconv.Itoa(n)
	case n < 99_950:
		return decimal(n, 1000, 1) + "k"
	case n < 999_500:
		return decimal(n, 1000, 0) + "k"
	case n < 99_995_000:
		return decimal(n, 1_000_000, 2) + "M"
	}
	return decimal(n, 1_000_000, 0) + "M"
}

// decimal formats n/unit with at most this many decimal places and without trailing zeros.
func decimal(n, unit, places int) string {
	s := strconv.FormatFloat(float64(n)/float64(unit), 'f', places, 64)
	if places > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// ParseCount reads a number of tokens as people write it: 32000, 32k or 1.5M, where k is thousand and M is million.
func ParseCount(text string) (int, error) {
	text = strings.TrimSpace(text)
	digits := strings.TrimRight(text, "kKmM")
	if len(digits) == len(text) {
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		if err != nil {
			return 0, errCount
		}
		return int(n), nil
	}
	unit, known := map[string]float64{"k": 1e3, "m": 1e6}[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseFloat(digits, 64)
	if n = math.Round(n * unit); err != nil || !known || strings.Trim(digits, "0123456789.") != "" || n >= math.MaxInt {
		return 0, errCount
	}
	return int(n), nil
}
