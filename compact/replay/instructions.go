package replay

import (
	"regexp"
	"slices"
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
	return slices.DeleteFunc(sentences(text), func(s string) bool { return !bindingPattern().MatchString(s) })
}

// sentences returns the sentences of a text, trimmed and not empty.
func sentences(text string) []string {
	var out []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		from := 0
		for i := 1; i < len(line); i++ {
			if strings.IndexByte(" \t\r\v\f", line[i]) >= 0 && strings.IndexByte(".!?", line[i-1]) >= 0 {
				add(line[from:i])
				from = i
			}
		}
		add(line[from:])
	}
	return out
}
