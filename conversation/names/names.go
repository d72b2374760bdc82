// Package names finds the names in a text: what somebody who has not the text may
// want to look for in it.
//
// A name is a path, a dotted or snake_case word, camelCase of two or more humps, or
// a hexadecimal id.
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
		if !nameByte[text[i]] {
			i++
			continue
		}
		from := i
		for i < len(text) && nameByte[text[i]] {
			i++
		}
		word := strings.Trim(text[from:i], ".-/\\")
		if len(word) >= least && len(word) <= most && isName(word) {
			found(word)
		}
	}
}

// nameByte tells the bytes that names consist of.
var nameByte = func() (set [256]bool) {
	for _, r := range "_./\\-#@~" {
		set[r] = true
	}
	for c := range 256 {
		b := byte(c)
		set[c] = set[c] || digit(b) || lower(b) || upper(b)
	}
	return set
}()

func digit(b byte) bool { return '0' <= b && b <= '9' }

func lower(b byte) bool { return 'a' <= b && b <= 'z' }

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

// isName reports whether a word is one that nobody writes by chance.
func isName(word string) bool {
	letters, digits, hex, joints, humps := 0, 0, true, 0, 0
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
