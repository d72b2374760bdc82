// Package numbers writes whole numbers and amounts of things in English, alike in every view, page and tool result.
//
// It imports nothing of ours, so that every package may use it.
package numbers

import "strconv"

// Grouped writes a whole number with commas between thousands: 81,114.
func Grouped(n int) string {
	var digits, out [32]byte // 64 bits have 19 digits
	text := strconv.AppendInt(digits[:0], int64(n), 10)
	at := len(out)
	for i := len(text) - 1; i >= 0; i-- {
		if right := len(text) - 1 - i; right > 0 && right%3 == 0 && text[i] != '-' {
			at--
			out[at] = ','
		}
		at--
		out[at] = text[i]
	}
	return string(out[at:])
}

// Count writes how many things there are, with a noun that takes an s in the plural: 1 file, 2,048 files.
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
