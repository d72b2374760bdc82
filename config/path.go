package config

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var plainSegment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
})

// Path joins the segments of a key with dots, as in --cfg, [Problem.Key] and [Loaded.Origins]. A segment with a dot or
// another unusual character is put in double quotes: providers.local.models."qwen-3.5".max_input.
func Path(segments ...string) string {
	out := make([]string, len(segments))
	for i, s := range segments {
		if out[i] = s; !plainSegment().MatchString(s) {
			out[i] = `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
		}
	}
	return strings.Join(out, ".")
}

// parseAssignment splits KEY=VALUE into the segments of the dotted key and the text after the =. The key is in the form of [Path].
func parseAssignment(s string) (segments []string, value string, err error) {
	var b strings.Builder
	quoted, wasQuoted := false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == '"':
			quoted, wasQuoted = !quoted, true
		case !quoted && (c == '.' || c == '='):
			if b.Len() == 0 && !wasQuoted {
				return nil, "", fmt.Errorf("a part of the key is empty")
			}
			segments = append(segments, b.String())
			b.Reset()
			wasQuoted = false
			if c == '=' {
				return segments, s[i+1:], nil
			}
		default:
			b.WriteByte(c)
		}
	}
	return nil, "", fmt.Errorf("there is no = in it")
}
