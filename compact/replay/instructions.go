package replay

import (
	"regexp"
	"strings"
	"sync"
)

// Instructions are sentences of the user that bind: with must, never, always,
// only or don't, with a quote, a URL, or a number that stands for itself. A
// sentence ends behind . ! or ? before white space, and with its line.

var bindingPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:must|never|always|only|don['’]t)\b|"|https?://|\b[0-9]+\b`)
})

// instructions lists the sentences of a text that bind, in order.
func instructions(text string) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, s := range sentences(line) {
			if s = strings.TrimSpace(s); s != "" && bindingPattern().MatchString(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// sentences splits a line.
func sentences(line string) []string {
	var out []string
	from := 0
	for i := 1; i < len(line); i++ {
		if isSpace(line[i]) && strings.IndexByte(".!?", line[i-1]) >= 0 {
			out = append(out, line[from:i])
			from = i
		}
	}
	return append(out, line[from:])
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
