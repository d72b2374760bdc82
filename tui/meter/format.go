package meter

import (
	"strconv"
	"strings"
)

// Tokens writes a number of tokens in at most five characters up to a hundred
// million: 999, 1.2k, 78.1k, 128k, 1.05M. Negative numbers count as 0.
func Tokens(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(max(n, 0))
	case n < 99_950:
		return decimal(n, 1000, 1) + "k"
	case n < 999_500:
		return decimal(n, 1000, 0) + "k"
	case n < 99_995_000:
		return decimal(n, 1_000_000, 2) + "M"
	}
	return decimal(n, 1_000_000, 0) + "M"
}

// decimal is n/unit, rounded, with at most so many places and no zeros at the
// end.
func decimal(n, unit, places int) string {
	s := strconv.FormatFloat(float64(n)/float64(unit), 'f', places, 64)
	if places > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// dollars writes a cost: $0.00 for nothing, <$0.01 for less than a cent.
func dollars(usd float64) string {
	switch {
	case usd > 0 && usd < 0.01:
		return "<$0.01"
	case usd >= 1000:
		return "$" + strconv.FormatFloat(usd, 'f', 0, 64)
	}
	return "$" + strconv.FormatFloat(max(usd, 0), 'f', 2, 64)
}

// share writes a ratio as a whole percentage, rounded.
func share(ratio float64) string {
	return strconv.Itoa(int(ratio*100+0.5)) + "%"
}

// percent writes tokens as a share of the window. It is cut, not rounded, so
// that a reading below a line never shows the line's number early; at or over
// the line it shows at least the line's number.
func percent(tokens, line, window int) string {
	n := int(float64(tokens) / float64(window) * 100)
	if line > 0 && tokens >= line {
		n = max(n, linePercent(line, window))
	}
	if n == 0 && tokens > 0 {
		return "<1%"
	}
	return strconv.Itoa(n) + "%"
}

// linePercent is the load line as a whole percentage, rounded: lines come from
// ratios such as 0.85 and lose a fraction of a token on the way.
func linePercent(line, window int) int {
	return int(float64(line)/float64(window)*100 + 0.5)
}
