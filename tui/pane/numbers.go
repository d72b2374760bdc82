package pane

import (
	"math"
	"strconv"
	"strings"

	"plimsoll/compact/meter"
)

// Numbers are written alike in every view: tokens with three digits that count,
// amounts in cents, shares as whole percentages.

// Tokens writes a number of tokens in at most five characters up to a hundred
// million: 999, 1.2k, 78.1k, 128k, 1.05M. Negative numbers have a minus before.
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

// About is Tokens of an estimate: with ~ before all but nothing.
func About(n int) string {
	if n == 0 {
		return "0"
	}
	return "~" + Tokens(n)
}

// decimal is n/unit, rounded, with at most so many places and no zeros at the end.
func decimal(n, unit, places int) string {
	s := strconv.FormatFloat(float64(n)/float64(unit), 'f', places, 64)
	if places > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Dollars writes a cost: $0.00 for nothing, <$0.01 for less than a cent.
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

// Percent writes a part of a whole as a rounded percentage, <1% for a little and
// "" where there is no whole. Of a window it is [Share].
func Percent(part, whole int) string {
	if whole <= 0 {
		return ""
	}
	return percentage(meter.Percent(part, whole), part)
}

// Ratio writes a share of one as a rounded percentage, <1% for a little.
func Ratio(share float64) string {
	n := int(math.Round(share * 100))
	if n == 0 && share > 0 {
		return "<1%"
	}
	return strconv.Itoa(n) + "%"
}
