package gauge

import "plimsoll/tui/pane"

// Tokens writes a number of tokens as [pane.Tokens] does; negative numbers count as 0.
func Tokens(n int) string { return pane.Tokens(max(n, 0)) }

// dollars writes a cost; negative ones count as nothing.
func dollars(usd float64) string { return pane.Dollars(max(usd, 0)) }
