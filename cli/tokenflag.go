package cli

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// tokenCount is a flag that takes a number of tokens: 32000, 32k or 1.5M, the
// letters standing for thousands and millions.
type tokenCount int

// errTokenCount says what such a flag takes.
var errTokenCount = errors.New("it takes a number of tokens, like 32000, 32k or 1M")

var shortCount = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)([kKmM])$`)
})

// Set reads the value of the flag.
func (t *tokenCount) Set(text string) error {
	text = strings.TrimSpace(text)
	at := shortCount().FindStringSubmatch(text)
	if at == nil {
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		if err != nil {
			return errTokenCount
		}
		*t = tokenCount(n)
		return nil
	}
	n, err := strconv.ParseFloat(at[1], 64)
	unit := 1e3
	if strings.ContainsAny(at[2], "mM") {
		unit = 1e6
	}
	if n = math.Round(n * unit); err != nil || n >= math.MaxInt {
		return errTokenCount
	}
	*t = tokenCount(n)
	return nil
}

// String is the number.
func (t *tokenCount) String() string { return strconv.Itoa(int(*t)) }

// Type names what the flag takes.
func (t *tokenCount) Type() string { return "tokens" }
