// Package names finds names in a text: the words that somebody without the text could search it for.
//
// A name is a path, a dotted or snake_case word, camelCase with at least one inner capital, a hexadecimal id, an IPv4
// address, or a number with its unit.
package names

import "strings"

// The length of a name in characters.
const (
	minLength = 6
	maxLength = 80
)

// Scan calls found for each name in a text. A name is ASCII without spaces or quotes.
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
		if kind&marking == 0 || i-from < minLength {
			continue
		}
		word := text[from:i]
		if !(word[0] == '\\' && from > 1 && text[from-1] == ':' && upper(text[from-2])) { // no path after a drive of Windows
			word = withoutEscapes(word)
		}
		for word := range strings.SplitSeq(withoutLine(word), "\n") {
			if word = strings.Trim(word, separators); len(word) >= minLength && len(word) <= maxLength && isName(word) {
				found(word)
			}
		}
	}
}

// withoutLine returns a word with a line break for the number of a line that grep writes between a file, whose extension
// has small letters, and the line.
func withoutLine(word string) string {
	for i := range len(word) {
		if word[i] != '.' {
			continue
		}
		ext := i + 1
		for ext < len(word) && lower(word[ext]) {
			ext++
		}
		end := ext + 1
		for end < len(word) && digit(word[end]) {
			end++
		}
		if ext > i+1 && end > ext+1 && word[ext] == '-' && (end == len(word) || word[end] == '-') {
			return word[:ext] + "\n" + word[end:]
		}
	}
	return word
}

// withoutEscapes returns a word with a line break for each escape of JSON text in it. A word with another backslash is a path of
// Windows and stays as it is.
func withoutEscapes(word string) string {
	const escapes = `nrt\`
	escaped := false
	for i := strings.IndexByte(word, '\\'); i >= 0 && i < len(word); i++ {
		if word[i] != '\\' {
			continue
		}
		if i++; i < len(word) && strings.IndexByte(escapes, word[i]) < 0 {
			return word
		}
		escaped = true
	}
	if !escaped {
		return word
	}
	return lineBreaks.Replace(word)
}

var lineBreaks = strings.NewReplacer(`\\n`, "\n", `\\`, "\n", `\n`, "\n", `\r`, "\n", `\t`, "\n")

// colorEnd returns the length of the terminal control sequence at the start of a text, 1 if it starts otherwise. So a
// color is not part of the word after it.
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

// separators divide the words of a name and do not belong to its ends.
const separators = `.-/\`

// The kinds of bytes in names. A word of plain bytes alone is not a name.
const (
	plain   = 1
	marking = 2 // digits, capitals, separators
)

// kinds is the kind of each byte, 0 for bytes outside of names.
var kinds = func() (set [256]byte) {
	for c := range 256 {
		switch b := byte(c); {
		case lower(b) || b == '-':
			set[c] = plain
		case digit(b) || upper(b):
			set[c] = marking
		}
	}
	for _, r := range "_./\\#@~" {
		set[r] = marking
	}
	return set
}()

func digit(b byte) bool { return '0' <= b && b <= '9' }

func lower(b byte) bool { return 'a' <= b && b <= 'z' }

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

// isName reports whether a word is unlikely to be plain prose.
func isName(word string) bool {
	letters, digits, hex, separators, capitals := 0, 0, true, 0, 0
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
				capitals++
			}
		default:
			hex = false
			if c != '-' && i > 0 && i < len(word)-1 {
				separators++
			}
		}
	}
	switch {
	case letters == 0:
		return false
	case hex && digits > 0:
		return len(word) <= 40
	}
	return separators > 0 || capitals > 0
}

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

// isTime reports whether a word is a part of an RFC 3339 time, which its colons divide: the date with the hour
// (2026-02-21T22) or the seconds (43.1393058Z). A log has one in every line, and nobody searches for it.
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

// isAmount reports whether a word is a number followed by up to four letters.
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
