package console

import (
	"fmt"
	"strconv"

	"plimsoll/compact/meter"
)

// The format of numbers and times in tables.

// TableWidth is the greatest width of a table: the terminal's columns, 0 (no limit) if standard output is no terminal.
func (c *Console) TableWidth() int { return Width(c.Stdout, 0) }

// WindowShare is tokens as a percentage of a window, as the gauge shows it.
func WindowShare(r meter.Reading, tokens int) string {
	if n := r.Percent(tokens); n > 0 || tokens == 0 {
		return strconv.Itoa(n) + "%"
	}
	return "<1%"
}

// Dollars formats an amount with two decimals, four if it is below a cent.
func Dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("%.4f", usd)
	}
	return fmt.Sprintf("%.2f", usd)
}
