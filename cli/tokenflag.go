package cli

import (
	"strconv"

	"plimsoll/conversation/numbers"
)

// tokenCount is a flag that takes a number of tokens: 32000, 32k or 1.5M.
type tokenCount int

// Set reads the value of the flag.
func (t *tokenCount) Set(text string) error {
	n, err := numbers.ParseCount(text)
	if err == nil {
		*t = tokenCount(n)
	}
	return err
}

// String is the number.
func (t *tokenCount) String() string { return strconv.Itoa(int(*t)) }

// Type names the flag's value in the help.
func (t *tokenCount) Type() string { return "tokens" }
