package replay

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
)

// Identifiers are what a text names exactly: paths, names with dots or
// underscores, names of two or more humps, hexadecimal ids of 7 to 40 digits of
// which one is a decimal, and numbers of issues. They have 6 to 120 characters,
// without the punctuation behind them and without line numbers. Letters of other
// scripts are part of none.

const (
	minIdentifierChars = 6
	maxIdentifierChars = 120
)

// The first alternative that fits at a place counts. None begins within a word:
// SessionID is one name, and essionID none.
var identifierPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:~|\.{1,2})?/?[A-Za-z0-9_@.+-]+(?:/[A-Za-z0-9_@.+-]+)+/?` + // path
			`|[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+` + // file.ext, pkg.Name
			`|\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b` + // snake_case
			`|\b_*[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]*)+` + // camelCase
			`|\b_*[A-Z]+[a-z0-9]+(?:[A-Z]+[a-z0-9]*)+` + // PascalCase, SessionID
			`|\b[0-9a-f]{7,40}\b` + // hexadecimal
			`|#[0-9]+`) // issue
})

// identifiers calls found for the identifiers in text, as often as they occur.
func identifiers(text string, found func(string)) {
	for _, at := range identifierPattern().FindAllStringIndex(text, -1) {
		id := strings.TrimRight(text[at[0]:at[1]], ".,:;/-")
		if len(id) >= minIdentifierChars && len(id) <= maxIdentifierChars && !hexWord(id) {
			found(id)
		}
	}
}

// hexWord reports whether all is a letter that is also a hexadecimal digit: the
// word facade is no id.
func hexWord(id string) bool {
	for i := range len(id) {
		if id[i] < 'a' || id[i] > 'f' {
			return false
		}
	}
	return true
}

// texts calls found for the texts and numbers in arguments.
func texts(arguments string, found func(string)) {
	d := json.NewDecoder(strings.NewReader(arguments))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		found(arguments)
		return
	}
	eachText(v, found)
}

func eachText(v any, found func(string)) {
	switch v := v.(type) {
	case string:
		found(v)
	case json.Number:
		found(v.String())
	case []any:
		for _, one := range v {
			eachText(one, found)
		}
	case map[string]any:
		for _, one := range v {
			eachText(one, found)
		}
	}
}

// asJSON is text as it stands in a JSON text that is all ASCII, without the
// quotes: how it would be found in arguments.
func asJSON(text string) string {
	const escaped, letters = "\n\r\t\b\f\"\\", `nrtbf"\`
	var b strings.Builder
	for _, r := range text {
		switch i := strings.IndexRune(escaped, r); {
		case i >= 0:
			b.WriteByte('\\')
			b.WriteByte(letters[i])
		case r >= ' ' && r <= 0x7F:
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}
