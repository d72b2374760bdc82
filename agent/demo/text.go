package demo

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// lazy compiles a pattern when it is first used: most runs of the program never
// talk to the demo model.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

func itoa(n int) string { return strconv.Itoa(n) }

func foldSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// clipText cuts s to n code points and marks the cut.
func clipText(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// firstWord is the letters s starts with.
func firstWord(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		return s[:i]
	}
	return s
}

// plural is "1 file", "2 files".
func plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ay"):
		return itoa(n) + " " + strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "ch"):
		return itoa(n) + " " + noun + "es"
	}
	return itoa(n) + " " + noun + "s"
}
