package pane

import (
	"math"
	"strconv"
	"strings"

	"plimsoll/compact/meter"
)

// All views format numbers with these functions: tokens with about three significant
// digits, costs with cents, shares as whole percentages.

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

// About formats an estimated number of tokens: with ~ before it, unless it is 0.
func About(n int) string {
	if n == 0 {
		return "0"
	}
	return "~" + Tokens(n)
}

// decimal formats n/unit with at most this many decimal places and without trailing zeros.
func decimal(n, unit, places int) string {
	s := strconv.FormatFloat(float64(n)/float64(unit), 'f', places, 64)
	if places > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
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

// Ratio formats a number from 0 to 1 as a rounded percentage, <1% if it rounds to 0.
func Ratio(share float64) string {
	n := int(math.Round(share * 100))
	if n == 0 && share > 0 {
		return "<1%"
	}
	return strconv.Itoa(n) + "%"
}
