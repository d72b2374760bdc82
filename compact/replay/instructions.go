package replay

import (
	"regexp"
	"strings"
	"sync"
)

// Instructions are binding sentences of the user: with must, never, always, only or don't, with a quote, a URL, or a
// separate number. A sentence ends after . ! or ? before white space, and at the end of its line.

var bindingPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:must|never|always|only|don['’]t)\b|"|https?://|\b[0-9]+\b`)
})

// instructions returns the binding sentences of a text, in order.
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
		if strings.IndexByte(" \t\r\v\f", line[i]) >= 0 && strings.IndexByte(".!?", line[i-1]) >= 0 {
			out = append(out, line[from:i])
			from = i
		}
	}
	return append(out, line[from:])
}
