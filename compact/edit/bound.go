package edit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds are what S64 lets the user write for the ends of a range:
//
//   - 5 is turn 5, counted from 0; -3 is the turn three before the last one
//   - 5h, 30m, 2d, 1w, 90s and sums such as 1d12h, largest unit first and each
//     once, are a time ago; a day has 24 hours
//   - last is the turn after the last one that the compactions in force cover
//   - everything else is an error that names these forms; ASCII digits only, no
//     spaces, no + and no -0

// Bound is one end of a range as the user wrote it. Which turn it means is
// decided by [ResolveRange]. The zero value is turn 0. Bounds can be compared
// with ==.
type Bound struct {
	form boundForm
	turn int           // boundTurn: the turn; boundBack: turns before the last, at least 1
	ago  time.Duration // boundAgo, not negative
}

// boundForm is what kind of text a bound was.
type boundForm int

const (
	boundTurn boundForm = iota
	boundBack
	boundAgo
	boundLast
)

// lastWord is the bound behind what is compacted already.
const lastWord = "last"

// boundForms is what an error says of the forms.
const boundForms = "write a turn (5), turns before the last one (-3), a time ago (5h, 30m, 2d, 1w, 1d12h) or last"

// The units of a time ago, largest first: their letters and lengths.
const boundLetters = "wdhms"

var boundLengths = [...]time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second}

// AtTurn is the bound that names a turn.
func AtTurn(turn int) Bound { return Bound{form: boundTurn, turn: max(0, turn)} }

// ParseBound reads a bound of a range (S64). The error names the forms, with an
// example of each, and is safe to print whatever the text was.
func ParseBound(text string) (Bound, error) {
	if b, ok := parseBound(text); ok {
		return b, nil
	}
	const shown = 40
	if r := []rune(text); len(r) > shown {
		text = string(r[:shown]) + "..."
	}
	return Bound{}, fmt.Errorf("%q is not a valid bound of a range: %s", text, boundForms)
}

func parseBound(text string) (Bound, bool) {
	if text == lastWord {
		return Bound{form: boundLast}, true
	}
	digits, back := strings.CutPrefix(text, "-")
	switch leadingDigits(digits) {
	case 0:
		return Bound{}, false
	case len(digits):
		n, err := strconv.Atoi(digits)
		if back {
			return Bound{form: boundBack, turn: n}, err == nil && n > 0
		}
		return Bound{form: boundTurn, turn: n}, err == nil
	}
	ago, ok := parseAgo(text)
	return Bound{form: boundAgo, ago: ago}, ok
}

// parseAgo reads a sum of amounts with units.
func parseAgo(text string) (time.Duration, bool) {
	var sum time.Duration
	before := -1 // index of the unit before
	for text != "" {
		n := leadingDigits(text)
		if n == 0 || n == len(text) {
			return 0, false
		}
		unit := strings.IndexByte(boundLetters, text[n])
		if unit <= before {
			return 0, false // not a unit, or not in order
		}
		amount, err := strconv.ParseInt(text[:n], 10, 64)
		length := boundLengths[unit]
		if err != nil || amount > int64((math.MaxInt64-sum)/length) {
			return 0, false
		}
		sum += time.Duration(amount) * length
		text, before = text[n+1:], unit
	}
	return sum, true
}

// leadingDigits is how many digits a text begins with.
func leadingDigits(text string) int {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}

// String is the bound as [ParseBound] reads it, in the shortest way: 90m is
// 1h30m. Weeks are told only where nothing else is left: 10d stays 10d.
func (b Bound) String() string {
	switch b.form {
	case boundBack:
		return "-" + strconv.Itoa(b.turn)
	case boundAgo:
		return agoText(b.ago)
	case boundLast:
		return lastWord
	}
	return strconv.Itoa(b.turn)
}

func agoText(ago time.Duration) string {
	if ago == 0 {
		return "0s"
	}
	var b strings.Builder
	for i, length := range boundLengths {
		if i == 0 && ago%length != 0 {
			continue
		}
		if n := ago / length; n > 0 {
			fmt.Fprintf(&b, "%d%c", n, boundLetters[i])
			ago -= n * length
		}
	}
	return b.String()
}
