package meter

import (
	"strconv"

	"plimsoll/tui/pane"
)

// Tokens writes a number of tokens as [pane.Tokens] does; negative numbers count as 0.
func Tokens(n int) string { return pane.Tokens(max(n, 0)) }

// dollars writes a cost; negative ones count as nothing.
func dollars(usd float64) string { return pane.Dollars(max(usd, 0)) }

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
