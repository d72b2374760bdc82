// Package snippet takes pieces out of long texts: their ends, counted in code points, and the line that names an error.
package snippet

import (
	"strings"
	"unicode/utf8"
)

// First is the first n code points of text.
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

// Last is the last n code points of text.
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

// IsASCII reports whether a text has ASCII characters only.
func IsASCII(text string) bool {
	all := byte(0)
	for i := range len(text) {
		all |= text[i]
	}
	return all < utf8.RuneSelf
}

// ErrorLine is the last line that names an error, else the last line with
// something in it.
func ErrorLine(text string) string {
	last := ""
	for end := len(text); end > 0; {
		begin := strings.LastIndexByte(text[:end], '\n') + 1
		line := strings.TrimSpace(text[begin:end])
		if last == "" {
			last = line
		}
		if NamesError(line) {
			return line
		}
		end = begin - 1
	}
	return last
}

// NamesError reports whether a line has a word for an error.
func NamesError(line string) bool {
	for _, word := range [...]string{"error", "Error", "ERROR", "panic", "fatal", "FAIL", "exception", "Exception"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// Join puts a text and what is added to it together, one empty line between them.
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
