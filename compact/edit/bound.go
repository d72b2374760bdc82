package edit

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bound is one end of a range as the user wrote it (JP's RFD 064): a turn (5, counted from 0), turns
// before the last one (-3), a time ago (5h, 30m, 2d, 1w, 90s), or "last": the turn
// after the last one that the compactions in force cover. [ResolveRange] finds the turn
// that the bound names. The zero value is turn 0.
type Bound struct {
	text string
	kind boundKind
	turn int           // boundTurn: the turn; boundFromEnd: turns before the last, at least 1
	ago  time.Duration // boundAgo, not negative
}

// CountedFromOne returns a bound that a person wrote who counts turns from 1. b may be nil.
func (b *Bound) CountedFromOne() *Bound {
	if b == nil || b.kind != boundTurn {
		return b
	}
	counted := *b
	counted.turn = max(0, b.turn-1)
	return &counted
}

type boundKind int

const (
	boundTurn boundKind = iota
	boundFromEnd
	boundAgo
	boundAfterCompacted // the turn after the last compacted one
)

// lastWord is the bound that means the turn after the last compacted one.
const lastWord = "last"

var boundUnits = map[byte]time.Duration{'w': 7 * 24 * time.Hour, 'd': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}

// AtTurn returns the bound that names a turn by its number.
func AtTurn(turn int) Bound {
	turn = max(0, turn)
	return Bound{text: strconv.Itoa(turn), turn: turn}
}

// ParseBound parses a bound of a range. The error lists the valid forms and is safe to print,
// whatever the text contains.
func ParseBound(text string) (Bound, error) {
	if b, ok := parseBound(text); ok {
		return b, nil
	}
	const shown = 40
	if r := []rune(text); len(r) > shown {
		text = string(r[:shown]) + "..."
	}
	return Bound{}, fmt.Errorf("%q is not a valid bound of a range: write a turn (5), turns before the last one (-3), a time ago (5h, 30m, 2d, 1w) or last", text)
}

func parseBound(text string) (Bound, bool) {
	b := Bound{text: text}
	if text == lastWord {
		b.kind = boundAfterCompacted
		return b, true
	}
	digits, back := strings.CutPrefix(text, "-")
	var unit time.Duration
	if n := len(digits); n > 0 && boundUnits[digits[n-1]] > 0 {
		digits, unit = digits[:n-1], boundUnits[digits[n-1]]
	}
	n, err := strconv.Atoi(digits)
	if err != nil || strings.Trim(digits, "0123456789") != "" {
		return b, false
	}
	switch {
	case unit > 0:
		b.kind, b.ago = boundAgo, time.Duration(n)*unit
		return b, !back && n <= int(math.MaxInt64/unit)
	case back:
		b.kind, b.turn = boundFromEnd, n
		return b, n > 0
	}
	b.turn = n
	return b, true
}

// String returns the bound as the user wrote it.
func (b Bound) String() string {
	return cmp.Or(b.text, "0")
}
