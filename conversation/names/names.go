// Package names finds the names in a text: what somebody who has not the text may
// want to look for in it.
//
// A name is a path, a dotted or snake_case word, camelCase of two or more humps, a
// hexadecimal id, an IPv4 address, or a number with its unit.
package names

import "strings"

// least and most bound a name, in characters.
const (
	least = 6
	most  = 80
)

// Scan finds the names in a text. What it hands over is ASCII without
// spaces or quotes.
func Scan(text string, found func(string)) {
	for i := 0; i < len(text); {
		kind := kinds[text[i]]
		if kind == 0 {
			i += colorEnd(text[i:])
			continue
		}
		from := i
		for i++; i < len(text) && kinds[text[i]] != 0; i++ {
			kind |= kinds[text[i]]
		}
		if kind&telling == 0 || i-from < least {
			continue
		}
		word := trimmed(text[from:i])
		if len(word) >= least && len(word) <= most && isName(word) {
			found(word)
		}
	}
}

// colorEnd is how many bytes the byte that a text begins with takes, or the control
// sequence that it opens: a color of a terminal is no part of the word behind it.
func colorEnd(text string) int {
	if text[0] != '\x1b' || len(text) < 2 || text[1] != '[' {
		return 1
	}
	for i := 2; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '?' {
			return i + 1
		}
	}
	return len(text)
}

// trimmed is a word without the joints at its ends.
func trimmed(word string) string {
	for word != "" && isJoint(word[0]) {
		word = word[1:]
	}
	for word != "" && isJoint(word[len(word)-1]) {
		word = word[:len(word)-1]
	}
	return word
}

func isJoint(c byte) bool { return c == '.' || c == '-' || c == '/' || c == '\\' }

// The kinds of bytes that names consist of. Most words are of plain ones alone, and
// none of those is a name.
const (
	plain   = 1
	telling = 2 // digits, capitals, joints
)

var kinds = func() (set [256]byte) {
	for c := range 256 {
		switch b := byte(c); {
		case lower(b) || b == '-':
			set[c] = plain
		case digit(b) || upper(b):
			set[c] = telling
		}
	}
	for _, r := range "_./\\#@~" {
		set[r] = telling
	}
	return set
}()

func digit(b byte) bool { return '0' <= b && b <= '9' }

func lower(b byte) bool { return 'a' <= b && b <= 'z' }

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

// isName reports whether a word is unlikely to be plain prose.
func isName(word string) bool {
	letters, digits, hex, joints, humps := 0, 0, true, 0, 0
	switch {
	case isTime(word):
		return false
	case isAddress(word), isAmount(word):
		return true
	}
	for i := range len(word) {
		c := word[i]
		switch {
		case digit(c):
			digits++
		case lower(c), upper(c):
			letters++
			hex = hex && c <= 'f' && lower(c)
			if i > 0 && upper(c) && (lower(word[i-1]) || digit(word[i-1])) {
				humps++
			}
		default:
			hex = false
			if c != '-' && i > 0 && i < len(word)-1 {
				joints++
			}
		}
	}
	switch {
	case letters == 0:
		return false
	case hex && digits > 0:
		return len(word) <= 40
	}
	return joints > 0 || humps > 0
}

// isAddress reports whether a word has the form of an IPv4 address.
func isAddress(word string) bool {
	dots, run := 0, 0
	for i := range len(word) {
		switch {
		case digit(word[i]) && run < 3:
			run++
		case word[i] == '.' && run > 0:
			dots, run = dots+1, 0
		default:
			return false
		}
	}
	return dots == 3 && run > 0
}

// isTime reports whether a word is a piece of a time in RFC 3339, which its colons part: the
// date with the hour (2026-02-21T22) or the seconds (43.1393058Z). A log has one in every
// line, and nobody looks for it.
func isTime(word string) bool {
	const hour = "0000-00-00T00"
	seconds, zulu := strings.CutSuffix(word, "Z")
	form := hour
	if zulu {
		word, form = seconds, "00."+strings.Repeat("0", max(0, len(seconds)-3))
	}
	if len(word) != len(form) {
		return false
	}
	for i := range len(form) {
		if word[i] != form[i] && !(form[i] == '0' && digit(word[i])) {
			return false
		}
	}
	return true
}

// isAmount reports whether a word is a number with up to four letters behind it.
func isAmount(word string) bool {
	unit := len(word)
	for unit > 0 && (lower(word[unit-1]) || upper(word[unit-1])) {
		unit--
	}
	for i := range unit {
		if !digit(word[i]) && (word[i] != '.' || i == unit-1) {
			return false
		}
	}
	return unit > 0 && unit < len(word) && len(word)-unit <= 4
}
