// Package numbers formats whole numbers and amounts in English, the same way in every view, page and tool result.
//
// It imports no other package of the program, so that all can use it.
package numbers

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Grouped writes a whole number with commas between thousands: 81,114.
func Grouped(n int) string {
	text := strconv.AppendInt(make([]byte, 0, 32), int64(n), 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = slices.Insert(text, i, ',')
	}
	return string(text)
}

// Count writes an amount with its noun, which gets an s in the plural: 1 file, 2,048 files.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Turns names a turn, or the turns from one to another: turn 3, turns 1–7.
func Turns(from, to int) string {
	if from >= to {
		return "turn " + strconv.Itoa(from)
	}
	return "turns " + strconv.Itoa(from) + "–" + strconv.Itoa(to)
}

// Bytes writes a number of bytes: 812 B, 4.1 KiB, 3.0 MiB.
func Bytes(n int64) string {
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " B"
	}
	size, unit := float64(n)/(1<<10), 0
	for ; size >= 1<<10 && unit < 2; unit++ {
		size /= 1 << 10
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + []string{" KiB", " MiB", " GiB"}[unit]
}

// errCount shows how to write a number of tokens.
var errCount = errors.New("it takes a number of tokens, like 32000, 32k or 1M")

// ParseCount reads a number of tokens as people write it: 32000, 32k or 1.5M, where k is thousand and M is million.
func ParseCount(text string) (int, error) {
	text = strings.TrimSpace(text)
	digits := strings.TrimRight(text, "kKmM")
	if len(digits) == len(text) {
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		if err != nil {
			return 0, errCount
		}
		return int(n), nil
	}
	unit, known := map[string]float64{"k": 1e3, "m": 1e6}[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseFloat(digits, 64)
	if n = math.Round(n * unit); err != nil || !known || strings.Trim(digits, "0123456789.") != "" || n >= math.MaxInt {
		return 0, errCount
	}
	return int(n), nil
}
