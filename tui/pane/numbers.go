package pane

import (
	"strconv"

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
