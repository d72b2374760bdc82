// Package snippet extracts pieces of long texts: the first or last code points, and the line that names an error.
package snippet

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// First returns the first n code points of text.
func First(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if n <= 0 || IsASCII(text[:n]) {
		return text[:max(n, 0)]
	}
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// Last returns the last n code points of text.
func Last(text string, n int) string {
	if len(text) <= n {
		return text
	}
	i := len(text)
	if n <= 0 || IsASCII(text[i-n:]) {
		return text[i-max(n, 0):]
	}
	for ; n > 0 && i > 0; n-- {
		_, w := utf8.DecodeLastRuneInString(text[:i])
		i -= w
	}
	return text[i:]
}

// IsASCII reports whether text has only ASCII characters.
func IsASCII(text string) bool {
	all := byte(0)
	for i := range len(text) {
		all |= text[i]
	}
	return all < utf8.RuneSelf
}

// ErrorLine returns the last line that names an error, otherwise the last line that is not blank.
func ErrorLine(text string) string {
	last := ""
	for end := len(text); end > 0; {
		begin := strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.TrimSpace(text[begin:end])
		last = cmp.Or(last, line)
		if NamesError(line) {
			return line
		}
		end = begin - 1
	}
	return last
}

// NamesError reports whether a line contains a word such as error, panic, fatal or exception.
func NamesError(line string) bool {
	words := []string{"error", "Error", "ERROR", "panic", "fatal", "FAIL", "exception", "Exception"}
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) })
}

// Join returns text and appendix with an empty line between them; blank parts are left out.
func Join(text, appendix string) string {
	text, appendix = strings.TrimSpace(text), strings.TrimSpace(appendix)
	switch {
	case appendix == "":
		return text
	case text == "":
		return appendix
	}
	return text + "\n\n" + appendix
}
